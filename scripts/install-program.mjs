/**
 * Programs that tests need beside Node. Installs those that are missing with apt-get if this is root on Linux, and says
 * how to install them otherwise: `node scripts/install-program.mjs NAME`.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** By the program's name: the package of Debian that has it. */
const PACKAGES = {
  bwrap: "bubblewrap",
  python3: "python3",
  git: "git",
  chromium: "chromium",
  openssl: "openssl",
  "redis-server": "redis-server",
};

/**
 * One after the other, before any test: two tests that install at the same time disturb each other. A program that
 * cannot be installed is reported here, and the tests that need it fail.
 */
export function installPrograms() {
  for (const program of Object.keys(PACKAGES)) {
    const problem = installProgram(program);
    if (problem !== undefined) console.error(problem);
  }
}

const isInstalled = (program) => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;

/** What a person has to do, or undefined if it is installed. */
function installProgram(program) {
  if (isInstalled(program)) return undefined;
  const args = ["install", "-y", "--no-install-recommends", PACKAGES[program]];
  if (process.platform === "linux" && process.getuid?.() === 0) {
    const options = { stdio: ["ignore", 2, 2], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    const { status } = spawnSync("apt-get", args, options);
    // A machine that has never looked does not know where packages are.
    if (status !== 0) {
      spawnSync("apt-get", ["update"], options);
      spawnSync("apt-get", args, options);
    }
  }
  return isInstalled(program)
    ? undefined
    : `${program} is missing. Run: sudo apt-get install -y ${PACKAGES[program]}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = installProgram(process.argv[2]);
  if (problem !== undefined) {
    console.error(problem);
    process.exit(1);
  }
}
