/** The events of a run, as far as a UI message shows them. Runs of `@runahead/agent` have them. */

interface OfCall {
  readonly callId: string;
  readonly toolName: string;
}

interface OfAnyCall extends OfCall {
  /** The call that made the call, such as the call of a script. */
  readonly parentId?: string;
}

/** What a run reports. `AgentEvent` of `@runahead/agent` has all of these, and others. */
export type RunEvent =
  | { readonly type: "message-started" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | ({ readonly type: "call-arriving" } & OfCall)
  | ({ readonly type: "call-arrived"; readonly input: unknown; readonly description: string } & OfAnyCall)
  | ({ readonly type: "call-started" } & OfAnyCall)
  | ({ readonly type: "call-progress"; readonly data: unknown } & OfAnyCall)
  | ({ readonly type: "call-settled"; readonly outcome: Settled; readonly output: unknown } & OfAnyCall)
  | ({
      readonly type: "agent-event";
      readonly agentId: string;
      readonly agentType: string;
      readonly event: RunEvent;
    } & OfCall)
  | { readonly type: "agent-started"; readonly description: string }
  | { readonly type: "turn-ended" }
  | { readonly type: "retry"; readonly error: { readonly message: string } }
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "ended"; readonly result: RunResult };

/** How a call ended. */
export interface Settled {
  readonly type: "succeeded" | "failed" | "denied" | "aborted";
  /** What the model reads, of a call that succeeded. */
  readonly content?: unknown;
  readonly message?: unknown;
}

/** How a run ended. */
export interface RunResult {
  readonly reason: string;
  readonly detail: string;
  readonly turns: number;
  readonly usage: object;
  readonly costUsd: number | undefined;
}
