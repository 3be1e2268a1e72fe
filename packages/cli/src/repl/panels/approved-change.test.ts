import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { type Change, changeLines, changeText } from "./approved-change.ts";

const folder = mkdtempSync(join(tmpdir(), "runahead-change-"));
const SOURCE = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`).join("\n");

beforeAll(() => writeFileSync(join(folder, "a.txt"), `${SOURCE}\n`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function shown(change: Partial<Change>): string[] {
  const whole = { path: "a.txt", folder, oldText: undefined, newText: "", isEverywhere: false, ...change };
  return changeLines(whole).map(strip);
}

test("an edit is shown at its place, with numbers and the lines around it", () => {
  expect(shown({ oldText: "ne 5\nline 6", newText: "ne five\nline 6\nmore" })).toEqual([
    "a.txt",
    "   2   line 2",
    "   3   line 3",
    "   4   line 4",
    "   5 - line 5",
    "   6 - line 6",
    "   5 + line five",
    "   6 + line 6",
    "   7 + more",
    "   8   line 7",
    "   9   line 8",
    "  10   line 9",
  ]);
  expect(shown({ oldText: "line 1\n", newText: "first\n", isEverywhere: true })).toEqual([
    "a.txt",
    "   1 - line 1",
    "   1 + first",
    "   2   line 2",
    "   3   line 3",
    "   4   line 4",
  ]);
});

test("a text that is replaced everywhere is shown in all its places, with marks between them", () => {
  expect(shown({ oldText: "line 1", newText: "one\nmore", isEverywhere: true })).toEqual([
    "a.txt",
    "in 4 places:",
    "   1 - line 1",
    "   1 + one",
    "   2 + more",
    "   3   line 2",
    "   4   line 3",
    "   5   line 4",
    "   ⋮",
    "   8   line 7",
    "   9   line 8",
    "  10   line 9",
    "  10 - line 10",
    "  11 - line 11",
    "  12 - line 12",
    "  11 + one",
    "  12 + more0",
    "  13 + one",
    "  14 + more1",
    "  15 + one",
    "  16 + more2",
  ]);
  const many = "word\n".repeat(150);
  writeFileSync(join(folder, "many.txt"), many);
  const lines = shown({ path: "many.txt", oldText: "word", newText: "text", isEverywhere: true });
  expect([lines[1], lines.at(-1)]).toEqual(["in 150 places:", "… and in 50 more places"]);
});

test("the path is relative to the folder, however the model wrote it", () => {
  expect(shown({ path: join(folder, "a.txt"), oldText: "line 5", newText: "five" })[0]).toBe("a.txt");
  expect(shown({ path: "/nowhere/b.txt", newText: "" })[0]).toBe("/nowhere/b.txt");
});

test("nothing is left out if the text is not in the file, or lines are joined", () => {
  expect(shown({ oldText: "gone\n", newText: "x\n" })).toEqual(["a.txt", "- gone", "+ x", "  "]);
  expect(shown({ oldText: "line 1\n", newText: "" })).toEqual(["a.txt", "- line 1", "  "]);
});

test("new content of a file is numbered, and says what it replaces", () => {
  expect(shown({ newText: SOURCE.replace("line 3", "three") }).slice(0, 6)).toEqual([
    "a.txt",
    "replaces 12 lines",
    "   1   line 1",
    "   2   line 2",
    "   3 - line 3",
    "   3 + three",
  ]);
  expect(shown({ newText: SOURCE }).at(-1)).toBe("No newline at end of file");
  expect(shown({ path: "new.txt", newText: "one\ntwo\n" })).toEqual([
    "new.txt",
    "new file",
    "   1 + one",
    "   2 + two",
  ]);
});

test("as a text, the sign of a line is first, also of a line that looks like another", () => {
  const edit = { file_path: "a.txt", old_string: "line 5", new_string: "  12 - five" };
  expect(changeText("Edit", edit, folder)?.split("\n")).toEqual([
    "a.txt",
    "     2 line 2",
    "     3 line 3",
    "     4 line 4",
    "-    5 line 5",
    "+    5   12 - five",
    "     6 line 6",
    "     7 line 7",
    "     8 line 8",
  ]);
  const gone = { file_path: "none.txt", old_string: "  12 - a\nb", new_string: "  12 - a\nc" };
  expect(changeText("Edit", gone, folder)?.split("\n")).toEqual(["none.txt", "    12 - a", "- b", "+ c"]);
  expect(changeText("Bash", { command: "ls" }, folder)).toBeUndefined();
});
