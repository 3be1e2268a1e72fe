import { expect, test } from "vitest";
import { changedFile } from "../shared/outputs.ts";
import { diffsOf } from "./diff.ts";

const hunk = (...lines: readonly string[]) => ({ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines });

test("each part of a change is a separate diff, and a missing newline at the end is kept", () => {
  const hunks = [hunk(" a", "-b", "+c"), hunk(" y", "-z", "\\ No newline at end of file", "+z")];
  const diff = { type: "hunks", hunks, added: 2, removed: 2 } as const;
  expect(diffsOf({ type: "edited", path: "/x", diff })).toEqual([
    { type: "diff", path: "/x", oldText: "a\nb\n", newText: "a\nc\n" },
    { type: "diff", path: "/x", oldText: "y\nz", newText: "y\nz\n" },
  ]);
  expect(diffsOf({ type: "created", path: "/x", diff: { ...diff, hunks: [hunk("+new")] } })).toEqual([
    { type: "diff", path: "/x", oldText: null, newText: "new\n" },
  ]);
});

test("without lines there is no diff, and output that is not a file change has none", () => {
  expect(diffsOf({ type: "edited", path: "/x", diff: { type: "left-out" } })).toEqual([]);
  for (const output of [undefined, null, "text", {}, { path: "/x" }, { type: "edited", path: 1, diff: {} }])
    expect(changedFile(output)).toBeUndefined();
});
