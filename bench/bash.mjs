/**
 * What Bash adds to a command that prints 1 GB: its time against the same command redirected to a file, and how much
 * memory it takes. Alternating runs, medians. Started by run.mjs, or alone: `node bench/bash.mjs`.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamingToolExecutor } from "@runahead/engine";
import { shellTools } from "../packages/tools/dist/index.js";
import { answerOrPrint } from "./answer.mjs";

const RUNS = 5;
const BYTES = 1_000_000_000;
const COMMAND = `head -c ${BYTES} /dev/zero | tr '\\0' x`;
/** The limits. */
const MOST_RATIO = 3;
const MOST_MEMORY_BYTES = 200_000_000;

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

/** The plain command, redirected to a file. */
async function redirected(folder) {
  const path = join(folder, "redirected");
  const startMs = performance.now();
  const child = spawn("bash", ["-c", `${COMMAND} > ${path}`], { stdio: "ignore" });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  const ms = performance.now() - startMs;
  rmSync(path);
  if (code !== 0) throw new Error(`the command ended with ${code}`);
  return ms;
}

async function byBash(tools, folder) {
  const startMs = performance.now();
  const executor = new StreamingToolExecutor({ tools, context: { cwd: folder } });
  executor.add({ id: "call", name: "Bash", input: { command: COMMAND, timeout: 600_000 } });
  executor.end({ ok: true });
  let text = "";
  for await (const update of executor.remaining()) if (update.type === "result") text = update.result.content;
  const ms = performance.now() - startMs;
  if (!/\[… about .* left out\. The full output is in /.test(text)) throw new Error(text.slice(0, 200));
  rmSync(join(folder, "outputs"), { recursive: true });
  return ms;
}

/** The peak memory of the process while something runs. */
async function withMemory(action) {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const ms = await action();
  clearInterval(timer);
  return { ms, memoryBytes: most - before };
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "bench-bash-"));
  mkdirSync(join(folder, "outputs"));
  const { tools, close } = shellTools({
    root: folder,
    home: join(folder, "home"),
    outputFolder: join(folder, "outputs"),
    env: process.env,
  });
  const times = { redirected: [], bash: [] };
  let memoryBytes = 0;
  try {
    for (let run = 0; run < RUNS; run++) {
      times.redirected.push(await redirected(folder));
      const measured = await withMemory(() => byBash(tools, folder));
      times.bash.push(measured.ms);
      memoryBytes = Math.max(memoryBytes, measured.memoryBytes);
    }
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
  const [redirectedMs, bashMs] = [median(times.redirected), median(times.bash)];
  return { bytes: BYTES, redirectedMs, bashMs, ratio: bashMs / redirectedMs, memoryBytes };
}

function print({ bytes, redirectedMs, bashMs, ratio, memoryBytes }) {
  console.log(`${bytes / 1e9} GB redirected to a file: ${redirectedMs.toFixed(0)} ms`);
  console.log(
    `${bytes / 1e9} GB through Bash: ${bashMs.toFixed(0)} ms, ${ratio.toFixed(2)} × (most: ${MOST_RATIO} ×)`,
  );
  console.log(`memory: ${(memoryBytes / 1e6).toFixed(0)} MB (most: ${MOST_MEMORY_BYTES / 1e6} MB)`);
  if (ratio > MOST_RATIO || memoryBytes > MOST_MEMORY_BYTES) process.exitCode = 1;
}

await answerOrPrint(import.meta.url, measure, print);
