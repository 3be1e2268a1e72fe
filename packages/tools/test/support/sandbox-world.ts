/** Shell worlds whose commands run in a real sandbox. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ShellToolsOptions } from "../../src/shell/bash-tools.ts";
import { type ShellWorld, makeWorld as makeShellWorld } from "./shell-world.ts";

export { nothingLeft } from "./shell-world.ts";

/** Without bubblewrap these tests fail, and say what to run. */
export function requireBubblewrap(): void {
  const script = fileURLToPath(new URL("../../../../scripts/install-program.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, "bwrap"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
}

export function makeWorld(options: Partial<ShellToolsOptions> = {}): Promise<ShellWorld> {
  return makeShellWorld({ sandbox: true, ...options });
}
