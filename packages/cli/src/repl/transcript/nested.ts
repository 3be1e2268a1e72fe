/** A sub-agent at work, as the call that it works for shows it: what it is doing now, how long, for how many tokens. */

import type { AgentView, CallView } from "@runahead/harness";
import { arrivingWords, amount, callWords, duration, plural } from "../../shared/words.ts";

const MOST_LINES = 6;

/** What a call is called while it is under way. */
export function wordsOf({ hasInput, description, toolName, preview }: CallView): string {
  const input = preview();
  return hasInput ? callWords(description, input) : arrivingWords(toolName, input);
}

/** Where a call stands, with its time and what its sub-agents have taken. */
export function stateWords(call: CallView, nowMs: number): string {
  switch (call.state) {
    case "arriving":
      return "arriving";
    case "asking":
      return "asks";
    case "running": {
      const sums = sumsOf(call);
      const ran = duration(nowMs - (call.startedMs ?? nowMs));
      return `running ${ran}${sums === "" ? "" : ` · ${sums}`}`;
    }
    default:
      return "queued";
  }
}

/** `2 calls · 12.3k tokens`, as far as there are some. */
export function sumsOf({ agents }: CallView): string {
  let [calls, tokens] = [0, 0];
  for (const { settledCalls, usage } of agents.values()) {
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

/** One for each call under way of its sub-agents; below it, further in, those of its own. */
export function nestedLines({ agents }: CallView, nowMs: number): string[] {
  const all = [...agents.values()].flatMap((agent) => linesOf(agent, nowMs));
  const more = all.length - MOST_LINES;
  return more > 0 ? [...all.slice(0, MOST_LINES), `… ${plural(more, "line")} more`] : all;
}

function linesOf({ turn }: AgentView, nowMs: number): string[] {
  return [...(turn?.openCalls.values() ?? [])].flatMap((call) => [
    `${wordsOf(call)} · ${stateWords(call, nowMs)}`,
    ...nestedLines(call, nowMs).map((line) => `  ${line}`),
  ]);
}
