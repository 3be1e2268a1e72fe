import { expect, test } from "vitest";
import { resultLines } from "./result-lines.ts";
import { strip } from "../../shared/safe-text.ts";
import { green, red } from "../screen/style.ts";

const succeeded = { type: "succeeded", content: "Edited." } as const;

test("I06: only our own colours appear in a diff, and its lines are numbered", () => {
  const hunk = { oldStart: 7, oldLines: 2, newStart: 9, newLines: 2 };
  const lines = [" same", "-old\u001b]0;x\u0007", "+new\u001b[2J"];
  const output = {
    type: "edited",
    path: "/x",
    diff: { type: "hunks", hunks: [{ ...hunk, lines }], added: 1, removed: 1 },
  };
  const shown = resultLines({ toolName: "Edit", outcome: succeeded, output });
  expect(shown.map(strip)).toEqual(["+1 −1 lines", "   9   same", "   8 - old", "  10 + new"]);
  expect(shown.slice(2)).toEqual([red("   8 - old"), green("  10 + new")]);
});

test("a long diff is cut, with the number of missing lines", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `+line ${at}`);
  const hunks = [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 100, lines }];
  const output = { type: "edited", path: "/x", diff: { type: "hunks", hunks, added: 100, removed: 0 } };
  const shown = resultLines({ toolName: "Write", outcome: succeeded, output }).map(strip);
  expect([shown.length, shown.at(-1)]).toEqual([32, "… 70 more lines (Ctrl+O to open)"]);
});

test("reads are counted, output shows its last lines, and empty output shows nothing", () => {
  const content = Array.from({ length: 10 }, (_, at) => `line ${at}`).join("\n");
  const of = (toolName: string, text: string): string[] =>
    resultLines({ toolName, outcome: { type: "succeeded", content: text }, output: text }).map(strip);
  expect([of("Read", content), of("Bash", content), of("Bash", "")]).toEqual([
    ["10 lines"],
    ["… 6 earlier lines (Ctrl+O to open)", "line 6", "line 7", "line 8", "line 9"],
    [],
  ]);
});
