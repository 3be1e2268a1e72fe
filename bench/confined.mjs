/**
 * Measures the cost of the read-only sandbox: `git status` through Bash in the sandbox against the same command spawned
 * directly. Alternating runs. Started by agent.mjs, or alone:
 * `node bench/confined.mjs`.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamingToolExecutor } from "@runahead/engine";
import { judgeOf } from "../packages/agent/dist/loop/options.js";
import { shellTools } from "../packages/tools/dist/index.js";
import { answerOrPrint } from "./answer.mjs";

const RUNS = 100;
const WARM_UP = 10;
const FILES = 200;
const COMMAND = "git status --short --branch";
/** The limit. */
const MOST_RATIO = 4;

/** The 10th percentile, because other load slows down the side that starts more processes. */
const typical = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 10)];

function makeProject(folder) {
  mkdirSync(folder);
  for (let at = 0; at < FILES; at++) writeFileSync(join(folder, `file-${at}.txt`), `${at}\n`);
  const as = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    [...as, "commit", "-qm", "all"],
  ])
    if (spawnSync("git", args, { cwd: folder }).status !== 0) throw new Error(`git ${args[0]} failed`);
}

/** Spawned directly, without a sandbox. */
function bare(cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn("bash", ["-c", COMMAND], { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    child.stdout.on("data", (piece) => (text += piece));
    child.once("error", reject);
    child.once("close", () => resolve(text.trim()));
  });
}

const canUseTool = judgeOf({
  permissions: { decide: () => ({ behavior: "allow", confinement: { hidden: () => [] } }) },
});

async function confined(tools, cwd) {
  const executor = new StreamingToolExecutor({ tools, context: { cwd }, canUseTool });
  executor.add({ id: "call", name: "Bash", input: { command: COMMAND } });
  executor.end({ ok: true });
  let text = "";
  for await (const update of executor.remaining()) if (update.type === "result") text = update.result.content;
  return text;
}

async function timed(action) {
  const startMs = performance.now();
  const text = await action();
  const ms = performance.now() - startMs;
  if (!text.startsWith("## ")) throw new Error(text.slice(0, 200));
  return ms;
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "bench-confined-"));
  const project = join(folder, "project");
  makeProject(project);
  const { tools, close } = shellTools({
    root: project,
    home: join(folder, "home"),
    outputFolder: join(folder, "outputs"),
    env: process.env,
    isReadOnlyCommand: () => true,
  });
  const times = { bare: [], confined: [] };
  try {
    for (let run = -WARM_UP; run < RUNS; run++) {
      const bareMs = await timed(() => bare(project));
      const confinedMs = await timed(() => confined(tools, project));
      if (run < 0) continue;
      times.bare.push(bareMs);
      times.confined.push(confinedMs);
    }
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
  const [bareMs, confinedMs] = [typical(times.bare), typical(times.confined)];
  return { bareMs, confinedMs, ratio: confinedMs / bareMs };
}

function print({ bareMs, confinedMs, ratio }) {
  console.log(`a command that reads, spawned: ${bareMs.toFixed(1)} ms`);
  console.log(
    `through Bash in the read-only sandbox: ${confinedMs.toFixed(1)} ms, ${ratio.toFixed(2)} × (most: ${MOST_RATIO} ×)`,
  );
  if (ratio > MOST_RATIO) process.exitCode = 1;
}

await answerOrPrint(import.meta.url, measure, print);
