/** Reads the calls of a session from its journal, with the decision about each. Never writes. */

import { isShape, shapeOf, stringOf } from "@runahead/base";
import { type Line, parseLine } from "./entry.ts";
import { openToRead } from "./files.ts";
import { readLines } from "./read.ts";

/** The decision about a call, according to the journal. */
type RecordedVerdict =
  | "allowed"
  | "denied"
  /** The user was asked. */
  | "asked, allowed"
  | "asked, denied"
  | "asked, unanswered"
  /** There was no verdict: the tool is unknown, the input is invalid, or the call could not have succeeded. */
  | "failed"
  | "not judged";

export interface RecordedCall {
  readonly callId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** The working directory when its turn began. */
  readonly cwd: string;
  readonly verdict: RecordedVerdict;
}

/** Returns every call of the session, in journal order. Skips lines that cannot be read. */
export async function recordedCalls(path: string): Promise<RecordedCall[]> {
  const { handle, size } = await openToRead(path);
  try {
    const reading = new CallReading();
    await readLines(handle, { from: 0, to: size }, ({ bytes }) => {
      const line = bytes.length === 0 ? undefined : parseLine(bytes);
      if (line !== undefined) reading.take(line);
    });
    return reading.calls;
  } finally {
    await handle.close();
  }
}

type MutableCall = { -readonly [Key in keyof RecordedCall]: RecordedCall[Key] };

class CallReading {
  readonly calls: MutableCall[] = [];
  #cwd = "";
  /** Calls of the open turn only: ids are unique within a turn, not within a session. */
  #open = new Map<string, MutableCall>();

  take(line: Line): void {
    switch (line.type) {
      case "session":
        this.#cwd ||= stringOf(line["cwd"]);
        return;
      case "turn-begun":
        this.#open = new Map();
        return;
      case "turn-ended":
      case "rewound":
        this.#cwd = stringOf(shapeOf(line["context"])["cwd"]) || this.#cwd;
        return;
      case "call":
        return this.#call(line["block"]);
      case "event":
        return this.#event(shapeOf(line["event"]));
    }
  }

  #call(block: unknown): void {
    if (!isShape(block) || typeof block["id"] !== "string" || typeof block["name"] !== "string") return;
    const { id: callId, name: toolName, input } = block;
    const call: MutableCall = { callId, toolName, input, cwd: this.#cwd, verdict: "not judged" };
    this.calls.push(call);
    this.#open.set(callId, call);
  }

  #event(event: Readonly<Record<string, unknown>>): void {
    const call = this.#open.get(stringOf(event["id"]));
    if (call === undefined) return;
    const verdict = verdictOf(event, call.verdict);
    if (verdict !== undefined) call.verdict = verdict;
  }
}

function verdictOf(
  event: Readonly<Record<string, unknown>>,
  before: RecordedVerdict,
): RecordedVerdict | undefined {
  const { behavior, outcome } = shapeOf(event["judgement"]);
  const isRefused = shapeOf(outcome)["type"] === "denied";
  switch (event["type"]) {
    case "call-arrived":
      return event["permitted"] === true ? "allowed" : undefined;
    case "call-rejected":
      return "failed";
    case "call-judged":
      if (behavior === "deny") return isRefused ? "denied" : "failed";
      // When the rules change, a call that the user allowed is judged again and stays allowed by the user.
      if (before === "asked, allowed") return undefined;
      return behavior === "ask" ? "asked, unanswered" : "allowed";
    case "call-answered":
      if (behavior === "allow") return "asked, allowed";
      return isRefused ? "asked, denied" : "failed";
    default:
      return undefined;
  }
}
