/** One call, run: its context, its progress, its hooks afterwards, and how its own code ended. */

import { HOOK_LIMIT_MS } from "./judge.ts";
import { type Clock, withLimit } from "./clock.ts";
import type { LiveCall } from "./live-call.ts";
import type { Ending } from "./outcome.ts";
import { DEFAULT_RESULT_CHARS, bound, cleanText, contentChars, toContent } from "./output.ts";
import type { Hooks, Permissions, PostToolUse, Results } from "./ports.ts";
import { errorText, messageOf } from "./serialise.ts";
import { isThenable } from "./thenable.ts";
import type { CallContext, ResultContent, SharedContext } from "./tool.ts";

export const DEFAULT_LIMIT_MS = 600_000;

export interface ExecutePorts {
  readonly hooks: Hooks;
  readonly results: Results;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly contextOf: (live: LiveCall) => SharedContext;
  readonly progress: (live: LiveCall, data: unknown) => void;
  finished(live: LiveCall, ending: Ending, endTurn: string | undefined): void;
  hookFailed(live: LiveCall, hook: string, error: unknown): void;
  resultsFailed(live: LiveCall, message: string): void;
}

export class Execution {
  readonly #ports: ExecutePorts;

  constructor(ports: ExecutePorts) {
    this.#ports = ports;
  }

  /** Enters the tool's code at once; what it throws, now or later, is its failure and nobody else's. */
  run(live: LiveCall): void {
    try {
      const value: unknown = live.tool.call(live.input, new CallScope(live, this.#ports));
      if (isThenable(value)) this.#await(live, value);
      else this.#returned(live, value);
    } catch (error) {
      this.#failed(live, error);
    }
  }

  #await(live: LiveCall, value: PromiseLike<unknown>): void {
    const fail = (error: unknown): void => this.#failed(live, error);
    const succeed = (output: unknown): void => {
      try {
        this.#returned(live, output);
      } catch (error) {
        fail(error);
      }
    };
    value.then(succeed, fail);
  }

  #returned(live: LiveCall, output: unknown): void {
    live.output = output;
    const content = toContent(live.tool, output);
    if (this.#ports.hooks.postToolUse === undefined) return this.#finish(live, "succeeded", { content });
    void this.#afterwards(live, "postToolUse", { output, content }).then((said) => {
      this.#finish(live, "succeeded", { content: withAddition(said?.content ?? content, said), said });
    });
  }

  #failed(live: LiveCall, error: unknown): void {
    const content = errorText(error);
    if (this.#ports.hooks.postToolUseFailure === undefined) return this.#finish(live, "failed", { content });
    void this.#afterwards(live, "postToolUseFailure", { error: messageOf(error) }).then((said) => {
      this.#finish(live, "failed", { content: withAddition(content, said), said });
    });
  }

  #finish(live: LiveCall, type: Ending["type"], { content, said }: Finish): void {
    const report = (short: ResultContent): void => {
      const ranMs = this.#ports.clock.now() - live.startedAt;
      this.#ports.finished(live, { type, content: short, ranMs, output: live.printed }, said?.endTurn);
    };
    const maxChars = live.tool.maxResultChars ?? DEFAULT_RESULT_CHARS;
    if (contentChars(content) <= maxChars) return report(content);
    const { id: callId, tool } = live;
    const onFailure = (message: string): void => this.#ports.resultsFailed(live, message);
    const bounding = { callId, toolName: tool.name, maxChars, results: this.#ports.results, onFailure };
    void bound(content, bounding).then(report);
  }

  /** The call still holds its claims: a hook that formats a file must not race with the next edit. */
  async #afterwards(
    live: LiveCall,
    hook: "postToolUse" | "postToolUseFailure",
    facts: object,
  ): Promise<PostToolUse | undefined> {
    const { hooks, clock, contextOf } = this.#ports;
    const { id: callId, tool, input, signal } = live;
    try {
      const ranMs = clock.now() - live.startedAt;
      const call = { callId, tool, input, signal, context: contextOf(live), ranMs, ...facts };
      const run = hooks[hook]?.bind(hooks) as ((call: object) => PostToolUse | undefined) | undefined;
      return (await withLimit(clock, HOOK_LIMIT_MS, run?.(call))) ?? undefined;
    } catch (error) {
      this.#ports.hookFailed(live, hook, error);
      return undefined;
    }
  }
}

interface Finish {
  readonly content: ResultContent;
  readonly said?: PostToolUse | undefined;
}

/** What a running call may use. Most calls use little of it, so each member is made when it is asked for. */
class CallScope implements CallContext {
  readonly context: SharedContext;
  readonly #live: LiveCall;
  readonly #ports: ExecutePorts;

  constructor(live: LiveCall, ports: ExecutePorts) {
    this.#live = live;
    this.#ports = ports;
    this.context = ports.contextOf(live);
  }

  get callId(): string {
    return this.#live.id;
  }

  get cwd(): string {
    return this.context.cwd;
  }

  get message(): unknown {
    return this.#live.message;
  }

  get permissions(): Permissions {
    return this.#ports.permissions;
  }

  get signal(): AbortSignal {
    return this.#live.signal;
  }

  /** Bound, since tools take it out of the context. */
  get progress(): (data: unknown) => void {
    return (data) => this.#ports.progress(this.#live, data);
  }

  get change(): CallContext["change"] {
    return (modify) => void (this.#live.changes ??= []).push(modify);
  }
}

function withAddition(content: ResultContent, said: PostToolUse | undefined): ResultContent {
  const addition = said?.addition ?? "";
  const whole = typeof content === "string" ? cleanText(content) : content;
  if (addition === "") return whole;
  if (typeof whole === "string") return `${whole}\n${cleanText(addition)}`;
  return [...whole, { type: "text", text: cleanText(addition) }];
}
