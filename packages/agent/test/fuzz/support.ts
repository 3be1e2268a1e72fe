/** What the fuzzing of the three wires has in common: reading a stream to its end, chance, and what must hold. */

import { type HistoryMessage, checkHistory } from "@runahead/engine/history";
import { expect } from "vitest";
import { modelEvents } from "../../src/model/anthropic.ts";
import { ModelError } from "../../src/model/error.ts";
import type { ModelEvent } from "../../src/model/event.ts";
import { openaiEvents } from "../../src/model/openai.ts";
import { type SseEvent, sseEvents } from "../../src/model/sse.ts";
import { UNKNOWN_TARGET } from "../../src/model/target.ts";
import { type Recording, anthropicRecording, chatRecording, responsesRecording } from "./recordings.ts";

export interface Wire {
  readonly name: string;
  readonly path: string;
  readonly recording: Recording;
  readonly read: (events: AsyncIterable<readonly SseEvent[]>) => AsyncIterable<ModelEvent>;
}

/** Reasoning goes back only to the model that it came from. */
const named: Wire["read"] = (events) => openaiEvents(events, { ...UNKNOWN_TARGET, model: "m" });

export const WIRES: readonly Wire[] = [
  { name: "Messages", path: "/v1/messages", recording: anthropicRecording, read: modelEvents },
  { name: "Chat Completions", path: "/v1/chat/completions", recording: chatRecording, read: named },
  { name: "Responses", path: "/v1/responses", recording: responsesRecording, read: named },
];

/** An event as it stands on the wire. */
export function lines(event: object | string): string {
  if (typeof event === "string") return event;
  const { type } = event as { type?: string };
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
}

export function textOf({ events }: Recording): string {
  return events.map(lines).join("");
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export interface Heard {
  /** Without previews as functions: what each gave when its event came. */
  readonly events: readonly ModelEvent[];
  readonly error: unknown;
}

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export function hear({ read }: Wire, pieces: Pieces): Promise<Heard> {
  return collect(read(sseEvents(streamOf(pieces))));
}

async function* streamOf(pieces: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
}

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<Heard> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of stream) {
      const preview = event.type === "call-delta" ? event.preview() : undefined;
      events.push(event.type === "call-delta" ? { ...event, preview: preview as () => unknown } : event);
    }
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

export const callsOf = ({ events }: Heard) =>
  events.flatMap((event) => (event.type === "call-complete" ? [event.call] : []));
export const blocksOf = ({ events }: Heard) =>
  events.flatMap((event) => (event.type === "block" ? [event.block] : []));

/** Whatever came in: an end or an error of the model, whole calls, and a history that an API takes. */
export function expectSound(heard: Heard): void {
  const { events, error } = heard;
  if (error === undefined) expect(events.at(-1)?.type).toBe("stopped");
  else expect(error).toBeInstanceOf(ModelError);
  for (const { id, name } of callsOf(heard)) expect([typeof id, typeof name]).toEqual(["string", "string"]);
  const blocks = blocksOf(heard);
  const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block["id"]] : []));
  expect(ids).toEqual(callsOf(heard).map(({ id }) => id));
  if (blocks.length === 0) return;
  expect(() => JSON.stringify(blocks)).not.toThrow();
  const results = ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
  const history = [
    { role: "user", content: "go" },
    { role: "assistant", content: blocks },
    { role: "user", content: [...results, { type: "text", text: "on" }] },
  ] as HistoryMessage[];
  expect(checkHistory(history)).toEqual([]);
}

/** The same numbers for the same seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed + 1) * 0x9e3779b1;
  }

  /** Evenly in [0, below). */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value;
  }
}
