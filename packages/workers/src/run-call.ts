/** Runs one call on a worker, with a time limit. A tool that does not stop is abandoned. */
import type { AnyTool, CallContext, NestedPermissions, SharedContext } from "@runahead/engine";
import { messageOf } from "@runahead/base";
import { LIMITS } from "./limits.ts";

export type Ended =
  | { readonly type: "output"; readonly output: unknown }
  | { readonly type: "failed"; readonly message: string; readonly stack: string };

export interface RunRequest {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly context: SharedContext;
  readonly limitMs: number | undefined;
  readonly progress: (data: unknown) => void;
}

/** A worker cannot ask the user, so nested calls are denied. */
const NOBODY: NestedPermissions = {
  canUseTool: () => ({ behavior: "deny", reason: "workers do not run nested calls" }),
  ask: () => ({ behavior: "deny", message: "a worker cannot ask the user", endTurn: false }),
};

const PRINTED_CHARS = 10_000;

export class CallRun {
  readonly #request: RunRequest;
  #abort: AbortController | undefined;
  readonly #startedAt = performance.now();
  readonly #changes: ((context: SharedContext) => SharedContext)[] = [];
  #printed = "";
  #timer: NodeJS.Timeout | undefined;
  #giveUp: ((ended: Ended) => void) | undefined;
  #reason: string | undefined;
  #isLate = false;

  constructor(request: RunRequest) {
    this.#request = request;
  }

  get ranMs(): number {
    return performance.now() - this.#startedAt;
  }

  async run(): Promise<Ended> {
    const { limitMs } = this.#request;
    if (limitMs !== undefined) this.#timer = setTimeout(() => this.#late(limitMs), limitMs);
    const ended = await new Promise<Ended>((resolve) => {
      this.#giveUp = resolve;
      void this.#call().then(resolve);
    });
    clearTimeout(this.#timer);
    return this.#isLate ? { type: "failed", message: this.#stopped(), stack: "" } : ended;
  }

  /** Stops the tool. Only the first reason counts. */
  stop(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abandon(), LIMITS.stopMs);
    this.#aborting().abort(new Error(reason));
  }

  /** Returns the members of the context that the call changed; undefined if they cannot be sent. */
  changes(): Record<string, unknown> | undefined {
    if (this.#changes.length === 0) return undefined;
    const before = this.#request.context as Readonly<Record<string, unknown>> & SharedContext;
    let after: SharedContext = before;
    try {
      for (const modify of this.#changes) after = modify(after);
      const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
      return JSON.parse(JSON.stringify(Object.fromEntries(changed))) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }

  async #call(): Promise<Ended> {
    const { tool, input } = this.#request;
    try {
      return { type: "output", output: await tool.call(input, this.#scope()) };
    } catch (error) {
      return { type: "failed", message: messageOf(error), stack: framesOf(error) };
    }
  }

  /** Created on demand: most calls are short and do not use it. */
  #aborting(): AbortController {
    this.#abort ??= new AbortController();
    return this.#abort;
  }

  #scope(): CallContext {
    const { callId, idempotencyKey, context, progress } = this.#request;
    const aborting = (): AbortController => this.#aborting();
    return {
      callId,
      idempotencyKey,
      context,
      cwd: context.cwd,
      get signal() {
        return aborting().signal;
      },
      message: undefined,
      permissions: NOBODY,
      progress: (data) => {
        this.#note(data);
        progress(data);
      },
      change: (modify) => void this.#changes.push(modify),
    };
  }

  #note(data: unknown): void {
    const { type, content } = (data ?? {}) as { type?: unknown; content?: unknown };
    if (type === "output" && typeof content === "string")
      this.#printed = (this.#printed + content).slice(-PRINTED_CHARS);
  }

  #late(limitMs: number): void {
    if (this.#reason !== undefined) return;
    this.#isLate = true;
    this.stop(`it reached its time limit of ${limitMs / 1_000} s`);
  }

  #abandon(): void {
    const message = `${this.#stopped()}\nIt did not stop and may still be running.`;
    this.#isLate = false;
    this.#giveUp?.({ type: "failed", message, stack: "" });
  }

  #stopped(): string {
    const printed = this.#printed === "" ? "It had no output." : `Its output so far:\n${this.#printed}`;
    const seconds = (this.ranMs / 1_000).toFixed(1);
    return `Stopped after ${seconds} s: ${this.#reason}. It may have had effects.\n${printed}`;
  }
}

function framesOf(error: unknown): string {
  if (!(error instanceof Error) || typeof error.stack !== "string") return "";
  const [tools = ""] = error.stack.split(/\n\s+at [^\n]*CallRun\.#call/);
  const frames = tools.split("\n").filter((line) => /^\s+at /.test(line));
  return frames.slice(0, LIMITS.stackLines).join("\n");
}
