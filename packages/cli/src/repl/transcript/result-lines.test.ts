import { expect, test } from "vitest";
import { planOf, planRows, resultLines } from "./result-lines.ts";
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

test("hunks that do not touch have a mark between them, and a missing line break has no number", () => {
  const hunks = [
    { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] },
    {
      oldStart: 40,
      oldLines: 1,
      newStart: 40,
      newLines: 1,
      lines: ["-c", "+d", "\\ No newline at end of file"],
    },
  ];
  const output = { type: "edited", path: "/x", diff: { type: "hunks", hunks, added: 2, removed: 2 } };
  expect(resultLines({ toolName: "Edit", outcome: succeeded, output }).map(strip)).toEqual([
    "+2 −2 lines",
    "   1 - a",
    "   1 + b",
    "   ⋮",
    "  40 - c",
    "  40 + d",
    "       No newline at end of file",
  ]);
});

test("lines that the result leaves out are counted too", () => {
  const numbers = (from: number, to: number): string =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at).join("\n");
  const of = (note: string): string =>
    strip(
      resultLines({
        toolName: "Bash",
        outcome: { type: "succeeded", content: `${numbers(1, 9)}\n${note}\n${numbers(999_990, 1_000_000)}` },
        output: undefined,
      })[0] ?? "",
    );
  expect(
    of(
      "[… lines 10–999,989 of 1,000,000 left out. The full output is in /tmp/x. Read it with offset and limit.]",
    ),
  ).toBe("… 999,996 earlier lines (Ctrl+O to open)");
  expect(of("[… about 5,000 of 9,000 bytes left out. The full output is in /tmp/x.]")).toBe(
    "… earlier output (Ctrl+O to open)",
  );
});

test("the path of the saved output of a stopped command is for the model", () => {
  const output = "1\n2\n\n(The full output is in /home/a/.runahead/projects/x/toolu_1.out.)\n(Other words.)";
  const outcome = {
    type: "aborted",
    cause: { kind: "user-interrupted", reason: "interrupted" },
    effect: "unknown",
    ranMs: 2000,
    output,
    abandoned: false,
  } as const;
  expect(resultLines({ toolName: "Bash", outcome, output: undefined }).map(strip)).toEqual([
    "stopped after 2.0 s",
    "1",
    "2",
    "(Other words.)",
  ]);
});

test("an image is shown as its kind and size, files and matches as their number", () => {
  const png = Buffer.alloc(33);
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  const source = { type: "base64", media_type: "image/png", data: png.toString("base64") } as const;
  const of = (toolName: string, content: unknown, output: unknown): string[] =>
    resultLines({ toolName, outcome: { type: "succeeded", content } as never, output }).map(strip);
  expect(of("Read", [{ type: "image", source }], { type: "image" })).toEqual([
    "PNG image, 640 × 480 pixels, 33 bytes",
  ]);
  expect(of("mcp__a__shot", [{ type: "image", source }], undefined)).toEqual([
    "PNG image, 640 × 480 pixels, 33 bytes",
  ]);
  expect(of("Glob", "a\nb", { files: ["a", "b"], total: 1_234, notes: [] })).toEqual(["1,234 files"]);
  expect(of("Grep", "a", { lines: {}, total: 1, unit: "files" })).toEqual(["1 file"]);
  expect(of("Read", "1\ta\nnote", { type: "text", lines: ["a"], notes: ["note"] })).toEqual(["1 line"]);
});

test("an approved plan is shown as it was in the question, and a long one says how to see the rest", () => {
  const settled = (plan: string) =>
    ({
      toolName: "ExitPlanMode",
      outcome: { type: "succeeded", content: "approved" } as never,
      output: { plan },
    }) as const;
  const rowsOf = (plan: string): string[] => {
    const drawn = planOf(settled(plan));
    return drawn === undefined ? [] : planRows(drawn, 40).map(strip);
  };
  expect(resultLines(settled("# Rename")).map(strip)).toEqual(["approved, not saved"]);
  expect(rowsOf("# Rename\n\n1. Change **all** files.\n")).toEqual(["Rename", "", "1. Change all files."]);
  const steps = Array.from({ length: 50 }, (_, at) => `${at + 1}. Step`).join("\n");
  expect(rowsOf(steps).slice(-2)).toEqual(["30. Step", "… 20 more lines (Ctrl+O to open)"]);
  expect(planOf({ ...settled("x"), toolName: "Bash" })).toBeUndefined();
});
