import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { markdownLines } from "./markdown.ts";

const TABLE = [
  "| file | **lines** | state |",
  "|:-----|------:|:-----:|",
  "| a.ts | 7 | ok |",
  "| longer-name.ts | 1200 | **failed** |",
  "| 漢字 | `99` | │ |",
].join("\n");

test("the columns of a table are aligned as its second line says", () => {
  const lines = markdownLines(TABLE, 80).map((line) => strip(line).trimEnd());
  expect(lines.filter((line) => line.startsWith("│"))).toEqual([
    "│ file           │ lines │ state  │",
    "│ a.ts           │     7 │   ok   │",
    "│ longer-name.ts │  1200 │ failed │",
    "│ 漢字           │    99 │   │    │",
  ]);
});

test.each([40, 80, 200])("an aligned table has straight borders with %i columns", (width) => {
  const wide = `${TABLE}\n| ${"many words in one cell ".repeat(3)}| 5 | a state of several words |`;
  const lines = markdownLines(wide, width).map((line) => line.trimEnd());
  expect(new Set(lines.map(visibleWidth)).size).toBe(1);
  expect(visibleWidth(lines[0] ?? "")).toBeLessThanOrEqual(width);
  expect(lines.map(strip).join("\n")).toMatch(/│ +5 │/);
});

test("a table whose columns would break words is shown row by row, without empty cells", () => {
  const table = [
    "| package | what it does | since |",
    "|---|---|--:|",
    "| permissions | decides whether a **call** can run at all | 2024 |",
    "| tools | | 2023 |",
  ].join("\n");
  expect(markdownLines(`${table}\n\nAfter it.`, 30).map((line) => strip(line).trimEnd())).toEqual([
    "package: permissions",
    "what it does: decides",
    "  whether a call can run at",
    "  all",
    "since: 2024",
    "──────────────────────────────",
    "package: tools",
    "since: 2023",
    "",
    "After it.",
  ]);
  expect(markdownLines(table, 40).map(strip).join("\n")).toContain("│ permissions │");
  expect(markdownLines("| a-very-long-name |\n|---|\n| b |", 12).map(strip).join("\n")).toContain("│ b");
  expect(markdownLines("| permissions | what |\n|---|---|", 14).map(strip).join("\n")).toContain("permi");
});

test("a table in a quotation or a list is aligned too, and one without marks stays to the left", () => {
  const quoted = markdownLines("> | n |\n> |--:|\n> | 1 |\n> | 100 |", 40).map(strip);
  expect(quoted.join("\n")).toContain("│ │   1 │");
  const plain = markdownLines("| n |\n|---|\n| 1 |\n| 100 |", 40).map(strip);
  expect(plain.join("\n")).toContain("│ 1   │");
});

test("a long line of code is wrapped within its block", () => {
  const text = "```ts\nexport const greeting: string = 'hello'; // said once\n\nf();\n```";
  expect(markdownLines(text, 30).map((line) => strip(line).trimEnd())).toEqual([
    "```ts",
    "  export const greeting:",
    "  string = 'hello'; // said",
    "  once",
    "",
    "  f();",
    "```",
  ]);
});
