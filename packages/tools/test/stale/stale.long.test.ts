/** Attacks the cache of Read, Grep and Glob: random changes of a real folder, and no result may be older than the folder. */

import {
  appendFileSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyTool, createToolCache, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { createFileMemory } from "../../src/files/file-memory.ts";
import { fileTools } from "../../src/files/file-tools.ts";
import { TestFolder, agentIn } from "../support/file-tool-calls.ts";

const ROUNDS = 100;
const READS_EACH = 3;
/** Longer than the time for which a changed file has no stamp. */
const SETTLED_MS = 130;

type Change = (pick: (below: number) => number) => unknown;

const READS: readonly (readonly [string, object])[] = [
  ["Read", { file_path: "d/a.txt" }],
  ["Read", { file_path: "file-link" }],
  ["Read", { file_path: "link/a.txt" }],
  ["Read", { file_path: "hard.txt" }],
  ["Grep", { pattern: "needle|x", path: "d", output_mode: "content" }],
  ["Grep", { pattern: "needle", path: "link", output_mode: "count" }],
  ["Grep", { pattern: "x", path: "d/a.txt", output_mode: "content" }],
  ["Grep", { pattern: "needle", path: "." }],
  ["Glob", { pattern: "**/*.txt" }],
  ["Glob", { pattern: "**/*", path: "link" }],
];

/** A command that writes: it declares nothing, so it can write everything. */
const command = (act: () => void): AnyTool =>
  defineTool({
    name: "Command",
    description: "Runs.",
    inputSchema: z.object({}),
    call: () => (act(), "done"),
  });

function changesOf(folder: TestFolder, call: (name: string, input: object) => Promise<unknown>): Change[] {
  const at = (name: string): string => folder.at(name);
  let count = 0;
  const word = (): string => `x${++count}`;
  const relink = (name: string, target: string): void => {
    rmSync(at(name));
    symlinkSync(target, at(name));
  };
  const toggle = (name: string, text: string): unknown =>
    existsSync(at(name)) ? rmSync(at(name)) : folder.write(name, text);
  /** The same size, the same time of modification and the same inode. */
  const patch = (name: string): void => {
    const { atime, mtime } = statSync(at(name));
    const file = openSync(at(name), "r+");
    writeSync(file, String(++count % 10), 3);
    closeSync(file);
    utimesSync(at(name), atime, mtime);
  };
  return [
    () => folder.write("d/a.txt", `needle ${word()}\n`),
    () => appendFileSync(at("d/e/c.txt"), word()),
    () => patch("d/a.txt"),
    () => patch("hard.txt"),
    () => renameSync(folder.write("new", `needle ${word()}\n`), at("d/a.txt")),
    (pick) => relink("link", pick(2) === 0 ? "d" : "other"),
    (pick) => relink("file-link", pick(2) === 0 ? "d/a.txt" : "d/b.txt"),
    () => folder.write(`d/${word()}.txt`, "needle"),
    () => toggle("d/.gitignore", "e/\n"),
    () => toggle(".ignore", "b.txt\n"),
    () => mkdirSync(at(".git/info"), { recursive: true }),
    (pick) =>
      existsSync(at(".git/info")) && folder.write(".git/info/exclude", pick(2) === 0 ? "" : "a.txt\n"),
    () => call("Command", {}),
    async () => {
      await call("Read", { file_path: "d/e/c.txt" });
      await call("Write", { file_path: "d/e/c.txt", content: `needle ${word()}\n` });
    },
    () => undefined,
  ];
}

/** Returns the results that differ from the folder, and how many calls were answered without running. */
async function attack(seed: number): Promise<{ readonly stale: unknown[]; readonly kept: number }> {
  const folder = new TestFolder();
  for (const name of ["d/a.txt", "d/b.txt", "d/e/c.txt", "other/a.txt"])
    folder.write(name, `needle ${name}\n`.repeat(60));
  symlinkSync("d", folder.at("link"));
  symlinkSync("d/a.txt", folder.at("file-link"));
  linkSync(folder.at("d/b.txt"), folder.at("hard.txt"));
  let random = seed * 7919 + 1;
  const pick = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
  let runs = 0;
  const counted = fileTools(createFileMemory()).map((tool) => ({
    ...tool,
    call: (input: never, context: never) => (runs++, tool.call(input, context)),
  }));
  const bash = command(() => appendFileSync(folder.at("d/a.txt"), "needle of a command\n"));
  const call = agentIn(folder.path, createToolCache().tools([...counted, bash]));
  const truth = agentIn(folder.path, fileTools(createFileMemory()));
  const changes = changesOf(folder, call);
  const stale: unknown[] = [];
  let kept = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const which = pick(changes.length);
    await changes[which]?.(pick);
    if (pick(2) === 0) await pause(SETTLED_MS);
    for (let left = READS_EACH; left > 0; left--) {
      const [name, input] = READS[pick(READS.length)] ?? READS[0]!;
      const before = runs;
      const { text } = await call(name, input);
      if (runs === before) kept++;
      const { text: now } = await truth(name, input);
      if (text !== now) stale.push({ seed, round, which, name, input, text, now });
    }
  }
  return { stale, kept };
}

test.each([1, 2, 3, 4])("no result is older than the folder (seed %i)", async (seed) => {
  const { stale, kept } = await attack(seed);
  console.log(`seed ${seed}: ${kept} of ${ROUNDS * READS_EACH} calls were answered without running`);
  expect(stale).toEqual([]);
  // An attack on a cache that is never used proves nothing.
  expect(kept).toBeGreaterThan(ROUNDS / 4);
});
