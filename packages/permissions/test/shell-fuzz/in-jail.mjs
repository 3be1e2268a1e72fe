/** Runs inside the jail: each command in a fresh home, with all that it ran and changed written to standard output. */

import { spawnSync } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";

const LIMIT_MS = 1_000;
const LATE_MS = 300;
const MAX_OUTPUT = 20_000;
const WATCHED = ["/home/u", "/tmp"];
const ENVIRONMENT = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/u",
  LANG: "C",
  TERM: "dumb",
  GIT_CONFIG_NOSYSTEM: "1",
};
const NOT_FOUND =
  '() { builtin printf "%s\\0" "$(($# - 1))" 0 "$1" "$PWD" "${@:2}" >>"/log/missing$BASHPID"; return 127; }';

// Killing everybody is right only where everybody is in the jail.
if (process.pid > 9 || !readFileSync("/proc/1/cmdline", "latin1").includes("bwrap"))
  throw new Error("This is to run in the jail only.");

let before = fresh();
for (const command of JSON.parse(readFileSync(0, "utf8"))) {
  for (const name of readdirSync("/log")) rmSync(join("/log", name));
  // As the tool runs it.
  const { stdout, error } = spawnSync("/jail/bash", ["-c", 'eval "shift; $1"', "bash", command], {
    cwd: "/home/u/proj",
    env: { ...ENVIRONMENT, "BASH_FUNC_command_not_found_handle%%": NOT_FOUND },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: 1_000_000,
  });
  await endAll();
  const after = snapshot();
  const changed = difference(before, after);
  const output = (stdout ?? "").toString("latin1").slice(0, MAX_OUTPUT);
  process.stdout.write(
    `${JSON.stringify({ ran: logged(), changed, output, isCut: error?.code === "ETIMEDOUT" })}\n`,
  );
  before = changed.length > 0 ? fresh() : before;
}

/** What is left in the background may still write: it is waited for, and then ended. */
async function endAll() {
  const others = () =>
    readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && Number(name) > 1 && Number(name) !== process.pid,
    );
  for (let waited = 0; waited < LATE_MS && others().length > 0; waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  if (others().length === 0) return;
  try {
    process.kill(-1, "SIGKILL");
  } catch {
    // Nobody was left.
  }
}

function fresh() {
  for (const folder of WATCHED)
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  cpSync("/jail/home", "/home/u", { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  mkdirSync("/tmp", { recursive: true });
  return snapshot();
}

function snapshot() {
  const found = new Map();
  const visit = (path) => {
    const stats = lstatSync(path);
    found.set(path, `${stats.mode.toString(8)} ${contentOf(path, stats)}`);
    if (stats.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  WATCHED.forEach(visit);
  return found;
}

function contentOf(path, stats) {
  if (stats.isSymbolicLink()) return readlinkSync(path);
  // Objects of git are named by their content.
  if (!stats.isFile() || path.includes("/.git/objects/")) return "";
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "not to be read";
  }
}

function difference(one, other) {
  const changed = [];
  for (const [path, state] of one)
    if (!other.has(path)) changed.push({ path, how: "removed" });
    else if (other.get(path) !== state) changed.push({ path, how: "changed" });
  for (const path of other.keys()) if (!one.has(path)) changed.push({ path, how: "made" });
  return changed;
}

/** Each record: how many arguments, how many variables, the program, its folder, then the arguments and variables. */
function logged() {
  return readdirSync("/log").flatMap((name) => {
    const fields = readFileSync(join("/log", name), "utf8").split("\0");
    const ran = [];
    for (let at = 0; at + 3 < fields.length; ) {
      const [args, variables] = [Number(fields[at]), Number(fields[at + 1])];
      const start = at + 4;
      ran.push({
        program: fields[at + 2],
        folder: fields[at + 3],
        args: fields.slice(start, start + args),
        environment: fields.slice(start + args, start + args + variables),
      });
      at = start + args + variables;
    }
    return ran;
  });
}
