import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { addedRows, endThatFits } from "./reflow.ts";

test("rows are counted that wrap when the window shrinks to 20 columns, or to half of a narrower width", () => {
  expect(addedRows(["", "x".repeat(10), "x".repeat(11), "漢".repeat(8)], 20)).toBe(2);
  expect(addedRows(["x".repeat(40), "x".repeat(41), "x".repeat(200)], 200)).toBe(12);
  expect(addedRows(["x".repeat(20), "x".repeat(41)], 200)).toBe(2);
});

test("the end is kept, as far as it fits at half the width, and the rest is counted", () => {
  const lines = ["a", "b".repeat(15), "c".repeat(15), "d"];
  const fitting = (rows: number): string[] => endThatFits(lines, { rows, columns: 20 }).map(strip);
  expect(fitting(6)).toEqual(lines);
  expect(fitting(5)).toEqual(["… 2 rows above", "c".repeat(15), "d"]);
  expect(fitting(1)).toEqual(["… 4 rows above"]);
  expect(endThatFits([], { rows: 0, columns: 20 })).toEqual([]);
});
