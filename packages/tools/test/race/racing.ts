/** Calls of the file tools, judged as in a session, while another process exchanges what they work on with links. */

import { dirname, join } from "node:path";
import { type AnyTool, type CanUseTool, runTools } from "@runahead/engine";
import { expect } from "vitest";
import { createPermissionGate } from "../../../agent/src/gate/gate.ts";
import { judgeOf } from "../../../agent/src/loop/options.ts";
import { scripted } from "../../../agent/src/model/scripted.ts";
import { createFileMemory } from "../../src/files/file-memory.ts";
import { fileTools } from "../../src/files/file-tools.ts";
import { MARK, RaceWorld } from "./world.ts";

interface RaceReport {
  readonly calls: number;
  /** By tool. */
  readonly succeeded: Readonly<Record<string, number>>;
  /** Calls that their tool stopped, or results that it left out, because a path had moved. */
  readonly moved: number;
  /** Forbidden bytes that were shown, and forbidden files that were changed. */
  readonly problems: readonly string[];
}

const CALLS_PER_ROUND = 10;
/** New files pile up, so after this many rounds a new world is made. */
const ROUNDS_PER_WORLD = 200;

export async function expectNothingForbidden(rounds: number): Promise<void> {
  const { calls, succeeded, moved, problems } = await raceFileTools(rounds);
  expect(problems).toEqual([]);
  expect(calls).toBe(rounds * CALLS_PER_ROUND);
  expect(Object.keys(succeeded).sort()).toEqual(["Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"]);
  expect(moved).toBeGreaterThan(0);
}

async function raceFileTools(rounds: number): Promise<RaceReport> {
  const report = { calls: 0, succeeded: {} as Record<string, number>, moved: 0, problems: [] as string[] };
  for (let left = rounds; left > 0; left -= ROUNDS_PER_WORLD) {
    const world = new RaceWorld();
    try {
      await world.racing(() => makeCalls(world, Math.min(left, ROUNDS_PER_WORLD), report));
      report.problems.push(...world.changes());
    } finally {
      world.remove();
    }
  }
  return report;
}

interface Counts {
  calls: number;
  readonly succeeded: Record<string, number>;
  moved: number;
  readonly problems: string[];
}

async function makeCalls({ work: cwd }: RaceWorld, rounds: number, counts: Counts): Promise<void> {
  const options = judgedTools(cwd);
  for (let round = 0; round < rounds; round++) {
    const calls = callsOf(round).map(([name, input], at) => ({ id: String(at), name, input }));
    for await (const update of runTools(calls, { ...options, context: { cwd } })) {
      if (update.type !== "result") continue;
      const { tool_use_id, content, is_error } = update.result;
      const { name, input } = calls[Number(tool_use_id)] as (typeof calls)[number];
      const text = JSON.stringify(content);
      counts.calls++;
      if (!is_error) counts.succeeded[name] = (counts.succeeded[name] ?? 0) + 1;
      if (/ moved while it was | and led to |left out: the files changed/.test(text)) counts.moved++;
      if (text.includes(MARK)) counts.problems.push(`shown: ${name} ${JSON.stringify(input)}: ${text}`);
    }
  }
}

function judgedTools(cwd: string): { tools: AnyTool[]; canUseTool: CanUseTool } {
  const sources = [{ name: "test", root: cwd, deny: ["Read(./denied/**)"] }];
  const permissions = createPermissionGate({ settings: { mode: "acceptEdits", sources }, cwd });
  const mayShow = (path: string): boolean => permissions.permissions.mayShow(path);
  const tools = fileTools(createFileMemory(), { mayShow });
  return { tools, canUseTool: judgeOf({ permissions, tools, model: scripted([]) }) as CanUseTool };
}

const FILES = ["a.txt", "mid/a.txt", "mid/deep/a.txt"];
const NOTEBOOKS = ["a.ipynb", "mid/a.ipynb"];
const MODES = ["content", "content", "files_with_matches", "count"];
/** Near enough to the name of a forbidden file that it would be suggested. */
const NEARLY = `x${MARK.slice(0, -1)}.tx`;

/** One round: each use of a file, on each depth and each forbidden place in turn. */
function callsOf(round: number): (readonly [name: string, input: object])[] {
  const top = round % 2 === 0 ? "one" : "two";
  const file_path = join(top, FILES[round % 3] as string);
  const notebook_path = join(top, NOTEBOOKS[round % 4 < 2 ? 0 : 1] as string);
  const folder = dirname(file_path);
  const path = [".", folder, file_path][round % 5] ?? ".";
  const output_mode = MODES[round % 4];
  return [
    ["Read", { file_path }],
    ["Read", { file_path: notebook_path }],
    ["Read", { file_path: join(folder, NEARLY) }],
    ["Write", { file_path, content: `inside ${round}\nneedle inside\n` }],
    ["Write", { file_path: join(folder, `new-${round % 7}/deep/${round}.txt`), content: "inside" }],
    ["Edit", { file_path, old_string: "needle", new_string: "needle needle", replace_all: true }],
    ["NotebookEdit", { notebook_path, cell_id: "first", new_source: `inside ${round}` }],
    ["Grep", { pattern: "needle|inside|secret", path, output_mode, "-C": round % 2 }],
    ["Grep", { pattern: "secret", path: ".", output_mode }],
    ["Glob", { pattern: "**/*", path: round % 3 === 0 ? "." : folder }],
  ];
}
