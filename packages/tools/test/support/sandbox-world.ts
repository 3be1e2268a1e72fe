/** Shell worlds whose commands run in a real sandbox. */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { ShellToolsOptions } from "../../src/shell/bash-tools.ts";
import { ShellWorld } from "./shell-world.ts";

const worlds: ShellWorld[] = [];

/** Without bubblewrap these tests fail, and say what to run. */
export function requireBubblewrap(): void {
  const script = fileURLToPath(new URL("../../../../scripts/install-bubblewrap.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.trim());
}

export async function makeWorld(options: Partial<ShellToolsOptions> = {}): Promise<ShellWorld> {
  const world = await ShellWorld.make({ sandbox: true, ...options });
  worlds.push(world);
  return world;
}

/** After each test nothing that it started lives. */
export async function nothingLeft(): Promise<void> {
  for (const world of worlds.splice(0)) {
    await world.shell.close();
    expect(world.living()).toEqual([]);
    await world.close();
  }
}
