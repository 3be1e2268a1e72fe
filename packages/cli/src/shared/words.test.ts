import { expect, test } from "vitest";
import {
  amount,
  arrivingWords,
  callWords,
  commandOf,
  dollars,
  duration,
  localMinute,
  nearest,
  recalledWords,
  shownPath,
  summaryIn,
} from "./words.ts";

test("a call whose input is still streaming is described by its name and the first known value", () => {
  expect([
    arrivingWords("Bash", { command: "ls\n -l\u001b[2J", timeout: 3 }),
    arrivingWords("Read", {}),
    arrivingWords("Grep", { pattern: "x+", path: "src", "-n": true }),
    arrivingWords("mcp__a__b", { one: 1, two: "zwei" }),
    arrivingWords("Bash", "no object"),
    arrivingWords("Bash", { command: "x".repeat(1_000_000) }).length,
  ]).toEqual(["$ ls -l", "Read", "Grep x+", "mcp__a__b zwei", "Bash", 301]);
});

test("a call of an earlier run is described in its tool's words", () => {
  expect([
    recalledWords("ExitPlanMode", { plan: "\n## Rename it\n\n1. Look." }),
    recalledWords("ExitPlanMode", {}),
    recalledWords("AskUser", { questions: [{ question: "Which?" }, { question: "Why?" }, 3] }),
    recalledWords("Agent", { description: "look around", prompt: "Look." }),
    recalledWords("Bash", { command: "make", description: "Build\u001b[2J it" }),
    recalledWords("Bash", { command: "make" }),
  ]).toEqual([
    "Present the plan: Rename it",
    "ExitPlanMode",
    "Ask: Which? / Why?",
    "Agent: look around",
    "Build it",
    "$ make",
  ]);
});

test("a complete call is described in its tool's words, and a command is always shown", () => {
  const input = { command: "npm test\n# all" };
  expect([
    [callWords("npm test", input), commandOf("npm test", input)],
    [callWords("Run the tests", input), commandOf("Run the tests", input)],
    [callWords("Edit a.ts", { file_path: "a.ts" }), commandOf("Edit a.ts", {})],
  ]).toEqual([
    ["$ npm test", undefined],
    ["Run the tests", "$ npm test # all"],
    ["Edit a.ts", undefined],
  ]);
});

test("numbers are short", () => {
  expect([340, 9_960, 59_400, 125_000].map(duration)).toEqual(["0.3 s", "10 s", "59 s", "2 min 5 s"]);
  expect([0, 999, 12_345, 1_234_567].map(amount)).toEqual(["0", "999", "12.3k", "1.2M"]);
  expect([0.01234, 12.3].map(dollars)).toEqual(["$0.0123", "$12.30"]);
});

test("the nearest word is found, and none if none is near", () => {
  const words = ["help", "clear", "compact", "cost"];
  expect(["hlep", "comp", "clr", "xyzzyx"].map((typed) => nearest(typed, words))).toEqual([
    "help",
    "compact",
    "clear",
    undefined,
  ]);
});

test("times are in the time zone of the user", () => {
  const before = process.env["TZ"];
  process.env["TZ"] = "Asia/Kolkata";
  try {
    expect(localMinute("2026-01-31T23:05:59.000Z")).toBe("2026-02-01 04:35");
  } finally {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  }
});

test("a path is relative to the working folder, or begins with ~", () => {
  const world = { cwd: "/home/me/shop", home: "/home/me" };
  const paths = ["/home/me/shop/src/a.ts", "/home/me/shop2/a.ts", "/home/me/.claude/CLAUDE.md", "/etc/hosts"];
  expect(paths.map((path) => shownPath(path, world))).toEqual([
    "src/a.ts",
    "~/shop2/a.ts",
    "~/.claude/CLAUDE.md",
    "/etc/hosts",
  ]);
});

test("of a summary that replaces messages, only what a person reads is shown", () => {
  const label =
    "[Summary of the earlier conversation. It replaces those messages. What it calls open may already be done in the messages below.]\n";
  expect(summaryIn(`${label}The greeting moved.`)).toBe(
    "Summary of the earlier conversation:\n\nThe greeting moved.",
  );
  expect(summaryIn("[Summary of the conversation so far.]\n<summary>\nIt moved.\n</summary>")).toBe(
    "Summary of the earlier conversation:\n\nIt moved.",
  );
  expect(summaryIn("Summary of the earlier conversation: none")).toBeUndefined();
});
