/** The chunks of the AI SDK's UI message stream that a run becomes, and values that can be sent in them. */

/** A chunk of a UI message stream. Assignable to `UIMessageChunk` of the AI SDK. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId?: string }
  | { readonly type: "start-step" }
  | { readonly type: "finish-step" }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-start";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly dynamic: boolean;
    }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly title: string;
      readonly dynamic: boolean;
    }
  | { readonly type: "tool-approval-request"; readonly approvalId: string; readonly toolCallId: string }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: unknown;
      readonly preliminary?: boolean;
      readonly dynamic: boolean;
    }
  | {
      readonly type: "tool-output-error";
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: boolean;
    }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | {
      readonly type: `data-${string}`;
      readonly id?: string;
      readonly data: unknown;
      readonly transient?: boolean;
    }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason?: string }
  | {
      readonly type: "finish";
      readonly finishReason: "stop" | "length" | "error" | "other";
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
