/** Installs the locked packages that the repository's commands need; with `--build`, also builds. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OLDEST_NODE = [20, 19];

/** Runs a command in the root of the repository. If it fails, exits with its code. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit", ...options });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs vitest with a temporary folder of its own, so that the tests leave nothing. If it fails, exits with its code. */
export function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-"));
  // Some tests run programs as another user, who must get to their folders.
  chmodSync(folder, 0o755);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  run(process.execPath, [binPath("vitest"), "run", ...args], { env: { ...process.env, TMPDIR: folder } });
}

/** Runs the program of an installed package with this Node. */
function runBin(name, args) {
  run(process.execPath, [binPath(name), ...args]);
}

function binPath(name) {
  const { bin } = JSON.parse(readFileSync(`${ROOT}/node_modules/${name}/package.json`, "utf8"));
  const file = typeof bin === "string" ? bin : (bin[name] ?? bin.tsc);
  return `${ROOT}/node_modules/${name}/${file}`;
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(`Runahead needs Node ${OLDEST_NODE.join(".")} or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function isInstalled() {
  const installed = `${ROOT}/node_modules/.package-lock.json`;
  if (!existsSync(installed)) return false;
  return statSync(installed).mtimeMs >= statSync(`${ROOT}/package-lock.json`).mtimeMs;
}

export function install() {
  checkNode();
  if (isInstalled()) return;
  console.error("Installing packages …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  run(npm, ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { stdio: ["ignore", 2, 2] });
}

export function build() {
  install();
  runBin("typescript", [
    "-b",
    "packages/cli",
    "packages/adapters",
    "packages/postgres",
    "packages/fleet",
    "packages/code",
    "packages/testing",
  ]);
  run(process.execPath, ["scripts/bundle-cli.mjs"]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--build")) build();
  else install();
}
