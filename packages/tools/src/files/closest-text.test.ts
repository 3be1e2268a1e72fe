import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { closestText } from "./closest-text.ts";

const FILE = ["import { a } from 'a';", "", "export function add(x, y) {", "  return x + y;", "}", ""].join(
  "\n",
);

async function failedEdit(content: string, old_string: string): Promise<string> {
  const folder = new TestFolder();
  folder.write("a.ts", content);
  const call = agentIn(folder.path);
  await call("Read", { file_path: "a.ts" });
  const { text, isError } = await call("Edit", { file_path: "a.ts", old_string, new_string: "new" });
  expect(isError).toBe(true);
  return text;
}

test("a failed edit shows the closest text with its lines", async () => {
  expect(await failedEdit(FILE, "export function add(x, y) {\n  return x - y;\n}")).toBe(
    "Error: old_string was not found in a.ts. The closest text is on lines 3–5:\n" +
      "export function add(x, y) {\n  return x + y;\n}\n" +
      "Copy the text exactly, or read the file again.",
  );
});

test("a single line that is only similar is shown too", () => {
  expect(closestText(FILE, "export function add(x, z) {")).toEqual({
    lines: "line 3",
    text: "export function add(x, y) {",
  });
});

test("of several similar places, the one with the most equal lines is shown", () => {
  const text = "if (a) {\n  one();\n}\nif (a) {\n  one();\n  two();\n}\n";
  expect(closestText(text, "if (a) {\n  one();\n  two();\n  three();\n}")?.lines).toBe("lines 4–8");
});

test("nothing similar is not shown", async () => {
  expect(closestText(FILE, "zzzzzzzzzz")).toBeUndefined();
  expect(closestText(FILE, "}")).toBeUndefined();
  expect(await failedEdit(FILE, "class Zebra")).toContain("The file contains nothing similar. Read it again");
});

test("long texts are shown up to a limit", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `line number ${at}`);
  const shown = closestText(lines.join("\n"), [...lines.slice(0, 39), "other"].join("\n"));
  expect(shown).toEqual({ lines: "lines 1–12", text: lines.slice(0, 12).join("\n") });
});

test("line numbers that were copied from Read are recognised", async () => {
  const expected =
    "Error: old_string was not found in a.ts because it contains the line numbers that Read shows. " +
    "Remove them: the text itself is there.";
  expect(await failedEdit(FILE, "     4\t  return x + y;")).toBe(expected);
  expect(await failedEdit(FILE, "     3\texport function add(x, y) {\n     4\t  return x + y;\n")).toBe(
    expected,
  );
  expect(await failedEdit(FILE, "4→  return x + y;")).toBe(expected);
});
