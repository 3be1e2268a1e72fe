/** Models with fixed responses, for tests, demos and recordings. */

import { ModelError } from "./error.ts";
import type { Model, ModelEvent } from "./event.ts";
import type { Block, ModelRequest } from "./message.ts";
import { checkToolChoice } from "./tool-choice.ts";
import { anArray, required, stringOf, aFunction, aString, checkMembers } from "@runahead/base";

/** One response: blocks that come in one after the other, or a function of the request. */
export type ScriptedTurn = readonly Block[] | ((request: ModelRequest) => readonly Block[]);

/**
 * Creates a model that plays the given turns in order, for tests and demos.
 *
 * Throws a TypeError if the turns are not arrays of blocks or functions. After the last turn, requests fail with a
 * {@link ModelError}. So do requests whose `toolChoice` names a tool that they do not have, as with other models.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 *
 * const model = scripted([[{ type: "text", text: "Hello." }]]);
 * console.log((await createAgent({ model, tools: [] }).send("Hi")).text); // Hello.
 * ```
 */
export function scripted(turns: readonly ScriptedTurn[]): Model {
  required(anArray)(turns, "scripted: the turns");
  for (const [at, turn] of turns.entries())
    if (typeof turn !== "function") required(anArray)(turn, `scripted: turn ${at + 1}`);
  let next = 0;
  return {
    name: "scripted",
    async *stream(request, signal) {
      checkToolChoice(request);
      const turn = turns[next++];
      if (turn === undefined)
        throw new ModelError(
          "bad-request",
          `The script has only ${turns.length} turns. Add one for each request.`,
        );
      const blocks = typeof turn === "function" ? turn(request) : turn;
      yield { type: "message-started", id: `scripted_${next}`, model: "scripted" };
      for (const block of blocks) {
        signal.throwIfAborted();
        yield* eventsOf(block);
      }
      const hasCalls = blocks.some(({ type }) => type === "tool_use");
      yield { type: "stopped", reason: hasCalls ? "tool_use" : "end_turn", detail: "" };
    },
  };
}

function* eventsOf(block: Block): Generator<ModelEvent, void, undefined> {
  if (block.type === "text") yield { type: "text", text: stringOf(block["text"]) };
  if (block.type === "thinking") yield { type: "thinking", text: stringOf(block["thinking"]) };
  if (block.type === "tool_use") {
    const call = { id: stringOf(block["id"]), name: stringOf(block["name"]), input: block["input"] };
    yield { type: "call-begun", id: call.id, name: call.name };
    yield { type: "call-complete", call };
  }
  yield { type: "block", block };
}

/** Recorded responses with their timing: plain data, one list for each response. */
export type Recording = readonly (readonly RecordedEvent[])[];

/** One event of a {@link Recording}. */
export interface RecordedEvent {
  /** Milliseconds after the request. */
  readonly at: number;
  /** The event of the model. */
  readonly event: RecordableEvent;
}

/** An event without the preview of its input, which cannot be stored. */
export type RecordableEvent =
  | Exclude<ModelEvent, { type: "call-delta" }>
  | Omit<Extract<ModelEvent, { type: "call-delta" }>, "preview">;

/**
 * Wraps a model and calls `onResponse` with a recording of each response when it ends.
 *
 * @example
 * ```ts
 * import { type RecordedEvent, anthropic, createAgent, record, replay } from "@runahead/agent";
 *
 * const responses: (readonly RecordedEvent[])[] = [];
 * const model = record(anthropic({ model: "claude-sonnet-4-6" }), (events) => responses.push(events));
 * await createAgent({ model, tools: [] }).send("Say hello.");
 * await createAgent({ model: replay(responses), tools: [] }).send("Say hello.");
 * ```
 */
export function record(model: Model, onResponse: (events: readonly RecordedEvent[]) => void): Model {
  checkMembers(model, { name: required(aString), stream: required(aFunction) }, "record");
  required(aFunction)(onResponse, 'record: "onResponse"');
  return {
    name: model.name,
    async *stream(request, signal) {
      const begun = performance.now();
      const events: RecordedEvent[] = [];
      try {
        for await (const event of model.stream(request, signal)) {
          events.push({ at: performance.now() - begun, event: recordable(event) });
          yield event;
        }
      } finally {
        onResponse(events);
      }
    },
  };
}

function recordable(event: ModelEvent): RecordableEvent {
  if (event.type !== "call-delta") return event;
  const { type, id, name, delta } = event;
  return { type, id, name, delta };
}

/**
 * Creates a model that plays a recording with its own timing, or `speed` times as fast.
 *
 * After the last response, requests fail with a {@link ModelError}.
 *
 * @throws TypeError if the recording is not an array, or the speed is not a number above 0.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { type Recording, createAgent, replay } from "@runahead/agent";
 *
 * const recording = JSON.parse(readFileSync("recording.json", "utf8")) as Recording;
 * const agent = createAgent({ model: replay(recording, 10), tools: [] });
 * ```
 */
export function replay(recording: Recording, speed = 1): Model {
  required(anArray)(recording, "replay: the recording");
  if (!(speed > 0)) throw new TypeError(`replay: the speed must be a number above 0, got ${speed}.`);
  let next = 0;
  return {
    name: "replay",
    async *stream(_request, signal) {
      const events = recording[next++];
      if (events === undefined)
        throw new ModelError(
          "bad-request",
          `The recording has only ${recording.length} responses. Record the whole run.`,
        );
      const pauses = new Pauses(signal);
      const begun = performance.now();
      try {
        for (const { at, event } of events) {
          const wait = at / speed - (performance.now() - begun);
          if (wait > 0) await pauses.next(wait);
          signal.throwIfAborted();
          yield event.type === "call-delta" ? { ...event, preview: () => ({}) } : event;
        }
      } finally {
        pauses.end();
      }
    },
  };
}

/** Waits that end early when the signal is aborted, with one listener for all of them. */
class Pauses {
  readonly #signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #wake = (): void => {};
  readonly #abort = (): void => {
    clearTimeout(this.#timer);
    this.#wake();
  };

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  next(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#signal.aborted) return resolve();
      this.#wake = resolve;
      this.#timer = setTimeout(resolve, waitMs);
    });
  }

  end(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}
