import { expect, test } from "vitest";
import { reveal, strip, stripLine } from "./safe-text.ts";

test("I06: control sequences are removed, and the text around them stays", () => {
  for (const [text, left] of [
    ["\u001b[31mred\u001b[0m", "red"],
    ["a\u001b]52;c;aGVsbG8=\u0007b", "ab"],
    ["a\u001b]0;title\u001b\\b", "ab"],
    ["a\u001bP1;2q data\u001b\\b", "ab"],
    ["a\u009b2Jb\u009d0;x\u009cc", "abc"],
    ["a\u001b7\u001bcb", "ab"],
    ["a\u0007\b\u0000b", "ab"],
    ["cut \u001b[38;5", "cut "],
    ["bidi \u202eabc\u2066", "bidi abc"],
    ["one\r\ntwo\tthree", "one\ntwo    three"],
    ["漢字 é e\u0301 👩‍👩‍👧", "漢字 é e\u0301 👩‍👩‍👧"],
  ])
    expect(strip(text ?? "")).toBe(left);
});

test("of a line that was overwritten, the last version is shown", () => {
  expect(stripLine("10 %\r50 %\r100 %\r")).toBe("100 %");
});

test("D18: invisible characters are shown by their code", () => {
  expect(reveal("a\u001b[8mb\u202ec\u200bd\u00a0e\tf\rg\nh i")).toBe(
    "a\\u{1b}[8mb\\u{202e}c\\u{200b}d\\u{a0}e\\tf\\rg\nh i",
  );
});
