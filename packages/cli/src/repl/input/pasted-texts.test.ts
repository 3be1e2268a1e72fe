import { expect, test } from "vitest";
import { PastedTexts } from "./pasted-texts.ts";

const lines = (count: number): string => Array.from({ length: count }, (_, at) => `line ${at}`).join("\n");

test("a long paste has a mark with its size, and is expanded when it is sent", () => {
  const pasted = new PastedTexts();
  expect(pasted.fold(lines(10))).toBeUndefined();
  expect(pasted.fold(`${lines(120)}\n`)).toBe("[Pasted text #1, 120 lines]");
  expect(pasted.fold("x".repeat(1001))).toBe("[Pasted text #2, 1001 characters]");
  expect(pasted.expand("see [Pasted text #1, 120 lines]!")).toBe(`see ${lines(120)}\n!`);
  expect(pasted.expand("[Pasted text #7, 3 lines] $&")).toBe("[Pasted text #7, 3 lines] $&");
  expect(pasted.markAtEnd("a [Pasted text #1, 120 lines]")).toBe("[Pasted text #1, 120 lines]");
  expect([pasted.markAtEnd("a [Pasted text #9, 1 line]"), pasted.markAtEnd("a")]).toEqual([
    undefined,
    undefined,
  ]);
  pasted.forget();
  expect(pasted.expand("[Pasted text #1, 120 lines]")).toBe("[Pasted text #1, 120 lines]");
});
