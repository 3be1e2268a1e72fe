import { expect, test } from "vitest";
import { cursorRow, hasSixel, isXtermJs, terminalKind } from "./terminal-kind.ts";

const PLAIN = { isDumb: false, movesCursor: false, hasLinks: false, images: undefined };

test("the environment says what the terminal can do, and nothing inside tmux", () => {
  for (const [env, kind] of [
    [{ TERM: "dumb" }, { ...PLAIN, isDumb: true }],
    [{ TERM: "xterm-256color" }, PLAIN],
    [
      { TERM: "xterm-256color", TERM_PROGRAM: "vscode" },
      { ...PLAIN, movesCursor: true, hasLinks: true },
    ],
    [{ TERM: "xterm-kitty" }, { ...PLAIN, hasLinks: true, images: "kitty" }],
    [
      { TERM: "xterm-256color", ITERM_SESSION_ID: "1" },
      { ...PLAIN, hasLinks: true, images: "iterm" },
    ],
    [{ TERM: "foot" }, { ...PLAIN, images: "sixel" }],
    [
      { TERM: "xterm-256color", VTE_VERSION: "7200" },
      { ...PLAIN, hasLinks: true },
    ],
    [{ TERM: "tmux-256color", TMUX: "/tmp/x", KITTY_WINDOW_ID: "1" }, PLAIN],
  ] as const)
    expect([env, terminalKind(env)]).toEqual([env, kind]);
});

test("xterm.js is known by its answer, wherever it runs", () => {
  expect(
    ["\u001b[>0;276;0c", "\u001b[>84;0;0c", "\u001b[>41;390;0c", "x", "\u001b[?1;2c"].map(isXtermJs),
  ).toEqual([true, false, false, undefined, undefined]);
});

test("a terminal that draws sixel images says so", () => {
  expect(
    ["\u001b[?62;4;22c", "\u001b[?1;2c", "\u001b[?4c", "\u001b[?64;1;4c", "c", "\u001b[>0;4;0c"].map(
      hasSixel,
    ),
  ).toEqual([true, false, false, true, undefined, undefined]);
});

test("the row of the cursor is an answer only in the first column, because keys look alike", () => {
  expect(["\u001b[1;1R", "\u001b[24;1R", "\u001b[1;2R", "\u001b[R"].map(cursorRow)).toEqual([
    0,
    23,
    undefined,
    undefined,
  ]);
});
