/** The processes of the benchmark: the server and one child per measurement. None outlives run.mjs. */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const running = new Set();

/** Turns off telemetry and tracing, so that only the loop is measured and nothing leaves the machine. */
const QUIET = {
  AI_SDK_LOG_WARNINGS: "false",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  MASTRA_TELEMETRY_DISABLED: "1",
  NODE_ENV: "production",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
};

/** Starts a module of this folder. Its output is dropped, except for the end, which is kept for an error. */
function start(file, { execPath = process.execPath, execArgv = [] } = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    execPath,
    execArgv,
    env: { ...process.env, ...QUIET },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  child.lastWords = "";
  child.stderr.on("data", (data) => {
    child.lastWords = (child.lastWords + data).slice(-2000);
  });
  return track(child);
}

/** Adds a process to those that `killAll` kills. */
export function track(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

export function killAll() {
  for (const child of running) child.kill("SIGKILL");
}

export async function startServer() {
  const server = start("./server.mjs");
  const { port } = await new Promise((resolve, reject) => {
    server.once("message", resolve);
    server.once("exit", () => reject(new Error(`the server did not start: ${server.lastWords}`)));
  });
  // Without the server, all later runs would fail.
  const onDeath = (code, signal) => {
    console.error(`the server is gone (${signal ?? code}): ${server.lastWords}`);
    process.exit(1);
  };
  server.once("exit", onDeath);
  const stop = () => server.off("exit", onDeath).kill("SIGKILL");
  return { origin: `http://127.0.0.1:${port}`, stop };
}

/** Finds the error message in the output of a Node process that died. */
function complaintIn(words) {
  return /^.*(?:Error|FATAL).*$/m.exec(words)?.[0] ?? (words.trim() || "it died without a word");
}

/**
 * Runs a job in a child process and collects its runs. A child that sends nothing for `limitMs` is killed; its finished
 * runs count.
 */
export function runChild(file, job, { execPath, execArgv, limitMs }) {
  return new Promise((resolve) => {
    const child = start(file, { execPath, execArgv });
    const outcome = { runs: [] };
    let timer;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        outcome.error = `> ${limitMs / 1000} s`;
        child.kill("SIGKILL");
      }, limitMs);
    };
    child.on("message", ({ run, error, finished }) => {
      watch();
      if (run !== undefined) outcome.runs.push(run);
      if (error !== undefined) outcome.error = error;
      if (finished === true) outcome.finished = true;
    });
    child.once("exit", () => {
      clearTimeout(timer);
      if (!outcome.finished) outcome.error ??= complaintIn(child.lastWords);
      resolve(outcome);
    });
    watch();
    child.send(job);
  });
}
