/** Executors side by side on real files and real processes: mixes of reads, edits and commands from a seed. */

import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { createLocks } from "../../src/runtime/locks.ts";
import { StreamingToolExecutor } from "../../src/runtime/engine.ts";
import { type AnyTool, defineTool } from "../../src/runtime/tool.ts";
import { Random } from "../simulation/random.ts";

const run = promisify(execFile);
const EXECUTORS = 8;
const CALLS = 40;
const FILES = 5;
/** So many of the calls start a process. */
const COMMANDS = 0.1;

/** What each file must count, and what it does. */
export interface Counted {
  readonly expected: readonly number[];
  readonly found: readonly number[];
  /** Lines of the log that are missing or there twice. */
  readonly wrongLines: readonly string[];
  readonly failed: readonly string[];
}

const schema = z.object({ path: z.string(), line: z.string() });

/** Each reads, lets others run, and writes what it has read, changed: what comes in between would be lost. */
function toolsIn(): AnyTool[] {
  const edit = defineTool({
    name: "Edit",
    description: "Adds one to the number in a file.",
    inputSchema: schema,
    access: ({ path }) => [{ mode: "write", place: `fs:${path}` }],
    call: async ({ path }) => writeFile(path, `${Number(await readFile(path, "utf8")) + 1}`),
  });
  const append = defineTool({
    name: "Append",
    description: "Adds a line to a file.",
    inputSchema: schema,
    access: ({ path }) => [{ mode: "write", place: `fs:${path}` }],
    call: async ({ path, line }) => writeFile(path, `${await readFile(path, "utf8")}${line}\n`),
  });
  const read = defineTool({
    name: "Read",
    description: "Reads a number from a file.",
    inputSchema: schema,
    isReadOnly: () => true,
    access: ({ path }) => [{ mode: "read", place: `fs:${path}` }],
    call: async ({ path }) => {
      const text = await readFile(path, "utf8");
      if (!/^\d+$/.test(text)) throw new Error(`half a write was read: ${text}`);
      return text;
    },
  });
  // It declares nothing, so it writes everything.
  const bash = defineTool({
    name: "Bash",
    description: "Adds one to the number in a file.",
    inputSchema: schema,
    call: async ({ path }) => {
      await run("bash", ["-c", 'n=$(cat "$1"); sleep 0.002; printf %s $((n + 1)) > "$1"', "-", path]);
    },
  });
  return [edit, append, read, bash] as AnyTool[];
}

export async function runMix(seed: number): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), "runahead-mix-"));
  try {
    return await mix(new Random(seed), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function mix(random: Random, folder: string): Promise<Counted> {
  const counters = Array.from({ length: FILES }, (_, at) => join(folder, `counter-${at}`));
  const log = join(folder, "log");
  for (const path of counters) writeFileSync(path, "0");
  writeFileSync(log, "");
  const locks = createLocks({ maxConcurrency: 1 + random.below(10) });
  const tools = toolsIn();
  const expected = counters.map(() => 0);
  const lines: string[] = [];
  const failed: string[] = [];
  const work = async (owner: number): Promise<void> => {
    const executor = new StreamingToolExecutor({ tools, locks, owner: `agent-${owner}` });
    for (let at = 0; at < CALLS; at++) {
      const file = random.below(FILES);
      const id = `${owner}-${at}`;
      const name = random.chance(COMMANDS) ? "Bash" : random.pick(["Edit", "Edit", "Append", "Read"]);
      if (name === "Edit" || name === "Bash") expected[file] = (expected[file] as number) + 1;
      if (name === "Append") lines.push(id);
      const path = name === "Append" ? log : (counters[file] as string);
      executor.add({ id, name, input: { path, line: id } });
      if (random.chance(0.1)) await new Promise(setImmediate);
    }
    for await (const update of executor.remaining())
      if (update.type === "result" && update.outcome.type !== "succeeded")
        failed.push(`${update.callId}: ${JSON.stringify(update.result.content)}`);
  };
  await Promise.all(Array.from({ length: EXECUTORS }, (_, owner) => work(owner)));
  const found = counters.map((path) => Number(readFileSync(path, "utf8")));
  const written = readFileSync(log, "utf8").trim().split("\n").toSorted().join();
  return { expected, found, wrongLines: written === lines.toSorted().join() ? [] : [written], failed };
}
