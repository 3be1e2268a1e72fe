import { expect, test } from "vitest";
import { amount, callWords, dollars, duration, nearest } from "./words.ts";

test("a call is told by its name and what says most of its input, as far as that is there", () => {
  expect([
    callWords("Bash", { command: "ls\n -l\u001b[2J", timeout: 3 }),
    callWords("Read", {}),
    callWords("Grep", { pattern: "x+", path: "src", "-n": true }),
    callWords("mcp__a__b", { one: 1, two: "zwei" }),
    callWords("Bash", "no object"),
    callWords("Bash", { command: "x".repeat(1_000_000) }).length,
  ]).toEqual(["Bash ls -l", "Read", "Grep x+ src", "mcp__a__b 1 zwei", "Bash", 301]);
});

test("numbers are short", () => {
  expect([340, 9_960, 59_400, 125_000].map(duration)).toEqual(["0.3 s", "10 s", "59 s", "2 min 5 s"]);
  expect([0, 999, 12_345, 1_234_567].map(amount)).toEqual(["0", "999", "12.3k", "1.2M"]);
  expect([0.01234, 12.3].map(dollars)).toEqual(["$0.0123", "$12.30"]);
});

test("the nearest word is found, and none where none is near", () => {
  const words = ["help", "clear", "compact", "cost"];
  expect(["hlep", "comp", "clr", "xyzzyx"].map((typed) => nearest(typed, words))).toEqual([
    "help",
    "compact",
    "clear",
    undefined,
  ]);
});
