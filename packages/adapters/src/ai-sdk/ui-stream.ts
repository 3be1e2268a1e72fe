/** A run as a UI message stream of the AI SDK, so that `useChat` shows its text, calls, progress, approvals and sub-agents. */

import { type Check, aBoolean, aFunction, aString, checkOptions, isShape, stringOf } from "@runahead/base";
import { UiAgents } from "./ui-agents.ts";
import { type UiChunk, sendable } from "./ui-chunk.ts";
import type { RunEvent, RunResult, Settled } from "./ui-events.ts";
import { UiScripts, scriptEvent } from "./ui-scripts.ts";

/** A question that is answered later. Those of `session.questions` have this form. */
export interface UiQuestion {
  /** Identifies the question: the id of the approval. */
  readonly id: string;
  /** The call that it is about. */
  readonly callId: string;
}

/** Options of {@link toUIMessageStream}. */
export interface UiStreamOptions {
  /**
   * Returns the questions that are open when a run ends with `deferred`: `() => session.questions`. Each becomes an
   * approval request. Default: none.
   */
  readonly questions?: () => readonly UiQuestion[];
  /** The id of the message. Default: the client chooses, and a continued run continues the last message. */
  readonly messageId?: string;
  /** Whether calls are parts of the type `dynamic-tool`, or `tool-NAME` for clients with types for tools. Default: true. */
  readonly dynamic?: boolean;
}

/** An answer of the user to an approval request. */
export interface UiApproval {
  /** The id of the approval: that of the question. */
  readonly id: string;
  /** Whether the call is allowed. */
  readonly approved: boolean;
  /** Why; empty if the user gave no reason. */
  readonly reason: string;
}

const OPTIONS: Readonly<Record<keyof UiStreamOptions, Check>> = {
  questions: aFunction,
  messageId: aString,
  dynamic: aBoolean,
};

/**
 * Turns the events of a run into a UI message stream of the AI SDK. Pass it to `createUIMessageStreamResponse`. A client
 * that leaves ends the reading of the events.
 *
 * @throws TypeError if `run` cannot be iterated, or an option is wrong.
 *
 * @example
 * ```ts
 * import { type Model, type Session, query } from "@runahead/agent";
 * import { toUIMessageStream } from "@runahead/adapters/ai-sdk";
 * import { createUIMessageStreamResponse } from "ai";
 *
 * declare const model: Model;
 * declare const session: Session;
 * export function answer(prompt: string): Response {
 *   const run = query({ model, tools: [], session, prompt, ask: () => ({ behavior: "defer" }) });
 *   return createUIMessageStreamResponse({
 *     stream: toUIMessageStream(run, { questions: () => session.questions }),
 *   });
 * }
 * ```
 */
export function toUIMessageStream(
  run: AsyncIterable<{ readonly type: string }>,
  options: UiStreamOptions = {},
): ReadableStream<UiChunk> {
  checkOptions(options, OPTIONS, "toUIMessageStream");
  if (typeof (run as Partial<typeof run> | undefined)?.[Symbol.asyncIterator] !== "function")
    throw new TypeError(
      "toUIMessageStream: the run must be the events of query(), or another async iterable of them.",
    );
  const chunks = chunksOf(run as AsyncIterable<RunEvent>, options);
  return new ReadableStream<UiChunk>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(
  run: AsyncIterable<RunEvent>,
  options: UiStreamOptions,
): AsyncGenerator<UiChunk, void, undefined> {
  const { messageId } = options;
  const message = new UiMessage(options);
  yield { type: "start", ...(messageId === undefined ? {} : { messageId }) };
  try {
    for await (const event of run) yield* message.take(event);
  } catch (error) {
    // The client shows the error; a broken stream would show nothing.
    yield { type: "error", errorText: error instanceof Error ? error.message : String(error) };
  }
}

type Kind = "text" | "reasoning";
type CallEvent = Extract<
  RunEvent,
  { readonly type: "call-arriving" | "call-arrived" | "call-progress" | "call-settled" }
>;

class UiMessage {
  readonly #options: UiStreamOptions;
  readonly #agents = new UiAgents();
  readonly #scripts = new UiScripts();
  readonly #dynamic: boolean;
  /** Calls whose input has begun to arrive. */
  readonly #begun = new Set<string>();
  #open: { readonly kind: Kind; readonly id: string } | undefined;
  #blocks = 0;
  /** A response has begun. Calls before that belong to a turn that waited for answers: the client has them already. */
  #hasBegun = false;

  constructor(options: UiStreamOptions) {
    this.#options = options;
    this.#dynamic = options.dynamic ?? true;
  }

  *take(event: RunEvent): Generator<UiChunk, void, undefined> {
    const nested = scriptEvent(event);
    if (nested !== undefined) return yield* this.#script(nested);
    switch (event.type) {
      case "message-started":
        this.#hasBegun = true;
        yield* this.#close();
        return yield { type: "start-step" };
      case "text":
        return yield* this.#say("text", event.text);
      case "thinking":
        return yield* this.#say("reasoning", event.text);
      case "turn-ended":
        yield* this.#close();
        return yield { type: "finish-step" };
      case "call-arriving":
      case "call-arrived":
      case "call-progress":
      case "call-settled":
        return yield* this.#call(event);
      case "agent-event": {
        const changed = this.#agents.take(event);
        if (changed !== undefined) yield { type: "data-agent", id: changed.id, data: changed.agent };
        return;
      }
      case "retry":
        yield* this.#close();
        return yield { type: "data-notice", data: { message: event.error.message }, transient: true };
      case "notice":
        return yield { type: "data-notice", data: { message: event.message }, transient: true };
      case "ended":
        return yield* this.#end(event.result);
      // A message of the AI SDK has no part for them.
      case "agent-started":
      case "call-started":
        return;
    }
  }

  /** The progress of a call of a script is not shown. */
  *#script(nested: NonNullable<ReturnType<typeof scriptEvent>>): Generator<UiChunk, void, undefined> {
    const { event } = nested;
    if (event.type === "call-progress") return;
    const { id, calls } = this.#scripts.take(event, nested);
    yield { type: "data-calls", id, data: calls };
  }

  *#call(event: CallEvent): Generator<UiChunk, void, undefined> {
    const { callId: toolCallId, toolName } = event;
    const dynamic = this.#dynamic;
    switch (event.type) {
      case "call-arriving":
        if (this.#begun.has(toolCallId)) return;
        yield* this.#close();
        this.#begun.add(toolCallId);
        return yield { type: "tool-input-start", toolCallId, toolName, dynamic };
      case "call-arrived": {
        if (!this.#hasBegun) return;
        yield* this.#close();
        const input = sendable(event.input, {});
        const title = event.description;
        return yield { type: "tool-input-available", toolCallId, toolName, input, title, dynamic };
      }
      case "call-progress": {
        const output = sendable(event.data, null);
        return yield { type: "tool-output-available", toolCallId, output, preliminary: true, dynamic };
      }
      case "call-settled":
        return yield this.#settled(toolCallId, event.outcome, event.output);
    }
  }

  #settled(toolCallId: string, outcome: Settled, output: unknown): UiChunk {
    const dynamic = this.#dynamic;
    if (outcome.type === "denied") return { type: "tool-output-denied", toolCallId };
    if (outcome.type === "succeeded")
      return {
        type: "tool-output-available",
        toolCallId,
        output: sendable(output, outcome.content ?? ""),
        dynamic,
      };
    const errorText = forClient(stringOf(outcome.message, "The call was stopped."));
    return { type: "tool-output-error", toolCallId, errorText, dynamic };
  }

  *#say(kind: Kind, text: string): Generator<UiChunk, void, undefined> {
    if (this.#open?.kind !== kind) {
      yield* this.#close();
      this.#open = { kind, id: `${kind}-${++this.#blocks}` };
      yield { type: `${kind}-start`, id: this.#open.id };
    }
    yield { type: `${kind}-delta`, id: this.#open.id, delta: text };
  }

  *#close(): Generator<UiChunk, void, undefined> {
    if (this.#open === undefined) return;
    const { kind, id } = this.#open;
    this.#open = undefined;
    yield { type: `${kind}-end`, id };
  }

  *#end(result: RunResult): Generator<UiChunk, void, undefined> {
    yield* this.#close();
    const { reason, detail, turns, usage, costUsd } = result;
    if (reason === "deferred")
      for (const { id, callId } of this.#options.questions?.() ?? [])
        yield { type: "tool-approval-request", approvalId: id, toolCallId: callId };
    if (reason === "model_error") yield { type: "error", errorText: detail };
    if (reason === "aborted_streaming" || reason === "aborted_tools") return yield { type: "abort", reason };
    const messageMetadata = { reason, detail, turns, usage, ...(costUsd === undefined ? {} : { costUsd }) };
    yield { type: "finish", finishReason: FINISHED[reason] ?? "other", messageMetadata };
  }
}

/** The message of an error. The model also reads marks and the stack, which names files of the server. */
function forClient(message: string): string {
  return message.replaceAll(/^<tool_use_error>|<\/tool_use_error>$/g, "").replaceAll(/\n +at .*/g, "");
}

const FINISHED: Readonly<Record<string, "stop" | "length" | "error">> = {
  completed: "stop",
  max_turns: "length",
  budget: "length",
  model_error: "error",
};

/**
 * Returns the answers to approval requests in the last message of a chat, as `useChat` sends them after
 * `addToolApprovalResponse`. Pass each to `session.answer` and continue with `query({ session, … })`.
 *
 * The messages come from a client, so anything that is not an answer is ignored. `session.answer` rejects ids of questions
 * that are not open.
 *
 * @example
 * ```ts
 * import type { Session } from "@runahead/agent";
 * import { uiApprovals } from "@runahead/adapters/ai-sdk";
 *
 * declare const session: Session;
 * declare const messages: unknown;
 * for (const { id, approved, reason } of uiApprovals(messages))
 *   await session.answer(id, approved ? { behavior: "allow" } : { behavior: "deny", message: reason });
 * ```
 */
export function uiApprovals(messages: unknown): readonly UiApproval[] {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isShape(last) || last["role"] !== "assistant" || !Array.isArray(last["parts"])) return [];
  return last["parts"].flatMap((part: unknown) => {
    if (!isShape(part) || part["state"] !== "approval-responded" || !isShape(part["approval"])) return [];
    const { id, approved, reason } = part["approval"];
    return typeof id === "string" && typeof approved === "boolean"
      ? [{ id, approved, reason: stringOf(reason) }]
      : [];
  });
}
