/** A shell world under a judge that calls every command a read, the worst that a wrong table of commands can do. */

import type { CanUseTool } from "@runahead/engine";
import { judgeOf } from "../../../agent/src/loop/options.ts";
import type { Confinement } from "../../../permissions/src/verdict/clearance.ts";
import type { ShellToolsOptions } from "../../src/shell/bash-tools.ts";
import { makeWorld } from "./sandbox-world.ts";
import type { ShellWorld } from "./shell-world.ts";

const NOTHING_HIDDEN: Confinement = { hidden: () => [] };

export async function makeReadingWorld(
  options: Partial<ShellToolsOptions> = {},
  confinement: Confinement = NOTHING_HIDDEN,
): Promise<ShellWorld> {
  const world = await makeWorld({ sandbox: false, isReadOnlyCommand: () => true, ...options });
  world.canUseTool = judgeOf({
    permissions: { decide: () => ({ behavior: "allow", confinement }) },
  } as unknown as Parameters<typeof judgeOf>[0]) as CanUseTool;
  return world;
}
