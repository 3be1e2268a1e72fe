/** Calls of the file tools while another process exchanges what they work on with links that lead outside. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runTools } from "@runahead/engine";
import { PermissionGate } from "../../src/loop/gate.ts";
import { judgeOf } from "../../src/loop/options.ts";
import { scripted } from "../../src/model/scripted.ts";
import { FileMemory } from "../../src/tools/file-memory.ts";
import { fileTools } from "../../src/tools/file-tools.ts";

/** In every outside file, and in the names of those that have no counterpart in the workspace. */
const MARK = "outside7secret";
const NOTEBOOK = (source: string): string =>
  JSON.stringify({
    cells: [{ cell_type: "markdown", id: "first", metadata: {}, source }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

export interface RaceReport {
  readonly calls: number;
  readonly succeeded: number;
  /** Calls that ended with an error, most often because what they work on was outside at the time of the verdict. */
  readonly refused: number;
  /** Calls that the tool itself stopped because a path moved. */
  readonly moved: number;
  readonly problems: readonly string[];
}

/** A workspace beside a folder that must not be read or written. */
class World {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-race-")));
  readonly work = join(this.root, "work");
  readonly outside = join(this.root, "outside");

  constructor() {
    this.#fill(this.work, "inside text\nneedle inside\n", "inside");
    this.#fill(this.outside, `${MARK}\nneedle ${MARK}\n`, MARK);
    this.#write(join(this.outside, `dir/${MARK}.txt`), `needle ${MARK}\n`);
    this.#write(join(this.outside, `dir/mid/${MARK}.txt`), `needle ${MARK}\n`);
    this.#write(join(this.outside, "dir/.gitignore"), `[${MARK}\n`);
    symlinkSync(join(this.outside, "dir"), join(this.work, "dir-link"));
    symlinkSync(join(this.outside, "dir/mid"), join(this.work, "dir/mid-link"));
    for (const name of ["a.txt", "a.ipynb"])
      symlinkSync(join(this.outside, "dir/mid", name), join(this.work, "dir/mid", `${name}-link`));
  }

  /** What the racer exchanges: a folder, one in the middle of a path, and files. */
  get pairs(): string[] {
    const mid = join(this.work, "dir/mid");
    return [
      ...[this.work, "dir", "dir-link"],
      ...[join(this.work, "dir"), "mid", "mid-link"],
      ...[mid, "a.txt", "a.txt-link"],
      ...[mid, "a.ipynb", "a.ipynb-link"],
    ];
  }

  #fill(folder: string, text: string, source: string): void {
    for (const name of ["dir/a.txt", "dir/mid/a.txt", "dir/mid/deep/a.txt"])
      this.#write(join(folder, name), text);
    for (const name of ["dir/a.ipynb", "dir/mid/a.ipynb"])
      this.#write(join(folder, name), NOTEBOOK(source));
  }

  #write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Names, contents and times: a write that was undone shows, too. */
  outsideState(): string[] {
    return readdirSync(this.outside, { recursive: true })
      .map(String)
      .sort()
      .map((name) => {
        const path = join(this.outside, name);
        const { mtimeMs, ctimeMs, ino } = lstatSync(path);
        const content = lstatSync(path).isFile() ? readFileSync(path, "utf8") : "";
        return [name, mtimeMs, ctimeMs, ino, content].join(" ");
      });
  }
}

type Call = readonly [name: string, input: object];

const FILES = ["dir/a.txt", "dir/mid/a.txt", "dir/mid/deep/a.txt"];
const NOTEBOOKS = ["dir/a.ipynb", "dir/mid/a.ipynb"];

/** The calls of one round: each kind of use, on each depth in turn. */
function callsOf(round: number): Call[] {
  const file_path = FILES[round % FILES.length] as string;
  const notebook_path = NOTEBOOKS[round % NOTEBOOKS.length] as string;
  const folder = dirname(file_path);
  const path = [".", folder, file_path][round % 3] as string;
  const output_mode = ["content", "content", "files_with_matches", "count"][round % 4] as string;
  return [
    ["Read", { file_path }],
    ["Read", { file_path: round % 2 === 0 ? notebook_path : join(folder, `x${MARK.slice(0, -1)}.tx`) }],
    ["Write", { file_path, content: `inside ${round}\nneedle inside\n` }],
    ["Write", { file_path: join(folder, `new-${round % 5}/deep/${round}.txt`), content: "inside" }],
    ["Edit", { file_path, old_string: "inside", new_string: "inside", replace_all: true }],
    ["Edit", { file_path, old_string: "needle", new_string: `needle${round}`, replace_all: true }],
    ["NotebookEdit", { notebook_path, cell_id: "first", new_source: `inside ${round}` }],
    ["Grep", { pattern: "needle|inside|outside", path, output_mode, "-C": round % 2 }],
    ["Glob", { pattern: "**/*", path: round % 2 === 0 ? "." : folder }],
  ];
}

export async function raceFileTools(rounds: number): Promise<RaceReport> {
  const world = new World();
  const before = world.outsideState();
  const racer = await startRacer(world);
  try {
    const report = await makeCalls(world, rounds);
    await stop(racer);
    const changed = world.outsideState().filter((line) => !before.includes(line));
    const problems = [...report.problems, ...changed.map((line) => `changed outside: ${line}`)];
    return { ...report, problems };
  } finally {
    await stop(racer);
    rmSync(world.root, { recursive: true, force: true });
  }
}

async function startRacer({ pairs }: World): Promise<ChildProcess> {
  const script = fileURLToPath(new URL("racer.py", import.meta.url));
  const racer = spawn("python3", [script, ...pairs], { stdio: ["pipe", "pipe", "inherit"] });
  await once(racer.stdout, "data");
  return racer;
}

async function stop(racer: ChildProcess): Promise<void> {
  if (racer.exitCode !== null || racer.signalCode !== null) return;
  const ended = once(racer, "close");
  racer.kill("SIGKILL");
  await ended;
}

async function makeCalls({ work: cwd }: World, rounds: number): Promise<RaceReport> {
  const permissions = new PermissionGate({ settings: { mode: "acceptEdits", sources: [] }, cwd });
  const canUseTool = judgeOf({ permissions, tools: [], model: scripted([]) });
  const mayShow = (path: string): boolean => permissions.permissions.mayShow(path);
  const tools = fileTools(new FileMemory(), { mayShow });
  const problems: string[] = [];
  const counts = { calls: 0, succeeded: 0, refused: 0, moved: 0 };
  for (let round = 0; round < rounds; round++) {
    const calls = callsOf(round).map(([name, input], at) => ({ id: `${round}-${at}`, name, input }));
    const options = { tools, context: { cwd }, ...(canUseTool === undefined ? {} : { canUseTool }) };
    for await (const update of runTools(calls, options)) {
      if (update.type !== "result") continue;
      const text = JSON.stringify(update.result.content);
      counts.calls++;
      counts[update.result.is_error ? "refused" : "succeeded"]++;
      if (/ moved while |led to|changed meanwhile|was replaced/.test(text)) counts.moved++;
      if (text.includes(MARK)) problems.push(`${JSON.stringify(calls[Number(update.result.tool_use_id.split("-")[1])])}: ${text}`);
    }
  }
  return { ...counts, problems };
}
