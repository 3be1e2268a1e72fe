/** What runs below a call: its sub-agents and the calls of its script, what they do now and for how long, and how much they used. */

import type { AgentView, CallView, CodingAgent } from "@runahead/harness";
import { arrivingWords, amount, callWords, duration, oneLine, plural } from "../../shared/words.ts";

const MOST_LINES = 6;
/** Of the calls of a script. */
const MOST_CALLS = 5;

/** Describes a call that has not ended. */
export function wordsOf({ hasInput, description, toolName, preview }: CallView): string {
  const input = preview();
  return hasInput ? callWords(description, input) : arrivingWords(toolName, input);
}

/** Tools that run until the user answers. */
const ASKING_TOOLS = new Set(["AskUser", "AskUserQuestion"]);

/** The state of a call, with its time and the usage of its sub-agents. */
export function stateWords(call: CallView, nowMs: number): string {
  switch (call.state) {
    case "arriving":
      return "arriving";
    case "asking":
      return "waiting for approval";
    case "running": {
      if (ASKING_TOOLS.has(call.toolName)) return "waiting for your answer";
      const sums = sumsOf(call);
      const ran = duration(nowMs - (call.startedMs ?? nowMs));
      return `running ${ran}${sums === "" ? "" : ` · ${sums}`}`;
    }
    default:
      return "queued";
  }
}

/** `2 calls · 12.3k tokens`, or `30 calls · 2 failed` for a script, without parts that are zero. */
export function sumsOf({ agents, madeCalls, failedCalls }: CallView): string {
  const ofAgents = agentSums([...agents.values()]);
  const parts = [
    ...(madeCalls > 0 ? [plural(madeCalls, "call")] : []),
    ...(failedCalls > 0 ? [`${amount(failedCalls)} failed`] : []),
    ...(ofAgents === "" ? [] : [ofAgents]),
  ];
  return parts.join(" · ");
}

function agentSums(agents: readonly AgentView[]): string {
  let [calls, tokens] = [0, 0];
  for (const { settledCalls, usage } of agents) {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    calls += settledCalls;
    tokens += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
  }
  const parts = [
    ...(calls > 0 ? [plural(calls, "call")] : []),
    ...(tokens > 0 ? [`${amount(tokens)} tokens`] : []),
  ];
  return parts.join(" · ");
}

/** One line per running call of its sub-agents and its script, with what is nested in them indented below. */
export function nestedLines(call: CallView, nowMs: number): string[] {
  const ofAgents = [...call.agents.values()].flatMap((agent) => linesOf(agent, nowMs));
  const all = [...ofAgents, ...scriptLines(call, nowMs)];
  const more = all.length - MOST_LINES;
  return more > 0 ? [...all.slice(0, MOST_LINES), `… ${plural(more, "more line")}`] : all;
}

/** The calls of a script that have not ended. It can have started a thousand at once. */
function scriptLines({ calls }: CallView, nowMs: number): string[] {
  const open = [...calls.values()].filter(({ end }) => end === undefined);
  const rank = ({ state }: CallView): number => (state === "asking" ? 0 : state === "running" ? 1 : 2);
  const first = open.toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST_CALLS);
  const more = open.length - first.length;
  return [...first.flatMap((call) => callLines(call, nowMs)), ...(more > 0 ? [`… ${more} more`] : [])];
}

function callLines(call: CallView, nowMs: number): string[] {
  return [
    `${wordsOf(call)} · ${stateWords(call, nowMs)}`,
    ...nestedLines(call, nowMs).map((line) => `  ${line}`),
  ];
}

function linesOf(agent: AgentView, nowMs: number): string[] {
  const { turn } = agent;
  const calls = [...(turn?.openCalls.values() ?? [])];
  // Between two calls, the line says what its model does.
  if (calls.length === 0) return [idleWords(agent)];
  return calls.flatMap((call) => callLines(call, nowMs));
}

function idleWords({ turn, isThinking }: AgentView): string {
  if (isThinking) return "thinking";
  if (turn === undefined) return "starting";
  return turn.stop === "open" ? "writing" : "waiting for its model";
}

type Job = Pick<CodingAgent["agent"]["background"][number], "id" | "kind" | "description" | "isRunning">;

/** One line per command in the background. */
export function jobLines(tasks: readonly Job[]): string[] {
  const jobs = tasks.filter(({ kind, isRunning }) => kind === "command" && isRunning);
  return jobs.map(({ id, description }) => oneLine(`${id}: ${description} · running in the background`));
}

/** One line per background agent: its task, what it does now, its calls and tokens. */
export function backgroundLines({ backgroundAgents }: AgentView, nowMs: number): string[] {
  return [...backgroundAgents.values()].map((agent) => {
    const [action = ""] = linesOf(agent, nowMs);
    const sums = agentSums([agent]);
    const parts = [action, ...(sums === "" ? [] : [sums])];
    return oneLine(`${agent.id} ${agent.agentType}: ${agent.description} · ${parts.join(" · ")}`);
  });
}
