/** Chromium, for tests of pages: does nothing where it is, installs it where that is ours to do, else says how. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND = ["apt-get", "install", "-y", "chromium"];

/** The program's name, as Debian has it. */
export const CHROMIUM = "/usr/bin/chromium";

const isInstalled = () => spawnSync(CHROMIUM, ["--version"], { stdio: "ignore" }).status === 0;

/** What a person has to do, or undefined where it is installed. */
export function installChromium() {
  if (isInstalled()) return undefined;
  const [program, ...args] = COMMAND;
  if (process.platform === "linux" && process.getuid?.() === 0) {
    const options = { stdio: ["ignore", 2, 2], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    const { status } = spawnSync(program, args, options);
    // A machine that has never looked does not know where packages are.
    if (status !== 0) {
      spawnSync(program, ["update"], options);
      spawnSync(program, args, options);
    }
  }
  return isInstalled() ? undefined : `chromium is missing. Run: sudo ${COMMAND.join(" ")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = installChromium();
  if (problem !== undefined) {
    console.error(problem);
    process.exit(1);
  }
}
