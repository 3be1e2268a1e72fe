/** The notes of a sub-agent: a folder whose files it reads and writes without approval. */

import type { CanUseTool, Verdict } from "@runahead/engine";
import { type PermissionVerdict, createPermissions } from "@runahead/permissions";
import { noteClearance } from "@runahead/permissions/internal";
import type { AgentDefinition } from "./definitions.ts";

const TOOLS = ["Read", "Write", "Edit"];

/** A definition that lists its tools gets those for its notes, limited to the folder. */
export function withNotes(definition: AgentDefinition): AgentDefinition {
  const { tools, memoryFolder } = definition;
  if (tools === undefined || memoryFolder === undefined) return definition;
  const missing = TOOLS.filter((name) => !tools.includes(name));
  return { ...definition, tools: [...tools, ...missing.map((name) => `${name}(/${memoryFolder}/**)`)] };
}

/** Allows what only the mode asks about, in the folder of the notes. Denials and explicit questions stay. */
export function forNotes({ memoryFolder }: AgentDefinition, judge: CanUseTool): CanUseTool {
  if (memoryFolder === undefined) return judge;
  const path = `/${memoryFolder}/**`;
  const settings = { allow: [`Read(${path})`, `Edit(${path})`], mode: "dontAsk", rulesFrom: "user" } as const;
  return (tool, input, context) => {
    const { cwd } = context.context;
    const decide = (): PermissionVerdict =>
      createPermissions({ settings, cwd }).decide(tool.name, input, cwd);
    const settle = (verdict: Verdict): Verdict => {
      if (!isAskedByMode(verdict) || context.hookDecision === "ask") return verdict;
      const own = decide();
      if (own.behavior !== "allow" || own.by.type !== "rule") return verdict;
      noteClearance(input, own, decide);
      return own;
    };
    const verdict = judge(tool, input, context);
    return verdict instanceof Promise ? verdict.then(settle) : settle(verdict);
  };
}

function isAskedByMode(verdict: Verdict): boolean {
  if (verdict?.behavior !== "ask") return false;
  const { by } = verdict as Partial<Pick<PermissionVerdict, "by">>;
  return by?.type === "mode";
}
