/**
 * Installs programs that tests need, with apt-get if run as root on Linux; otherwise prints how to install them:
 * `node scripts/install-program.mjs [NAME]`, by default all that `npm test` and the code of the docs need.
 */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The Debian package of each program. */
const PACKAGES = {
  bwrap: "bubblewrap",
  python3: "python3",
  git: "git",
  chromium: "chromium",
  openssl: "openssl",
  "redis-server": "redis-server",
  postgres: "postgresql",
};

/** Those that only the long tests need: language servers, a terminal and a keyring. */
const LONG_PACKAGES = {
  clangd: "clangd",
  "dbus-daemon": "dbus",
  "gnome-keyring-daemon": "gnome-keyring",
  go: "golang-go",
  gopls: "gopls",
  "rust-analyzer": "rust-analyzer",
  "secret-tool": "libsecret-tools",
  tmux: "tmux",
};

/** Programs that do not know `--version`. */
const VERSION = { go: "version", gopls: "version", openssl: "version", tmux: "-V" };

/** It knows no such option at all, and ends with 2. */
const USAGE_ERROR = { "secret-tool": 2 };

/** Debian installs the programs of Postgres beside the PATH, one folder for each version. */
const POSTGRES = "/usr/lib/postgresql";

/**
 * Installs them one after the other before any test, because parallel installations fail. If a program cannot be installed,
 * a message says so, and the tests that need it fail.
 */
export function installPrograms({ isLong = false } = {}) {
  const programs = { ...PACKAGES, ...(isLong ? LONG_PACKAGES : {}) };
  for (const program of Object.keys(programs)) {
    const problem = installProgram(program);
    if (problem !== undefined) console.error(problem);
  }
}

const isInstalled = (program) =>
  spawnSync(program, [VERSION[program] ?? "--version"], { stdio: "ignore" }).status ===
    (USAGE_ERROR[program] ?? 0) ||
  (program === "postgres" && existsSync(POSTGRES));

/** Returns what to do by hand; undefined if the program is installed. */
function installProgram(program) {
  if (isInstalled(program)) return undefined;
  const name = PACKAGES[program] ?? LONG_PACKAGES[program];
  const args = ["install", "-y", "--no-install-recommends", name];
  if (process.platform === "linux" && process.getuid?.() === 0) {
    const options = { stdio: ["ignore", 2, 2], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    const { status } = spawnSync("apt-get", args, options);
    // On a fresh machine the package lists are missing.
    if (status !== 0) {
      spawnSync("apt-get", ["update"], options);
      spawnSync("apt-get", args, options);
    }
  }
  return isInstalled(program) ? undefined : `${program} is missing. Run: sudo apt-get install -y ${name}`;
}

function main(name) {
  if (name === undefined) return installPrograms();
  const problem = installProgram(name);
  if (problem === undefined) return;
  console.error(problem);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv[2]);
