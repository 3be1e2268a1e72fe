/** Why a call started when it did: what it waited for, and how much of it ran while the response was still streaming. */

import type { CallView } from "@runahead/harness";
import { callWords, duration } from "./words.ts";

/** Shorter waits are noise. */
const LEAST_MS = 50;
/** The end of a call and the start of the next within this time are simultaneous. */
const SAME_MOMENT_MS = 2;

/** The times of an ended call, without its content. */
export interface Waits {
  readonly judgedMs: number;
  readonly askedMs: number;
  readonly waitedMs: number;
  /** The call that it waited for, in words; empty if there is none. */
  readonly waitedFor: string;
  readonly startedMs: number | undefined;
  readonly endedMs: number;
}

export function waitsOf(call: CallView): Waits {
  const { queue, startedMs, endedMs = 0 } = call;
  const spent = (kind: CallView["queue"][number][0]): number =>
    queue.reduce((sum, [state, from, to]) => (state === kind ? sum + to - from : sum), 0);
  return {
    judgedMs: spent("judging"),
    askedMs: spent("asking"),
    waitedMs: spent("waiting"),
    waitedFor: blockerOf(call),
    startedMs,
    endedMs,
  };
}

/** The call that ended last before this one was free to start. */
function blockerOf({ agent, queue, id }: CallView): string {
  const [, fromMs, freeMs] = queue.findLast(([state]) => state === "waiting") ?? ["waiting", 0, 0];
  if (freeMs - fromMs < LEAST_MS) return "";
  const ended = [...(agent.turn?.calls.values() ?? [])].filter(
    (call) =>
      call.id !== id && (call.endedMs ?? 0) > fromMs && (call.endedMs ?? 0) <= freeMs + SAME_MOMENT_MS,
  );
  const last = ended.toSorted((one, other) => (one.endedMs ?? 0) - (other.endedMs ?? 0)).at(-1);
  return last === undefined ? "" : callWords(last.description || last.toolName, last.input);
}

/** Sentences for Ctrl+O. `responseEndMs` is undefined until the response was complete. */
export function whyWords(waits: Waits, responseEndMs: number | undefined): string {
  const { startedMs, endedMs } = waits;
  const parts = [
    ...part(waits.askedMs, "for your answer"),
    ...part(waits.waitedMs, waits.waitedFor === "" ? "to start" : `for ${waits.waitedFor}`),
    ...part(waits.judgedMs, "for the permission check"),
  ];
  const waited = parts.length === 0 ? "Did not wait." : `Waited ${parts.join(", ")}.`;
  if (startedMs === undefined) return waited;
  const aheadMs = Math.min(endedMs, responseEndMs ?? endedMs) - startedMs;
  const ran = `Ran ${duration(endedMs - startedMs)}`;
  return aheadMs >= LEAST_MS
    ? `${waited} ${ran}, ${duration(aheadMs)} of it while the response was still streaming.`
    : `${waited} ${ran}.`;
}

function part(ms: number, what: string): string[] {
  return ms < LEAST_MS ? [] : [`${duration(ms)} ${what}`];
}
