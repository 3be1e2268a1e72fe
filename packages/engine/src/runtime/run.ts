/** One running call: what its tool uses, and its output and changes. */

import type { Call } from "../core/call.ts";
import { Cancellation } from "./cancellation.ts";
import { CallTimers, type Timers } from "./clock.ts";
import type { Cause } from "../core/outcome.ts";
import { PrintedSoFar } from "./output.ts";
import type { Input, TakenCall } from "./taken-call.ts";
import type { AnyTool, SharedContext } from "./tool.ts";

export type ContextChange = (context: SharedContext) => SharedContext;

interface Launch {
  /** The input that the permission was given for. */
  readonly input: Input;
  readonly startedAt: number;
  readonly limitMs: number;
}

export class Run extends Cancellation {
  readonly taken: TakenCall;
  /** The core's record of the call. */
  readonly call: Call;
  readonly input: Input;
  readonly startedAt: number;
  readonly limitMs: number;
  /** Its neighbours in the list of calls with the same time limit. */
  before: Run | undefined;
  after: Run | undefined;
  /** What the tool returned. */
  output: unknown;
  /** The number of the attempt that is under way. */
  attempt = 1;
  /** The call is settled: what its tool does later is ignored. */
  hasEnded = false;
  #changes: ContextChange[] | undefined;
  #printed: PrintedSoFar | undefined;
  #timers: CallTimers | undefined;

  constructor(taken: TakenCall, call: Call, { input, startedAt, limitMs }: Launch) {
    super();
    this.taken = taken;
    this.call = call;
    this.input = input;
    this.startedAt = startedAt;
    this.limitMs = limitMs;
  }

  /** Keeps the output in a progress report of the usual format. False if the report throws when it is read. */
  noteProgress(data: unknown): boolean {
    try {
      const { type, content } = (data ?? {}) as { type?: unknown; content?: unknown };
      if (type === "output" && typeof content === "string") this.#print(content);
      return true;
    } catch {
      return false;
    }
  }

  #print(text: string): void {
    if (text === "") return;
    this.#printed ??= new PrintedSoFar();
    this.#printed.add(text);
  }

  get printed(): string {
    return this.#printed?.toString() ?? "";
  }

  /** A change of the context for later calls. */
  change(modify: ContextChange): void {
    if (!this.hasEnded) (this.#changes ??= []).push(modify);
  }

  /** Returns its changes, once. */
  takeChanges(): readonly ContextChange[] | undefined {
    const changes = this.#changes;
    this.#changes = undefined;
    return changes;
  }

  /** Aborts its signal. The tool decides when it ends. */
  stop(cause: Cause): void {
    const reason = new Error(`The call was stopped: ${cause.kind}`, { cause });
    reason.name = "AbortError";
    this.cancel(reason);
  }

  /** For its attempts, its hooks and the time that it gets to stop. */
  timers(clock: Timers): Timers {
    return (this.#timers ??= new CallTimers(clock));
  }

  /** The call is settled: its timers are removed, and what it does later is ignored. */
  end(): void {
    this.hasEnded = true;
    this.#timers?.end();
  }
}

const DEFAULT_LIMIT_MS = 600_000;

/** How long a call can run. */
export function limitOf(tool: AnyTool, input: Input): number {
  try {
    const limitMs = tool.timeoutMs?.(input) ?? DEFAULT_LIMIT_MS;
    return limitMs > 0 ? limitMs : DEFAULT_LIMIT_MS;
  } catch {
    return DEFAULT_LIMIT_MS;
  }
}
