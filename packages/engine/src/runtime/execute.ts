/** Runs one call: its context, its progress, its post hooks, and how its own code ended. */

import type { Call } from "../core/call.ts";
import { type Cancellation, LinkedCancellation } from "./cancellation.ts";
import { type Clock, withLimit } from "./clock.ts";
import type { Keys } from "./idempotency.ts";
import { HOOK_LIMIT_MS } from "./judge.ts";
import type { Ending } from "../core/outcome.ts";
import { forgetFolders } from "./file-place.ts";
import {
  type Bounding,
  DEFAULT_RESULT_CHARS,
  bound,
  checkedContent,
  cleanText,
  contentChars,
  toContent,
} from "./output.ts";
import type { Hooks, NestedPermissions, PostToolUse, Results } from "./ports.ts";
import { type Attempt, attemptAgain, backOff } from "./retry.ts";
import type { Notifier } from "./notifier.ts";
import type { Run } from "./run.ts";
import { errorText, messageOf, notAnObject, toText } from "./serialise.ts";
import { isThenable } from "./thenable.ts";
import type { AnyTool, CallContext, ResultContent, SharedContext } from "./tool.ts";

export interface ExecutePorts {
  readonly hooks: Hooks;
  readonly results: Results;
  readonly clock: Clock;
  readonly permissions: NestedPermissions;
  readonly keys: Keys;
  readonly contextOf: (call: Call) => SharedContext;
  readonly progress: (run: Run, data: unknown) => void;
  /** An attempt failed, and another one follows. */
  retries(run: Run, attempt: Attempt): void;
  finished(run: Run, ending: Ending, endTurn: string | undefined): void;
  readonly notifier: Notifier;
}

export class Execution {
  readonly #ports: ExecutePorts;

  constructor(ports: ExecutePorts) {
    this.#ports = ports;
  }

  /** Calls the tool at once. An error that it throws, now or later, affects only this call. */
  start(run: Run): void {
    try {
      const value = this.#call(run);
      if (isThenable(value)) this.#await(run, value);
      else this.#returned(run, value);
    } catch (error) {
      this.#threw(run, error);
    }
  }

  #call(run: Run): unknown {
    try {
      return run.taken.tool.call(run.input, new CallScope(run, this.#ports));
    } finally {
      forgetFolders();
    }
  }

  /** Uses our own promise, which settles once: a thenable of the tool could call back twice. */
  #await(run: Run, value: PromiseLike<unknown>): void {
    void Promise.prototype.then.call(
      Promise.resolve(value),
      (output) => this.#returned(run, output),
      (error: unknown) => this.#threw(run, error),
    );
  }

  #threw(run: Run, error: unknown): void {
    const { keys, clock } = this.#ports;
    const again = attemptAgain(run, error, () => keys.of(run.taken.id));
    if (again === undefined) return this.#failed(run, error);
    this.#ports.retries(run, again);
    // The journal or the listener may have stopped it.
    if (run.isCancelled || run.hasEnded) return this.#failed(run, error);
    backOff(
      run,
      { clock, waitMs: again.waitMs },
      {
        again: () => {
          run.attempt++;
          this.start(run);
        },
        stopped: () => this.#failed(run, error),
      },
    );
  }

  #returned(run: Run, output: unknown): void {
    run.output = output;
    const content = toContent(run.taken.tool, output);
    if (this.#ports.hooks.postToolUse === undefined) return this.#finish(run, "succeeded", { content });
    void this.#afterwards(run, "postToolUse", { output, content }).then((said) => {
      const whole = withAddition(said?.content ?? content, said);
      if (run.taken.tool.afterHooks === undefined) this.#finish(run, "succeeded", { content: whole, said });
      else void this.#afterHooks(run, output, { content: whole, said });
    });
  }

  /** A hook can have changed what the tool wrote, so the tool looks once more. */
  async #afterHooks(run: Run, output: unknown, { content, said }: Finish): Promise<void> {
    const { taken } = run;
    const looking = new LinkedCancellation(() => run.signal);
    let found: PostToolUse | undefined;
    try {
      const looked = run.hasEnded
        ? undefined
        : taken.tool.afterHooks?.(output, new CallScope(run, this.#ports, looking));
      const addition = await withLimit(run.timers(this.#ports.clock), HOOK_LIMIT_MS, looked);
      found = addition === undefined ? undefined : checkedAnswer({ addition });
    } catch (error) {
      looking.cancel(error);
      this.#ports.notifier.hookFailed(taken, "postToolUse", error);
    }
    this.#finish(run, "succeeded", { content: withAddition(content, found), said });
  }

  #failed(run: Run, error: unknown): void {
    const content = errorText(error);
    if (this.#ports.hooks.postToolUseFailure === undefined) return this.#finish(run, "failed", { content });
    void this.#afterwards(run, "postToolUseFailure", { error: messageOf(error) }).then((said) => {
      this.#finish(run, "failed", { content: withAddition(content, said), said });
    });
  }

  #finish(run: Run, type: Ending["type"], finish: Finish): void {
    if (contentChars(finish.content) <= maxCharsOf(run.taken.tool)) this.#report(run, type, finish);
    else void this.#shorten(run, type, finish);
  }

  async #shorten(run: Run, type: Ending["type"], { content, said }: Finish): Promise<void> {
    const { id: callId, tool } = run.taken;
    const { results, notifier } = this.#ports;
    const onFailure: Bounding["onFailure"] = (...about) => notifier.resultsFailed(...about);
    const bounding = { callId, toolName: tool.name, maxChars: maxCharsOf(tool), results, onFailure };
    this.#report(run, type, { content: await bound(content, bounding), said });
  }

  #report(run: Run, type: Ending["type"], { content, said }: Finish): void {
    const ranMs = this.#ports.clock.now() - run.startedAt;
    this.#ports.finished(run, { type, content, ranMs, output: run.printed }, said?.endTurn);
  }

  /**
   * The call still holds its claims: a hook that formats a file must not race with the next edit. A call that ends
   * after it was abandoned holds none, so its hooks do not run.
   */
  async #afterwards(
    run: Run,
    hook: "postToolUse" | "postToolUseFailure",
    facts: object,
  ): Promise<PostToolUse | undefined> {
    const { hooks, clock, contextOf } = this.#ports;
    if (run.hasEnded) return undefined;
    const { taken, call: judged, input } = run;
    const { id: callId, tool } = taken;
    const asking = new LinkedCancellation(() => run.signal);
    try {
      const ranMs = clock.now() - run.startedAt;
      const { signal } = asking;
      const call = { callId, tool, input, signal, context: contextOf(judged), ranMs, ...facts };
      const ask = hooks[hook]?.bind(hooks) as ((call: object) => unknown) | undefined;
      return checkedAnswer(await withLimit(run.timers(clock), HOOK_LIMIT_MS, ask?.(call)));
    } catch (error) {
      asking.cancel(error);
      this.#ports.notifier.hookFailed(taken, hook, error);
      return undefined;
    }
  }
}

interface Finish {
  readonly content: ResultContent;
  readonly said?: PostToolUse | undefined;
}

export function maxCharsOf({ maxResultChars }: AnyTool): number {
  return maxResultChars !== undefined && maxResultChars >= 0 ? maxResultChars : DEFAULT_RESULT_CHARS;
}

/** Hooks are foreign code, so their results are validated. */
function checkedAnswer(said: unknown): PostToolUse | undefined {
  if (said === undefined || said === null) return undefined;
  if (typeof said !== "object") throw notAnObject(said);
  const { content, addition, endTurn } = said as Record<string, unknown>;
  if (addition !== undefined && typeof addition !== "string")
    throw new TypeError(`its addition must be a string, got ${toText(addition)}`);
  if (endTurn !== undefined && typeof endTurn !== "string")
    throw new TypeError(`its endTurn must be a reason (a string), got ${toText(endTurn)}`);
  return {
    ...(content === undefined ? {} : { content: checkedContent(content) }),
    ...(addition === undefined ? {} : { addition }),
    ...(endTurn === undefined ? {} : { endTurn }),
  };
}

/** What a running call can use. Most calls use little of it, so each member is created on first use. */
class CallScope implements CallContext {
  readonly context: SharedContext;
  readonly #run: Run;
  readonly #ports: ExecutePorts;
  readonly #cancellation: Cancellation;

  /** A look at what hooks changed has a time limit of its own, and so its own cancellation. */
  constructor(run: Run, ports: ExecutePorts, cancellation: Cancellation = run) {
    this.#run = run;
    this.#ports = ports;
    this.#cancellation = cancellation;
    this.context = ports.contextOf(run.call);
  }

  get callId(): string {
    return this.#run.taken.id;
  }

  get idempotencyKey(): string {
    return this.#ports.keys.of(this.#run.taken.id);
  }

  get cwd(): string {
    return this.context.cwd;
  }

  get message(): unknown {
    return this.#run.taken.message;
  }

  get permissions(): NestedPermissions {
    return this.#ports.permissions;
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** Bound, because tools destructure the context. */
  get progress(): (data: unknown) => void {
    return (data) => this.#ports.progress(this.#run, data);
  }

  get change(): CallContext["change"] {
    return (modify) => {
      if (typeof modify === "function") return this.#run.change(modify);
      const given = toText(modify).slice(0, 100);
      this.#ports.notifier.contextFailed(
        new TypeError(`change() takes a function that returns the new context, not ${given}`),
      );
    };
  }
}

function withAddition(content: ResultContent, said: PostToolUse | undefined): ResultContent {
  const addition = said?.addition ?? "";
  const whole = typeof content === "string" ? cleanText(content) : content;
  if (addition === "") return whole;
  if (typeof whole === "string") return `${whole}\n${cleanText(addition)}`;
  return [...whole, { type: "text", text: cleanText(addition) }];
}
