/** OpenAI's programmatic tool calling: scripts that run on the provider's servers and call the tools of this program. */

import type { ProviderCode } from "./provider-code.ts";

/**
 * Configures OpenAI's programmatic tool calling, whose scripts call your tools. The scripts run on the provider's servers.
 * Their calls run here, and permissions, hooks and limits apply to them as to all calls.
 */
export type ProviderPrograms = Pick<ProviderCode, "tools" | "alsoDirect">;

type Definition = Readonly<Record<string, unknown>>;

/** Adds the tool that runs scripts, and marks the functions that scripts can call. */
export function withProgramCalls(
  functions: readonly Definition[],
  programs: ProviderPrograms | undefined,
): readonly Definition[] {
  const called = new Set<unknown>(programs?.tools);
  if (!functions.some(({ name }) => called.has(name))) return functions;
  const allowed_callers = programs?.alsoDirect === true ? ["direct", "programmatic"] : ["programmatic"];
  return [
    { type: "programmatic_tool_calling" },
    ...functions.map((tool) => (called.has(tool["name"]) ? { ...tool, allowed_callers } : tool)),
  ];
}
