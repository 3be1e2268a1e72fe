/** Sends updates to the client in order. While the client does not read, live output is replaced instead of queued. */

import type { SessionUpdate } from "@agentclientprotocol/sdk";

/** Longer text is sent in several messages. */
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

  /** Resolves when everything is written or the client is gone. */
  async drained(): Promise<void> {
    await this.#sending;
  }

  /** Merges an update into an unsent one, so that the queue stays small. */
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
      // The client is gone, so nobody reads the rest.
      this.#unsent = [];
    } finally {
      this.#sending = undefined;
    }
  }
}

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

/** Output of a running call. The next update contains all of it again. */
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
