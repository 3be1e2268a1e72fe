/** The chunks of the AI SDK's UI message stream that a run becomes, and values that can be sent in them. */

/** A chunk of a UI message stream. Assignable to `UIMessageChunk` of the AI SDK. */
export type UiChunk =
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "start";
      /** The id of the message, if the run has one. */
      readonly messageId?: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "start-step" | "finish-step";
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end";
      /** The part that the chunk belongs to. */
      readonly id: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "text-delta" | "reasoning-delta";
      /** The part that the chunk belongs to. */
      readonly id: string;
      /** The text to append. */
      readonly delta: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-input-start";
      /** The id of the call. */
      readonly toolCallId: string;
      /** The name of the tool. */
      readonly toolName: string;
      /** Whether the page knows the tool only by its name. */
      readonly dynamic: boolean;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-input-available";
      /** The id of the call. */
      readonly toolCallId: string;
      /** The name of the tool. */
      readonly toolName: string;
      /** The input of the call. */
      readonly input: unknown;
      /** What the call does, in one line. */
      readonly title: string;
      /** Whether the page knows the tool only by its name. */
      readonly dynamic: boolean;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-approval-request";
      /** The id to answer with. */
      readonly approvalId: string;
      /** The id of the call. */
      readonly toolCallId: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-output-available";
      /** The id of the call. */
      readonly toolCallId: string;
      /** The output, as data that JSON can hold. */
      readonly output: unknown;
      /** True for progress: the result follows. */
      readonly preliminary?: boolean;
      /** Whether the page knows the tool only by its name. */
      readonly dynamic: boolean;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-output-error";
      /** The id of the call. */
      readonly toolCallId: string;
      /** What went wrong. */
      readonly errorText: string;
      /** Whether the page knows the tool only by its name. */
      readonly dynamic: boolean;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "tool-output-denied";
      /** The id of the call. */
      readonly toolCallId: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: `data-${string}`;
      /** A later chunk with the same id replaces the part. */
      readonly id?: string;
      /** The data of the part. */
      readonly data: unknown;
      /** True if the message does not keep the part. */
      readonly transient?: boolean;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "error";
      /** What went wrong. */
      readonly errorText: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "abort";
      /** Why the run was stopped. */
      readonly reason?: string;
    }
  | {
      /** The kind of chunk, as in the AI SDK. */
      readonly type: "finish";
      /** How the run ended. */
      readonly finishReason: "stop" | "length" | "error" | "other";
      /** The reason, the number of turns, the usage and the cost of the run. */
      readonly messageMetadata: unknown;
    };

/** Returns a value that can be sent as JSON: itself, or its text if it has none. */
export function sendable(value: unknown, otherwise: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? sendable(otherwise, "") : (JSON.parse(text) as unknown);
  } catch {
    return value === otherwise ? String(value) : sendable(otherwise, "");
  }
}
