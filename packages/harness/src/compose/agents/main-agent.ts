/** `--agent` and the `agent` setting: the main agent has the prompt, tools and limits of a definition. */

import type { AgentDefinition, HookRunner, LoopOptions, PermissionGate } from "@runahead/agent";
import { allDefinitions, limitsOf, offers } from "@runahead/agent/internal";
import { didYouMean } from "@runahead/base";
import type { AnyTool } from "@runahead/engine";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { textOfKey } from "../../settings/other-values.ts";
import { UsageError } from "../error.ts";

const ALLOW = { behavior: "allow" } as const;

interface Wanted {
  /** The value of `--agent`. */
  readonly flag: string | undefined;
  readonly settings: Pick<LoadedSettings, "other">;
  readonly definitions: readonly AgentDefinition[];
  readonly onNotice: (message: string) => void;
}

/**
 * Returns the definition of the main agent; undefined if none is chosen. Throws a `UsageError` if `--agent` names an
 * unknown one; an unknown one in the settings is reported.
 */
export function mainDefinition({
  flag,
  settings,
  definitions,
  onNotice,
}: Wanted): AgentDefinition | undefined {
  const name = flag ?? textOfKey(settings, "agent");
  if (name === undefined) return undefined;
  const all = allDefinitions(definitions, undefined);
  const found = all.find((one) => one.name === name) ?? all.find((one) => one.name.endsWith(`:${name}`));
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  const words = `Unknown sub-agent ${name}.${didYouMean(name, names)} Available: ${names.join(", ")}.`;
  if (flag !== undefined) throw new UsageError(`--agent: ${words}`);
  onNotice(`The setting agent has no effect: ${words}`);
  return undefined;
}

/** How the definition limits the main agent. */
export interface MainLimits {
  readonly offers: (tool: AnyTool) => boolean;
  readonly canStart?: (type: string) => boolean;
  /** Options of the loop of the main agent. */
  readonly options: Pick<LoopOptions, "canUseTool" | "maxTurns">;
}

/** A definition only restricts: a call that needs approval still does. */
export function mainLimits(definition: AgentDefinition | undefined): MainLimits {
  if (definition === undefined) return { offers: () => true, options: {} };
  const { maxTurns, name, readOnly = false } = definition;
  const judge = limitsOf(definition).judging(() => ALLOW);
  const reason = `The agent ${name} only reads. Report what should be changed instead.`;
  return {
    // A plan is only shown, so the tool that presents it is always there.
    offers: (tool) => tool.name === "ExitPlanMode" || offers(definition, tool),
    // Without the Agent tool, only skills start sub-agents.
    ...(limitsOf(definition).offers({ name: "Agent" })
      ? { canStart: (type: string) => limitsOf(definition).canStart(type) }
      : {}),
    options: {
      canUseTool: (tool, input, context) =>
        readOnly && tool.isReadOnly?.(input as Record<string, unknown>) !== true
          ? { behavior: "deny", reason }
          : judge(tool, input, context),
      ...(maxTurns === undefined ? {} : { maxTurns }),
    },
  };
}

/** The mode of the definition is the mode at the start. `acceptEdits` replaces only `default`. */
export function startInMode(
  { permissionMode }: AgentDefinition,
  gate: Pick<PermissionGate, "mode" | "modeObjection" | "setMode">,
): void {
  if (permissionMode === undefined || gate.modeObjection(permissionMode) !== undefined) return;
  if (permissionMode === "acceptEdits" && gate.mode !== "default") return;
  gate.setMode(permissionMode);
}

/** The hooks of the definition run for the whole session. */
export function addMainHooks({ name, hooks: own }: AgentDefinition, hooks: HookRunner, root: string): void {
  if (own === undefined) return;
  hooks.add({ source: `the agent ${name}`, root, trusted: true, hooks: own });
}
