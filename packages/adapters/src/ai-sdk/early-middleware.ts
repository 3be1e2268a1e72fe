/** Middleware for a language model of the AI SDK that observes each streamed response. It changes nothing in it. */

import { shapeOf, stringOf } from "@runahead/base";

/** Middleware for `wrapLanguageModel` of the AI SDK. */
export interface EarlyMiddleware {
  /** The version of the middleware interface. */
  readonly specificationVersion: "v3";
  /** Passes the stream on unchanged and observes it. */
  wrapStream<Result extends { readonly stream: ReadableStream }>(options: {
    readonly doStream: () => PromiseLike<Result>;
  }): Promise<Result>;
}

/** `ended`: well, so that the SDK asks for the calls. `cut`: it will not. `broken`: it failed or was abandoned. */
type State = "open" | "ended" | "cut" | "broken";

/** After these the SDK asks for the calls of a response. */
const GOOD: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

/** Called when a call begins to arrive in a stream, and when it is complete. */
export type OnCall = (callId: string, stream: LiveStream) => void;

/** One response as it streams. */
export class LiveStream {
  state: State = "open";
  readonly #onCall: OnCall;
  readonly #listeners: (() => void)[] = [];

  constructor(onCall: OnCall) {
    this.#onCall = onCall;
  }

  /** Calls the listener when the response has ended; at once if it has. */
  onEnd(listener: () => void): void {
    if (this.state === "open") this.#listeners.push(listener);
    else listener();
  }

  heard(part: unknown): void {
    const { type, toolCallId, id, finishReason } = shapeOf(part);
    if (type === "tool-call") this.#onCall(stringOf(toolCallId), this);
    if (type === "tool-input-start") this.#onCall(stringOf(id), this);
    if (type === "error") this.end("broken");
    if (type !== "finish") return;
    const reason = stringOf(finishReason) || stringOf(shapeOf(finishReason)["unified"]);
    this.end(GOOD.has(reason) ? "ended" : reason === "error" ? "broken" : "cut");
  }

  end(state: Exclude<State, "open">): void {
    if (this.state !== "open") return;
    this.state = state;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

export function middlewareOf(onCall: OnCall): EarlyMiddleware {
  return {
    specificationVersion: "v3",
    async wrapStream({ doStream }) {
      const result = await doStream();
      const live = new LiveStream(onCall);
      return { ...result, stream: observed(result.stream as ReadableStream<unknown>, live) };
    },
  };
}

/** Reads one part ahead of nobody: a part is observed when the SDK asks for it. Not async, which costs more per part. */
function observed(stream: ReadableStream<unknown>, live: LiveStream): ReadableStream<unknown> {
  const reader = stream.getReader();
  return new ReadableStream<unknown>(
    {
      pull: (controller) =>
        reader.read().then(
          ({ done, value }) => {
            if (!done) {
              live.heard(value);
              return controller.enqueue(value);
            }
            // A response without its last part has broken off.
            live.end("broken");
            controller.close();
          },
          (error: unknown) => {
            live.end("broken");
            controller.error(error);
          },
        ),
      cancel(reason) {
        live.end("broken");
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
