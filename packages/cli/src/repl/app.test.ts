import type { Terminal } from "@earendil-works/pi-tui";
import type { PersonQuestion } from "@runahead/harness";
import { expect, test } from "vitest";
import { App } from "./app.ts";

/** One that nobody looks at. */
const nowhere: Terminal = {
  columns: 80,
  rows: 24,
  kittyProtocolActive: false,
  start() {},
  stop() {},
  drainInput: () => Promise.resolve(),
  write() {},
  moveBy() {},
  hideCursor() {},
  showCursor() {},
  clearLine() {},
  clearFromCursor() {},
  clearScreen() {},
  setTitle() {},
  setProgress() {},
};

const world = { cwd: "/", home: "/", env: {}, print: () => {}, complain: () => {} };

const question = (signal = new AbortController().signal): PersonQuestion => ({
  callId: "1",
  toolName: "Bash",
  input: { command: "make" },
  description: "make",
  reason: "",
  choices: [],
  from: undefined,
  waiting: 0,
  signal,
});

test("D02: when it ends, a question that is open is answered with no, and so is every later one", async () => {
  const app = new App(world, nowhere);
  const open = app.listeners.askPerson?.(question());
  app.leave(129);
  expect([await open, await app.listeners.askPerson?.(question()), await app.left]).toEqual([
    { type: "no" },
    { type: "no" },
    129,
  ]);
});

test("a question that is withdrawn is not open any more, and the next one is put", async () => {
  const app = new App(world, nowhere);
  const withdrawn = new AbortController();
  const first = app.listeners.askPerson?.(question(withdrawn.signal));
  withdrawn.abort();
  expect(await first).toEqual({ type: "withdrawn" });
  const second = app.listeners.askPerson?.(question());
  app.leave(0);
  expect(await second).toEqual({ type: "no" });
});

test("I08: it ends at once when it is pressed twice, and not because the terminal's end is heard of twice", async () => {
  const app = new App(world, nowhere);
  const isPressed = (): Promise<boolean> =>
    Promise.race([
      app.pressed.then(() => true),
      new Promise<false>((resolve) => setImmediate(resolve, false)),
    ]);
  app.leave(129);
  app.leave(129);
  expect(await isPressed()).toBe(false);
  app.press(143);
  expect([await isPressed(), await app.left]).toEqual([true, 129]);
});
