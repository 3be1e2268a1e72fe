/** The environment and the limits of MCP servers. */

import { withoutOwnKeys } from "@runahead/base";
import type { McpOptions } from "@runahead/mcp";
import type { LoadedSettings } from "../../settings/loaded.ts";
import type { Surroundings } from "../../surroundings.ts";

type Env = Surroundings["env"];

/** Servers inherit the environment without Runahead's own API keys, and get the variables of the settings. */
export function mcpEnvironment(
  inherited: Env,
  settings: Pick<LoadedSettings, "env" | "passEnv" | "root">,
): Required<Pick<McpOptions, "env" | "added" | "limits">> {
  const env = { ...withoutOwnKeys(inherited, settings.passEnv), ...settings.env };
  const added = { ...present(env), CLAUDE_PROJECT_DIR: settings.root, RUNAHEAD_PROJECT_DIR: settings.root };
  return { env, added, limits: limitsOf(env) };
}

/** `MCP_TIMEOUT` limits the start of a server and `MCP_TOOL_TIMEOUT` a call, both in milliseconds. */
function limitsOf(env: Env): NonNullable<McpOptions["limits"]> {
  const connectMs = milliseconds(env["MCP_TIMEOUT"]);
  const callMs = milliseconds(env["MCP_TOOL_TIMEOUT"]);
  return {
    ...(connectMs === undefined ? {} : { connectMs }),
    // A call that is allowed to take this long can also stay silent for as long.
    ...(callMs === undefined ? {} : { callMs, idleMs: callMs }),
  };
}

const LONGEST_MS = 2_147_483_647;

function milliseconds(text: string | undefined): number | undefined {
  const value = Number(text ?? "");
  return Number.isFinite(value) && value > 0 ? Math.min(value, LONGEST_MS) : undefined;
}

/** A value that starts with `()` is a function exported by an old shell. */
function present(env: Env): Record<string, string> {
  const kept = Object.entries(env).filter(([, value]) => value !== undefined && !value.startsWith("()"));
  return Object.fromEntries(kept) as Record<string, string>;
}
