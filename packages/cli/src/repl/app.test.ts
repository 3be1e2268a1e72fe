import { expect, test } from "vitest";
import { questionOf } from "../../test/support/question.ts";
import { terminalOf } from "../../test/support/terminal.ts";
import { App } from "./app.ts";

const world = { cwd: "/", home: "/", env: {}, print: () => {}, complain: () => {} };

test("D02: when the app ends, an open question is answered with no, and so is every later one", async () => {
  const app = new App(world, terminalOf());
  const open = app.listeners.askPerson?.(questionOf());
  app.leave(129);
  expect([await open, await app.listeners.askPerson?.(questionOf()), await app.left]).toEqual([
    { type: "no" },
    { type: "no" },
    129,
  ]);
});

test("a withdrawn question is closed, and the next one is shown", async () => {
  const app = new App(world, terminalOf());
  const withdrawn = new AbortController();
  const first = app.listeners.askPerson?.(questionOf({ signal: withdrawn.signal }));
  withdrawn.abort();
  expect(await first).toEqual({ type: "withdrawn" });
  const second = app.listeners.askPerson?.(questionOf());
  app.leave(0);
  expect(await second).toEqual({ type: "no" });
});

test("I08: a second Ctrl+C exits at once, but a repeated end of the terminal does not", async () => {
  const app = new App(world, terminalOf());
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
