/** Makes what decides about the calls of a coding agent. */

import {
  type HookRunner,
  type Model,
  type PermissionGate,
  autoJudge,
  createPermissionGate,
} from "@runahead/agent";
import { shapeOf, stringOf } from "@runahead/base";
import type { McpConnections } from "@runahead/mcp";
import type { ShellTools } from "@runahead/tools";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { saveRule } from "../../settings/save.ts";
import type { Around } from "../around.ts";
import { autoPolicy } from "./auto-policy.ts";
import { askingPerson } from "./asking-person.ts";
import type { RunsOutside } from "./excluded-commands.ts";
import type { Plans } from "./plans.ts";
import { isSandboxed } from "./sandbox.ts";

export interface GateParts extends Around {
  readonly settings: LoadedSettings;
  readonly approvals: Pick<
    McpConnections,
    "changedSinceApproval" | "approve" | "approveForGood" | "alwaysAsks"
  >;
  readonly model: Model;
  readonly runsOutside: RunsOutside;
  readonly shell: () => ShellTools | undefined;
  readonly outputFolder: () => string | undefined;
  readonly hooks: () => HookRunner | undefined;
  readonly plans: Plans;
}

export function makeGate(parts: GateParts): PermissionGate {
  const { world, flags, listeners, settings, approvals, model, runsOutside } = parts;
  const { shell, outputFolder, hooks, plans } = parts;
  const { cwd, home } = world;
  const isUnasked = isSandboxed(flags, settings) && settings.sandbox.mayRunUnasked;
  const gate: PermissionGate = createPermissionGate({
    settings,
    cwd,
    home,
    onNotice: listeners.onNotice,
    approvals,
    judge: autoJudge({ model, policy: autoPolicy(settings) }),
    isSandboxed: (input, at) => isUnasked && !runsOutside(stringOf(shapeOf(input)["command"]), at),
    confinesReads: () => settings.sandbox.confinesReads && shell()?.readConfinement().type === "ready",
    save: async (rule) => {
      await saveRule({ level: "local", behavior: "allow", rule, cwd, own: world });
    },
    readableFolders: () => {
      const folder = outputFolder();
      return folder === undefined ? [] : [folder];
    },
    askPerson: askingPerson({ listeners, mcp: approvals, hooks, gate: () => gate, plans }),
  });
  return gate;
}
