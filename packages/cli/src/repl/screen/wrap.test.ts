import { expect, test } from "vitest";
import { HOSTILE } from "../../../test/support/hostile.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold } from "./style.ts";
import { hardWrap, wordWrap } from "./wrap.ts";

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
