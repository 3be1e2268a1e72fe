/** The members of an MCP server that restrict its tools, in the forms of several programs, and `alwaysLoad`. */

import { type Shape, isShape } from "@runahead/base";
import type { FoundMcpServer, McpToolChoice } from "@runahead/mcp";

const ONLY = ["enabledTools", "enabled_tools", "includeTools"];
const WITHOUT = ["disabledTools", "disabled_tools", "excludeTools"];

/** The members that are read here. */
export const TOOL_MEMBERS: readonly string[] = ["tools", ...ONLY, ...WITHOUT, "alwaysLoad"];

type ToolMembers = Pick<FoundMcpServer, "tools" | "alwaysLoad">;

interface Read {
  readonly members: ToolMembers;
  /** Tools that the entry would let run without approval, which it cannot. */
  readonly allowed: readonly string[];
}

/** Returns what is wrong with a restriction that cannot be read: the server must not be used without it. */
export function toolMembers(entry: Shape): Read | string {
  const listed = [...ONLY, ...WITHOUT].filter((name) => (entry[name] ?? null) !== null);
  const wrong = listed.find((name) => !isNames(entry[name]));
  if (wrong !== undefined) return `${wrong}: expected a list of tools`;
  const policies = policiesIn(entry["tools"] ?? undefined);
  if (typeof policies === "string") return policies;
  const namesOf = (members: readonly string[]): string[] =>
    members.flatMap((name) => (isNames(entry[name]) ? entry[name] : []));
  const chosen = [...listed.filter((name) => ONLY.includes(name)), ...policies.lists];
  const only = [...namesOf(ONLY), ...policies.only];
  const without = [...namesOf(WITHOUT), ...policies.deny];
  const tools: McpToolChoice = {
    ...(chosen.length === 0 ? {} : { only }),
    ...(without.length === 0 ? {} : { without }),
    ...(policies.ask.length === 0 ? {} : { ask: policies.ask }),
  };
  const { alwaysLoad } = entry;
  return {
    members: {
      ...(Object.keys(tools).length === 0 ? {} : { tools }),
      ...(typeof alwaysLoad === "boolean" ? { alwaysLoad } : {}),
    },
    allowed: policies.allow,
  };
}

interface Policies {
  /** Whether there is a list of the only tools; empty if not. */
  readonly lists: readonly "tools"[];
  readonly only: readonly string[];
  readonly deny: readonly string[];
  readonly ask: readonly string[];
  readonly allow: readonly string[];
}

/** A list of names, or of tools with their policies, or an object that turns tools on and off. */
function policiesIn(tools: unknown): Policies | string {
  const none = { lists: [], only: [], deny: [], ask: [], allow: [] } as const;
  // An empty list can be one of policies, which restricts nothing.
  if (tools === undefined || (Array.isArray(tools) && tools.length === 0)) return none;
  if (isNames(tools)) return { ...none, lists: ["tools"], only: tools };
  const off = turnedOff(tools);
  if (off !== undefined) return { ...none, deny: off };
  const wrong = "tools: expected a list of names, or of tools with name and permission_policy";
  if (!Array.isArray(tools)) return wrong;
  const named: (readonly [name: string, behavior: Behavior])[] = [];
  for (const tool of tools as unknown[]) {
    if (!isShape(tool) || typeof tool["name"] !== "string") return wrong;
    const behavior = behaviorOf(tool);
    if (behavior === undefined) return `tools: the policy of ${tool["name"]} is not known`;
    named.push([tool["name"], behavior]);
  }
  const those = (wanted: Behavior): string[] =>
    named.filter(([, behavior]) => behavior === wanted).map(([name]) => name);
  return { ...none, deny: those("deny"), ask: those("ask"), allow: those("allow") };
}

/** The names in `{"a": false, "b": {"enabled": false}}`. Undefined if it says something else. */
function turnedOff(tools: unknown): string[] | undefined {
  if (!isShape(tools)) return undefined;
  const entries = Object.entries(tools).map(([name, value]) => {
    const isOn = isShape(value) ? (value["enabled"] ?? true) : value;
    return [name, isOn] as const;
  });
  if (!entries.every(([, isOn]) => typeof isOn === "boolean")) return undefined;
  return entries.filter(([, isOn]) => isOn === false).map(([name]) => name);
}

type Behavior = "deny" | "ask" | "allow" | "none";

const POLICIES: Readonly<Record<string, Behavior>> = {
  always_deny: "deny",
  always_ask: "ask",
  always_allow: "allow",
};
const CEILINGS: Readonly<Record<string, Behavior>> = { blocked: "deny", ask: "ask", allow: "none" };

/** The stricter of the user's policy and the organisation's ceiling. Undefined if one is not known. */
function behaviorOf({ permission_policy: policy, org_max_permission: ceiling }: Shape): Behavior | undefined {
  const both = [valueIn(POLICIES, policy), valueIn(CEILINGS, ceiling)];
  if (both.includes(undefined)) return undefined;
  return (["deny", "ask", "allow"] as const).find((one) => both.includes(one)) ?? "none";
}

function valueIn(from: Readonly<Record<string, Behavior>>, value: unknown): Behavior | undefined {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" && Object.hasOwn(from, value) ? from[value] : undefined;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && name !== "");
}
