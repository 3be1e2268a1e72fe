import { expect, test } from "vitest";
import { DiagnosticNews, diagnosticLines } from "./diagnostic-news.ts";
import type { Diagnostic } from "./protocol.ts";

function problem(message: string, line: number, severity = 1): Diagnostic {
  return { at: { line, character: 0 }, severity, message, code: "", source: "" };
}

test("a diagnostic that only moved is not new, a second one of the same kind is", () => {
  const news = new DiagnosticNews();
  news.wrote("/a", "");
  expect(news.take("/a", "a", [problem("x", 1)])).toContain("2:1 error: x");
  expect(news.take("/a", "a", [problem("x", 9)])).toBeUndefined();
  expect(news.take("/a", "a", [problem("x", 9), problem("x", 20)])).toBe("Diagnostics of a:\n21:1 error: x");
});

test("a diagnostic that was fixed and is back is new again", () => {
  const news = new DiagnosticNews();
  news.wrote("/a", "");
  news.take("/a", "a", [problem("x", 1)]);
  expect(news.take("/a", "a", [])).toBeUndefined();
  expect(news.take("/a", "a", [problem("x", 1)])).toBe("Diagnostics of a:\n2:1 error: x");
});

test("hints are left out, errors come before warnings, and the text is short", () => {
  const news = new DiagnosticNews();
  news.wrote("/a", "");
  expect(news.take("/a", "a", [problem("hint", 0, 4)])).toBeUndefined();
  expect(diagnosticLines([problem("later", 5), problem("warned", 0, 2), problem("first", 1)])).toEqual([
    "2:1 error: first",
    "6:1 error: later",
    "1:1 warning: warned",
  ]);
  const many = diagnosticLines(Array.from({ length: 50 }, (_, line) => problem("y".repeat(1_000), line)));
  expect(many.join("\n").length).toBeLessThan(5_000);
  expect(many.at(-1)).toMatch(/^… and \d+ more$/);
});

test("later diagnostics go to the agent that wrote the file last", () => {
  const news = new DiagnosticNews();
  news.wrote("/a", "one");
  news.wrote("/a", "two");
  expect([news.filesOf("one"), news.filesOf("two")]).toEqual([[], ["/a"]]);
});
