/**
 * Grep and Glob against calling `rg` directly, on a tree of 50,000 files. Run alone: `node bench/search.mjs` (after
 * `npm run build`); or started by run.mjs, like memory.mjs.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamingToolExecutor } from "@runahead/engine";
import { rgPath } from "@vscode/ripgrep";
import { fileTools } from "../packages/tools/dist/index.js";
import { answerOrPrint } from "./answer.mjs";

const FILES = 50_000;
const FILES_PER_FOLDER = 50;
const RUNS = 9;
const tools = fileTools();
/** The same files for both: with hidden files, without version control folders. */
const SAME = ["--no-config", "--hidden", "--no-require-git", "--glob=!.git"];

const SEARCHES = [
  {
    name: "grep-files",
    call: { name: "Grep", input: { pattern: "needle_\\d+" } },
    args: ["-l", "-e", "needle_\\d+", "./"],
  },
  {
    name: "grep-content",
    call: { name: "Grep", input: { pattern: "common word", output_mode: "content" } },
    args: ["-n", "-e", "common word", "./"],
  },
  {
    name: "glob",
    call: { name: "Glob", input: { pattern: "**/*.ts" } },
    // By type and not by `--glob`, which would skip ripgrep's check for ignored files.
    args: ["--files", "--type=ts"],
  },
];

function makeTree() {
  const root = mkdtempSync(join(tmpdir(), "runahead-search-"));
  const text = "export function something(value) {\n  return value + 1; // a line of text\n}\n".repeat(20);
  for (let at = 0; at < FILES; at++) {
    const number = Math.floor(at / FILES_PER_FOLDER);
    const folder = join(root, `part${number % 20}`, `folder${number}`);
    if (at % FILES_PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    const found = at % 500 === 0 ? `needle_${at}\n` : at % 50 === 0 ? "a common word\n" : "";
    writeFileSync(join(folder, `file${at}.${at % 4 === 0 ? "js" : "ts"}`), text + found);
  }
  return root;
}

/** Reads the output, as any caller would. */
function direct(args, cwd) {
  return new Promise((done, fail) => {
    const child = spawn(rgPath, [...SAME, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.once("error", fail);
    child.once("close", () => done(Buffer.concat(parts).toString()));
  });
}

async function byTool(call, cwd) {
  const executor = new StreamingToolExecutor({ tools, context: { cwd } });
  executor.add({ id: "1", ...call });
  for await (const update of executor.remaining())
    if (update.type === "result") {
      if (update.result.is_error) throw new Error(update.result.content);
      return update.result.content;
    }
}

async function timed(job) {
  const startMs = performance.now();
  const result = await job();
  return { ms: performance.now() - startMs, result };
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

/** Alternates the runs, so that other load on the machine affects both. */
async function compare({ name, call, args }, cwd) {
  const ours = [];
  const theirs = [];
  for (let run = -1; run < RUNS; run++) {
    const tool = await timed(() => byTool(call, cwd));
    const rg = await timed(() => direct(args, cwd));
    if (tool.result === "" || rg.result === "") throw new Error(`${name} found nothing`);
    // The first round fills the cache.
    if (run < 0) continue;
    ours.push(tool.ms);
    theirs.push(rg.ms);
  }
  const toolMs = median(ours);
  const rgMs = median(theirs);
  return { name, toolMs, rgMs, ratio: toolMs / rgMs };
}

async function measure() {
  const root = makeTree();
  try {
    const searches = [];
    for (const search of SEARCHES) searches.push(await compare(search, root));
    return { files: FILES, runs: RUNS, searches };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function print({ searches }) {
  for (const { name, toolMs, rgMs, ratio } of searches)
    console.log(
      `${name}: ${toolMs.toFixed(1)} ms, rg ${rgMs.toFixed(1)} ms, ${ratio.toFixed(3)} × (at most 1.15 ×)`,
    );
  if (searches.some(({ ratio }) => ratio > 1.15)) process.exitCode = 1;
}

await answerOrPrint(import.meta.url, measure, print);
