import { expect, test } from "vitest";
import { type Step, stepsBetween } from "./difference.ts";
import type { Manifest } from "./manifest.ts";
import type { Snapshot } from "./store.ts";

function snapshot(files: Record<string, string>, folderModes: Record<string, number> = {}): Snapshot {
  const manifest: Manifest = {
    modes: new Map(),
    folderModes: new Map(Object.entries(folderModes)),
    emptyFolders: [],
    leftOut: [],
  };
  const kept = Object.entries(files).map(([path, blob]) => [path, { mode: "100644", blob }] as const);
  return { id: "", manifest, files: new Map(kept) };
}

const summaryOf = (steps: readonly Step[]): string[] => steps.map(({ type, path }) => `${type} ${path}`);

test("a folder is made writable before its files are written, and restored after", () => {
  const open = snapshot({ "a/b/file": "1" });
  const shut = snapshot({ "a/b/file": "2" }, { a: 0o500, "a/b": 0o555 });
  expect(summaryOf(stepsBetween(shut, open))).toEqual([
    "set-folder-mode a",
    "set-folder-mode a/b",
    "write a/b/file",
  ]);
  expect(summaryOf(stepsBetween(open, shut))).toEqual([
    "write a/b/file",
    "set-folder-mode a/b",
    "set-folder-mode a",
  ]);
});

test("obstacles are removed first: a file in place of a folder, and a folder in place of a file", () => {
  const one = snapshot({ a: "1", "b/c/d": "1" });
  const other = snapshot({ "a/x": "1", b: "1" });
  expect(summaryOf(stepsBetween(one, other))).toEqual([
    "remove a",
    "remove b/c/d",
    "remove-folder b/c",
    "remove-folder b",
    "make-folder a",
    "write a/x",
    "write b",
    "set-folder-mode a",
  ]);
});
