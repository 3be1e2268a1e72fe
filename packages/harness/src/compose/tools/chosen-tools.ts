/** The option `tools`: which tools the agent and its sub-agents have. */

import { ToolLimits } from "@runahead/agent/internal";
import { UsageError } from "../error.ts";
import type { HarnessOptions } from "../options.ts";

interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
}

/**
 * Returns whether a tool is chosen. The list is about built-in tools: those of MCP servers stay, unless it names some of
 * them. `default` names all built-in tools.
 *
 * @throws {UsageError} for an entry with a rule, which would give the whole tool.
 */
export function toolChoice({
  tools: wanted,
  permissionPromptTool,
}: HarnessOptions): (tool: Named) => boolean {
  const rule = wanted?.find((name) => name.includes("("));
  if (rule !== undefined)
    throw new UsageError(`--tools takes names of tools, got ${rule}. Use --allowedTools for rules`);
  const limits = new ToolLimits(wanted === undefined ? {} : { tools: wanted });
  const namesServers = wanted?.some(isOfServer) === true;
  const isAll = wanted?.includes("default") === true;
  return (tool) => {
    // The model cannot call the tool that approves calls.
    if (tool.name === permissionPromptTool) return false;
    if (isOfServer(tool.name) ? !namesServers : isAll) return true;
    return limits.offers(tool);
  };
}

function isOfServer(name: string): boolean {
  return name.startsWith("mcp__");
}
