/** Parses items of a stored timeline without trusting the file: invalid numbers count as 0, texts are shortened. */

import { beginningOf } from "./content.ts";
import type { CallContent, TimelineAgent, TimelineCall, TimelineMark, TimelineTurn } from "./model.ts";
import { OUTCOMES } from "./model.ts";
import type { QueueSpan, QueueState } from "../view/view.ts";
import { numberOf } from "./reading.ts";
import { oneLine } from "./words.ts";

type Item = Readonly<Record<string, unknown>>;

const WORD_CHARS = 64;
const LINE_CHARS = 120;

interface Shift {
  readonly atMs: number;
  readonly agent: (place: number) => number;
}

function word(value: unknown): string {
  return oneLine(value, WORD_CHARS);
}

function optional(value: unknown, atMs: number): number | undefined {
  return typeof value === "number" ? numberOf(value) + atMs : undefined;
}

export function agentOf({ agentType, call }: Item, calls: number): TimelineAgent {
  return { agentType: word(agentType), call: optional(call, calls) };
}

export function turnOf(item: Item, { atMs, agent }: Shift): TimelineTurn {
  return {
    agent: agent(numberOf(item["agent"])),
    number: numberOf(item["number"]),
    model: word(item["model"]),
    requestMs: numberOf(item["requestMs"]) + atMs,
    firstContentMs: optional(item["firstContentMs"], atMs),
    responseEndMs: optional(item["responseEndMs"], atMs),
    endedMs: optional(item["endedMs"], atMs),
    stop: word(item["stop"]) as TimelineTurn["stop"],
    inputTokens: numberOf(item["inputTokens"]),
    outputTokens: numberOf(item["outputTokens"]),
  };
}

interface CallShift {
  readonly atMs: number;
  readonly turns: number;
  readonly calls: number;
}

export function callOf(item: Item, { atMs, turns, calls }: CallShift): TimelineCall {
  const parent = optional(item["parent"], calls);
  const spans: unknown[] = Array.isArray(item["queue"]) ? item["queue"] : [];
  return {
    turn: numberOf(item["turn"]) + turns,
    ...(parent === undefined ? {} : { parent }),
    toolName: word(item["toolName"]),
    description: oneLine(item["description"], LINE_CHARS),
    arrivedMs: numberOf(item["arrivedMs"]) + atMs,
    completeMs: numberOf(item["completeMs"]) + atMs,
    queue: spans.filter((span) => Array.isArray(span)).map((span) => spanOf(span as unknown[], atMs)),
    startedMs: optional(item["startedMs"], atMs),
    endedMs: optional(item["endedMs"], atMs),
    outcome: OUTCOMES.find((outcome) => outcome === item["outcome"]) ?? "unfinished",
    ...(typeof item["limit"] === "string" ? { limit: word(item["limit"]) } : {}),
    detail: word(item["detail"]),
    content: contentOf(item["content"]),
  };
}

function spanOf([state, fromMs, toMs]: readonly unknown[], atMs: number): QueueSpan {
  return [queueStateOf(state), numberOf(fromMs) + atMs, numberOf(toMs) + atMs];
}

function contentOf(value: unknown): CallContent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { input, output } = value as Item;
  const text = (one: unknown): string => (typeof one === "string" ? beginningOf(one) : "");
  return { input: text(input), output: text(output) };
}

/** Returns an empty list for an unknown type. */
export function markOf(item: Item, { atMs, agent }: Shift): TimelineMark[] {
  const at = { agent: agent(numberOf(item["agent"])), atMs: numberOf(item["atMs"]) + atMs };
  switch (item["type"]) {
    case "retry": {
      const [attempt, waitMs] = [numberOf(item["attempt"]), numberOf(item["waitMs"])];
      return [{ ...at, type: "retry", attempt, waitMs, reason: word(item["reason"]) }];
    }
    case "compacted": {
      const tokens = {
        beforeTokens: numberOf(item["beforeTokens"]),
        afterTokens: numberOf(item["afterTokens"]),
      };
      return [{ ...at, type: "compacted", how: word(item["how"]), ...tokens }];
    }
    case "prompt":
      return [{ ...at, type: "prompt" }];
    case "ended":
      return [{ ...at, type: "ended", reason: word(item["reason"]) }];
    default:
      return [];
  }
}

function queueStateOf(value: unknown): QueueState {
  return value === "judging" || value === "asking" ? value : "waiting";
}
