import { expect, test } from "vitest";
import { Attendant } from "./attendant.ts";
import { channelsOf, notification, title } from "./screen/signals.ts";

/** An attendant with time that passes when the test says so, and what it sent. */
function attending(env: Readonly<Record<string, string>> = { TERM: "xterm-256color" }) {
  let nowMs = 0;
  const timers = new Set<{ atMs: number; done: () => void }>();
  const sent: string[] = [];
  const world = { cwd: "/home/me/shop", home: "/home/me", env, print() {}, complain() {} };
  const attendant = new Attendant({
    world,
    send: (bytes) => sent.push(bytes),
    now: () => nowMs,
    clock: {
      after(ms, done) {
        const timer = { atMs: nowMs + ms, done };
        timers.add(timer);
        return () => void timers.delete(timer);
      },
    },
  });
  attendant.configure("bell");
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const timer of [...timers])
      if (timer.atMs <= nowMs) {
        timers.delete(timer);
        timer.done();
      }
  };
  const rings = (): number => sent.filter((bytes) => bytes === "\u0007").length;
  return { attendant, sent, pass, rings };
}

test("the title says the folder and the state, and the old title comes back", () => {
  const { attendant, sent } = attending();
  for (const state of ["ready", "ready", "working", "needs you", "working", "ready"] as const)
    attendant.update(state);
  attendant.end();
  expect(sent).toEqual([
    "\u001b[22;0t",
    ...["ready", "working", "needs you", "working", "ready"].map(
      (state) => `\u001b]0;runahead · shop · ${state}\u0007`,
    ),
    "\u001b[23;0t",
  ]);
  const off = attending({ TERM: "xterm", CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1" });
  off.attendant.update("working");
  off.attendant.end();
  expect(off.sent).toEqual([]);
});

test("a question is notified once, when no key was pressed for five seconds", () => {
  const { attendant, pass, rings } = attending();
  attendant.update("working");
  attendant.update("needs you");
  pass(4_999);
  expect(rings()).toBe(0);
  pass(1);
  pass(60_000);
  expect(rings()).toBe(1);
  attendant.update("working");
  attendant.update("needs you");
  pass(3_000);
  attendant.pressed();
  pass(4_999);
  expect(rings()).toBe(1);
  pass(1);
  attendant.pressed();
  pass(60_000);
  expect(rings()).toBe(2);
});

test("the end of a long prompt is notified, unless the user is at the keyboard", () => {
  const { attendant, pass, rings } = attending();
  const work = (ms: number): void => {
    attendant.update("working");
    pass(ms);
    attendant.update("ready");
  };
  work(9_000);
  expect(rings()).toBe(0);
  work(11_000);
  expect(rings()).toBe(1);
  attendant.update("working");
  pass(11_000);
  attendant.pressed();
  attendant.update("ready");
  expect(rings()).toBe(1);
});

test("the setting and the terminal decide how to notify", () => {
  expect([
    channelsOf("notifications_disabled", {}),
    channelsOf("iterm2_with_bell", {}),
    channelsOf("auto", { KITTY_WINDOW_ID: "1" }),
    channelsOf(undefined, { TERM: "xterm-256color", VTE_VERSION: "7000" }),
    channelsOf("auto", { TERM: "tmux-256color", TMUX: "x", KITTY_WINDOW_ID: "1" }),
    channelsOf(undefined, { TERM: "xterm" }),
  ]).toEqual([[], ["osc9", "bell"], ["osc9"], ["osc777"], ["bell"], ["bell"]]);
  expect(notification(["osc9", "bell"], "a\u001b]0;x\u0007b;\nc")).toBe(
    "\u001b]9;Runahead: ab, c\u0007\u0007",
  );
  expect(notification(["osc777"], "done")).toBe("\u001b]777;notify;Runahead;done\u0007");
  expect(title("a\u0007b\u001b[2J")).toBe("\u001b]0;runahead · ab\u0007");
});

test("terminalProgressBarEnabled shows a bar while the agent works, and clears it at the end", () => {
  const { attendant, sent } = attending();
  attendant.configure("off", true);
  for (const state of ["ready", "working", "needs you", "working"] as const) attendant.update(state);
  attendant.end();
  const bars = sent.filter((bytes) => bytes.startsWith("\u001b]9;4;"));
  expect(bars.map((bytes) => bytes.slice("\u001b]9;4;".length, -1))).toEqual([
    "0;0",
    "3;0",
    "4;100",
    "3;0",
    "0;0",
  ]);
  const plain = attending();
  plain.attendant.update("working");
  expect(plain.sent.some((bytes) => bytes.startsWith("\u001b]9;4;"))).toBe(false);
});
