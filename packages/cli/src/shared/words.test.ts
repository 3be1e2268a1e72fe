import { expect, test } from "vitest";
import { amount, arrivingWords, callWords, commandOf, dollars, duration, nearest } from "./words.ts";

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
