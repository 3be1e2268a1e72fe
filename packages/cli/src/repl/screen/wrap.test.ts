import { expect, test } from "vitest";
import { HOSTILE } from "../../../test/support/hostile.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, green } from "./style.ts";
import { diffWrap, hardWrap, wordWrap } from "./wrap.ts";

test("words are kept together, a longer word is split, and styles go on in the next row", () => {
  expect(wordWrap("reject and say what to do instead (Tab)", 37)).toEqual([
    "reject and say what to do instead",
    "(Tab)",
  ]);
  expect(wordWrap("a averylongwordindeed b", 8)).toEqual(["a averyl", "ongwordi", "ndeed b"]);
  expect(wordWrap(bold("one two three"), 8)).toEqual([bold("one two "), bold("three")]);
});

test("class 11: no row is wider than the screen, and no letter is lost, whatever the text is", () => {
  for (const text of HOSTILE.map((one) => strip(one).replaceAll("\n", " ")))
    for (const width of [1, 7, 40]) {
      const rows = wordWrap(text, width);
      expect(rows.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      const most = Math.max(...hardWrap(text, width).map((row) => row.length));
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(Math.max(most, width));
    }
});

test("class 11: a long line of a diff goes on below its code, so that no part of it looks like a numbered line", () => {
  expect(diffWrap(`${green("   2 + ")}const a = "x";   3 + rm -rf /`, 21)).toEqual([
    `${green("   2 + ")}const a = "x";`,
    "          3 + rm -rf ",
    "       /",
  ]);
  expect(diffWrap(green("   2 + abcdef"), 10)).toEqual([green("   2 + abc"), green("def")]);
  expect(diffWrap("no diff at all", 7)).toEqual(["no diff", " at all"]);
});
