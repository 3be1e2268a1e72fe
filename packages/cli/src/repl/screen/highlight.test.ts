import { beforeAll, expect, test } from "vitest";
import { HOSTILE } from "../../../test/support/hostile.ts";
import { strip } from "../../shared/safe-text.ts";
import { highlightCode, highlightLines, languageOf, loadHighlighter, paintLine } from "./highlight.ts";
import { markdownLines } from "./markdown.ts";
import { THEMES, dim, magenta, onlyOwnStyles, red, setTheme } from "./style.ts";

beforeAll(() => loadHighlighter());

test("code is coloured by its language, and a style never goes on in the next line", () => {
  const lines = highlightCode("const a = 1;\n/* one\ntwo */\nreturn a;", "ts");
  expect(lines.map(strip)).toEqual(["const a = 1;", "/* one", "two */", "return a;"]);
  expect(lines[0]).toContain(magenta("const"));
  expect(lines.slice(1, 3)).toEqual([dim("/* one"), dim("two */")]);
  for (const line of lines) expect([line, `${line}\u001b[0m`]).toContain(onlyOwnStyles(line));
});

test("each theme has its own colours of code, also for lines that were drawn before", () => {
  const code = "const word = 'text'; // note\nreturn 1;";
  const drawn = THEMES.map((name) => {
    setTheme(name);
    const lines = [...highlightLines(code, "js"), ...highlightCode(code, "js")];
    expect(lines.map(strip)).toEqual([...code.split("\n"), ...code.split("\n")]);
    for (const line of lines) expect([line, `${line}\u001b[0m`]).toContain(onlyOwnStyles(line));
    return lines.join("\n");
  });
  setTheme("ansi");
  expect(new Set(drawn).size).toBe(THEMES.length);
});

test("in no theme, a keyword of an added line has the colour of a removed line", () => {
  const same = THEMES.filter((name) => {
    setTheme(name);
    return magenta("x") === red("x");
  });
  setTheme("ansi");
  expect(same).toEqual([]);
});

test("code in an unknown language and very long code stay as they are", () => {
  expect(highlightCode("const a;", "no-such-language")).toEqual(["const a;"]);
  expect(highlightCode("const a;")).toEqual(["const a;"]);
  const long = "const a = 1;\n".repeat(3_000);
  expect(highlightCode(long, "ts")).toEqual(long.split("\n"));
  expect([languageOf("mjs"), languageOf("TS"), languageOf("")]).toEqual(["js", "ts", undefined]);
});

test("while code streams, complete lines are coloured and the last one is not", () => {
  expect(highlightLines("const a;\nconst b", "js")).toEqual([paintLine("const a;", "js"), "const b"]);
});

test.each([40, 80, 200])(
  "a code block has its text and the width of the screen, with %i columns",
  (width) => {
    const code = "export function sum(a: number, b: number): number {\n  return a + b; // both\n}";
    const lines = markdownLines(`\`\`\`ts\n${code}\n\`\`\``, width).map((line) => strip(line).trimEnd());
    expect(lines.join("").replaceAll(/\s/g, "")).toBe(`\`\`\`ts${code}\`\`\``.replaceAll(/\s/g, ""));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  },
);

test("class 11: colours change nothing in hostile code", () => {
  for (const text of HOSTILE) {
    const safe = strip(text);
    expect(strip(highlightCode(safe, "ts").join("\n"))).toBe(safe);
  }
});

test.each([40, 80, 200])("tables are aligned, also with wide characters, with %i columns", (width) => {
  const table = "| name | 説明 |\n|---|---|\n| a | 漢字 |\n| a longer name than the others | x |";
  const lines = markdownLines(table, width).map((line) => line.trimEnd());
  const columnsOf = (line: string): number =>
    [...strip(line)].reduce(
      (sum, one) => sum + (one > "\u1100" && one < "\u2500" ? 1 : /[\u3000-\u9fff]/.test(one) ? 2 : 1),
      0,
    );
  expect(new Set(lines.map(columnsOf)).size).toBe(1);
  expect(columnsOf(lines[0] ?? "")).toBeLessThanOrEqual(width);
});
