/** Updates on their way to the client, in order. While it does not read, live output is replaced rather than heaped up. */

import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** A text that is longer goes out in several messages. */
const MOST_CHUNK_CHARS = 100_000;

type Send = (update: SessionUpdate) => Promise<void>;

export class Outbox {
  readonly #send: Send;
  #unsent: SessionUpdate[] = [];
  #sending: Promise<void> | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  add(update: SessionUpdate): void {
    if (!this.#joined(update)) this.#unsent.push(update);
    this.#sending ??= this.#work();
  }

  /** When all of it is written, or nobody is there to write to. */
  async drained(): Promise<void> {
    await this.#sending;
  }

  /** What has not been sent may take this in, so that what waits stays small. */
  #joined(update: SessionUpdate): boolean {
    if (isLive(update)) {
      const at = this.#unsent.findIndex((other) => isLive(other) && other.toolCallId === update.toolCallId);
      if (at < 0) return false;
      this.#unsent[at] = update;
      return true;
    }
    const last = this.#unsent.at(-1);
    const text = last === undefined ? undefined : joinedText(last, update);
    if (text === undefined) return false;
    this.#unsent[this.#unsent.length - 1] = text;
    return true;
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#unsent.shift(); next !== undefined; next = this.#unsent.shift())
        await this.#send(next);
    } catch {
      // The client is gone, and so is whoever would read the rest.
      this.#unsent = [];
    } finally {
      this.#sending = undefined;
    }
  }
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

/** Output of a call that goes on: what comes after it has all of it. */
function isLive(update: SessionUpdate): update is CallUpdate {
  return (
    update.sessionUpdate === "tool_call_update" && update.status === undefined && update.title === undefined
  );
}

function joinedText(one: SessionUpdate, other: SessionUpdate): SessionUpdate | undefined {
  if (!isChunk(one) || !isChunk(other) || one.sessionUpdate !== other.sessionUpdate) return undefined;
  if (one.content.type !== "text" || other.content.type !== "text") return undefined;
  const text = one.content.text + other.content.text;
  return text.length > MOST_CHUNK_CHARS ? undefined : { ...one, content: { type: "text", text } };
}

function isChunk(
  update: SessionUpdate,
): update is Extract<SessionUpdate, { sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" }> {
  return update.sessionUpdate === "agent_message_chunk" || update.sessionUpdate === "agent_thought_chunk";
}
