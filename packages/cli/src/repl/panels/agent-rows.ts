/** The sub-agents and background commands of a session as the lines of a tree. */

import type { Agent, AgentInfo } from "@runahead/harness";
import { strip } from "../../shared/safe-text.ts";
import { amount, duration, oneLine, plural } from "../../shared/words.ts";

/** A sub-agent or a background command. */
export interface AgentRow {
  readonly id: string;
  readonly kind: "agent" | "command";
  readonly depth: number;
  readonly isAtWork: boolean;
  /** What it is: `agent-1 explore: find the routes`. */
  readonly title: string;
  /** How it is: `running 12 s · 3 calls · 12.3k tokens · Read docs/api.md`. */
  readonly state: string;
}

/** Sub-agents below the ones that started them, in the order of their starts; then background commands. */
export function agentRows({ agents, background }: Pick<Agent, "agents" | "background">): AgentRow[] {
  const commands = background.filter(({ kind }) => kind === "command");
  return [
    ...below(undefined, agents, 0),
    ...commands.map(({ id, description }) => ({
      id,
      kind: "command" as const,
      depth: 0,
      isAtWork: true,
      title: oneLine(strip(`${id} ${description}`)),
      state: "running in the background",
    })),
  ];
}

function below(parent: string | undefined, agents: readonly AgentInfo[], depth: number): AgentRow[] {
  const known = new Set(agents.map(({ id }) => id));
  const isBelow = (info: AgentInfo): boolean =>
    parent === undefined ? info.parent === undefined || !known.has(info.parent) : info.parent === parent;
  return agents.filter(isBelow).flatMap((info) => [rowOf(info, depth), ...below(info.id, agents, depth + 1)]);
}

function rowOf(info: AgentInfo, depth: number): AgentRow {
  const { id, type, description, state } = info;
  return {
    id,
    kind: "agent",
    depth,
    isAtWork: state === "running" || state === "waiting",
    title: oneLine(strip(`${id} ${type}: ${description}`)),
    state: oneLine(strip(stateOf(info))),
  };
}

function stateOf({ state, startedAt, endedAt, calls, usage, action, isBackground }: AgentInfo): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const tokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  const time = state === "waiting" ? "" : ` ${duration((endedAt ?? Date.now()) - startedAt)}`;
  return [
    `${state}${time}${isBackground && endedAt === undefined ? " in the background" : ""}`,
    ...(calls > 0 ? [plural(calls, "call")] : []),
    ...(tokens > 0 ? [`${amount(tokens)} tokens`] : []),
    ...(action === "" || state === "waiting" ? [] : [action]),
  ].join(" · ");
}
