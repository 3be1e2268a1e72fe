/** What a row shows: its segments and its facts. */

import type { TimelineCall, TimelineMark, TimelineTurn } from "./model.ts";
import type { TurnSavings } from "./savings.ts";
import { duration } from "./words.ts";

/** The segments of a row: for a turn from request to response, for a call from arrival to end. */
export type SegmentKind =
  | "request"
  | "stream"
  | "results"
  | "arriving"
  | "judging"
  | "waiting"
  | "asking"
  | "running"
  | "pause"
  | "point";
export type Segment = readonly [kind: SegmentKind, fromMs: number, toMs: number];
export type Fact = readonly [name: string, value: string];

export function turnSegments(turn: TimelineTurn, endMs: number): Segment[] {
  const { requestMs, firstContentMs, responseEndMs = endMs, endedMs = endMs } = turn;
  const contentMs = Math.min(firstContentMs ?? responseEndMs, responseEndMs);
  return drawn([
    ["request", requestMs, contentMs],
    ["stream", contentMs, responseEndMs],
    ["results", responseEndMs, endedMs],
  ]);
}

export function callSegments(call: TimelineCall, endMs: number): Segment[] {
  const { arrivedMs, completeMs, startedMs, endedMs = endMs } = call;
  const freeMs = startedMs ?? endedMs;
  const whole = Math.min(completeMs, freeMs);
  const parts: Segment[] = [["arriving", arrivedMs, whole]];
  let reached = whole;
  for (const [state, fromMs, toMs] of call.queue) {
    // Gaps between the reported spans count as waiting.
    parts.push(["waiting", reached, fromMs], [state, Math.max(reached, fromMs), Math.min(toMs, freeMs)]);
    reached = Math.max(reached, toMs);
  }
  parts.push(["waiting", reached, freeMs]);
  if (startedMs !== undefined) parts.push(["running", startedMs, endedMs]);
  return drawn(parts);
}

/** Drops empty segments, but keeps `running` so that a very short call stays visible. */
function drawn(parts: readonly Segment[]): Segment[] {
  return parts.filter(([kind, fromMs, toMs]) => toMs > fromMs || kind === "running");
}

export function markWords(mark: TimelineMark): {
  readonly name: string;
  readonly text: string;
  readonly segments: Segment[];
  readonly facts: Fact[];
} {
  const { atMs } = mark;
  const at: Fact = ["at", duration(atMs)];
  const point: Segment[] = [["point", atMs, atMs]];
  switch (mark.type) {
    case "retry":
      return {
        name: `Retry ${mark.attempt}`,
        text: mark.reason,
        segments: [["pause", atMs, atMs + mark.waitMs]],
        facts: [at, ["reason", mark.reason], ["wait", duration(mark.waitMs)]],
      };
    case "compacted": {
      const tokens = `${mark.beforeTokens.toLocaleString("en")} → ${mark.afterTokens.toLocaleString("en")} tokens`;
      const facts: Fact[] = [at, ["how", mark.how], ["size", tokens]];
      return { name: "Compacted", text: `${mark.how}, ${tokens}`, segments: point, facts };
    }
    case "resumed":
      return { name: "Resumed", text: mark.date, segments: point, facts: [at, ["date", mark.date]] };
    case "prompt":
      return { name: "Prompt", text: "", segments: point, facts: [at] };
    case "ended":
      return { name: "End", text: mark.reason, segments: point, facts: [at, ["reason", mark.reason]] };
  }
}

export function turnFacts(turn: TimelineTurn, savings: TurnSavings | undefined, endMs: number): Fact[] {
  const { requestMs, firstContentMs, responseEndMs = endMs, endedMs = endMs } = turn;
  const facts: Fact[] = [
    ["model", turn.model],
    ["request", `at ${duration(requestMs)}`],
  ];
  if (firstContentMs !== undefined)
    facts.push(["first content", `after ${duration(firstContentMs - requestMs)}`]);
  facts.push(
    ["response", `after ${duration(responseEndMs - requestMs)}`],
    ["last result", `after ${duration(endedMs - requestMs)}`],
    ["stop", turn.stop],
  );
  if (turn.inputTokens + turn.outputTokens > 0)
    facts.push([
      "tokens",
      `${turn.inputTokens.toLocaleString("en")} in, ${turn.outputTokens.toLocaleString("en")} out`,
    ]);
  if (savings !== undefined && savings.aheadMs > 0)
    facts.push(
      ["ran ahead", duration(savings.aheadMs)],
      ["saved", `${duration(savings.savedMs)} vs. calls after the response`],
      ["saved, serial", `${duration(savings.savedSerialMs)} vs. one call at a time`],
    );
  return facts;
}

export function callFacts(
  call: TimelineCall,
  { before, endMs, turn }: { before: TimelineCall | undefined; endMs: number; turn: TimelineTurn },
): Fact[] {
  const { arrivedMs, completeMs, startedMs, endedMs = endMs } = call;
  const outcome = call.detail === "" ? call.outcome : `${call.outcome} (${call.detail})`;
  const facts: Fact[] = [
    ["tool", call.toolName],
    ["outcome", outcome],
    ["arrived", `at ${duration(arrivedMs)}, complete after ${duration(completeMs - arrivedMs)}`],
  ];
  const spent = (kind: SegmentKind): number =>
    callSegments(call, endMs).reduce((sum, [one, from, to]) => (one === kind ? sum + to - from : sum), 0);
  if (spent("judging") > 0) facts.push(["judging", duration(spent("judging"))]);
  if (spent("asking") > 0) facts.push(["asking", duration(spent("asking"))]);
  if (startedMs === undefined) return [...facts, ["started", "never"]];
  const waitedFor =
    call.limit !== undefined
      ? ` for the limit of ${call.limit}`
      : before === undefined
        ? ""
        : ` for ${before.toolName} ${before.description}`.trimEnd();
  facts.push(
    ["waited", `${duration(spent("waiting"))}${waitedFor}`],
    ["ran", `${duration(endedMs - startedMs)} from ${duration(startedMs)} to ${duration(endedMs)}`],
  );
  const aheadMs = Math.min(endedMs, turn.responseEndMs ?? endMs) - startedMs;
  if (aheadMs > 0) facts.push(["ran ahead", `${duration(aheadMs)} while the response streamed`]);
  return facts;
}
