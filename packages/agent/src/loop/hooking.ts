/** Runs the hooks of the loop itself: prompts, the end of the work, compaction. */

import type { Hooks } from "@runahead/engine";
import type { Shape } from "@runahead/base";
import type { HookEvent } from "../hooks/event.ts";
import type { EventResult, HookAbout, HookRunner, StopFacts } from "../hooks/hook-runner.ts";
import type { HookAgent } from "../hooks/payload.ts";
import type { AgentEvent, End, Prompt } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { textOf } from "./text.ts";

const SILENCE: EventResult = { blocked: undefined, stop: undefined, context: [], messages: [] };

interface BatchCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly result: unknown;
}

export class LoopHooks {
  readonly #runner: HookRunner | undefined;
  readonly #functions: Hooks | undefined;

  /** Set for a sub-agent: its prompt is not the user's, and its start and end are not the session's. */
  readonly #agent: HookAgent | undefined;

  constructor({ hooks }: LoopOptions, agent?: HookAgent) {
    this.#runner = isRunner(hooks) ? hooks : undefined;
    this.#functions = isRunner(hooks) ? undefined : hooks;
    this.#agent = agent;
  }

  /** The hooks for calls, for the executor of a turn. */
  get ofCalls(): Hooks | undefined {
    return this.#runner?.engineHooks(this.#agent) ?? this.#functions;
  }

  begin(source: "startup" | "resume", signal: AbortSignal): Promise<EventResult> {
    if (this.#agent !== undefined) return this.#happen("SubagentStart", {}, { agent: this.#agent, signal });
    return this.#ofSession?.sessionStart(source, signal) ?? Promise.resolve(SILENCE);
  }

  submit(prompt: Prompt, signal: AbortSignal): Promise<EventResult> {
    const text = typeof prompt === "string" ? prompt : textOf(prompt);
    return this.#ofSession?.userPromptSubmit(text, signal) ?? Promise.resolve(SILENCE);
  }

  stop(facts: StopFacts, signal: AbortSignal): Promise<EventResult> {
    const said =
      this.#agent === undefined
        ? this.#runner?.stop(facts, signal)
        : this.#runner?.subagentStop(this.#agent, facts, signal);
    return said ?? Promise.resolve(SILENCE);
  }

  compact(manual: boolean, instructions: string, signal: AbortSignal): Promise<EventResult> {
    const facts = { trigger: manual ? "manual" : "auto", customInstructions: instructions } as const;
    return this.#runner?.preCompact(facts, signal) ?? Promise.resolve(SILENCE);
  }

  /** All calls of a turn have their results. */
  batch(calls: () => readonly BatchCall[], cwd: string, signal: AbortSignal): Promise<EventResult> {
    if (this.#runner?.has("PostToolBatch") !== true) return Promise.resolve(SILENCE);
    const facts = {
      tool_calls: calls().map(({ id, name, input, result }) => ({
        tool_name: name,
        tool_input: input,
        tool_use_id: id,
        tool_response: result,
      })),
    };
    return this.#happen("PostToolBatch", facts, { cwd, signal, ...this.#about });
  }

  /** A call changed the working directory. */
  moved(from: string, to: string, signal: AbortSignal): Promise<EventResult> {
    return this.#happen("CwdChanged", { old_cwd: from, new_cwd: to }, { cwd: to, signal, ...this.#about });
  }

  compacted(manual: boolean, summary: string, signal: AbortSignal): Promise<EventResult> {
    const facts = { trigger: manual ? "manual" : "auto", compact_summary: summary };
    return this.#happen("PostCompact", facts, { signal, ...this.#about });
  }

  /** The model failed, so the work ends without an answer. */
  async failed({ error, detail }: End, lastAssistantMessage: string): Promise<void> {
    const facts = {
      error: error?.kind ?? "unknown",
      error_details: detail,
      last_assistant_message: lastAssistantMessage,
    };
    await this.#happen("StopFailure", facts, { ...this.#about });
  }

  #happen(event: HookEvent, facts: Shape, about: HookAbout): Promise<EventResult> {
    if (this.#runner?.has(event) !== true) return Promise.resolve(SILENCE);
    return this.#runner.happen(event, facts, about);
  }

  get #about(): HookAbout {
    return this.#agent === undefined ? {} : { agent: this.#agent };
  }

  /** Has a short time limit, so that it does not delay the end of the program. */
  async end(): Promise<void> {
    await this.#ofSession?.sessionEnd("other");
  }

  get #ofSession(): HookRunner | undefined {
    return this.#agent === undefined ? this.#runner : undefined;
  }

  /** Returns context of background hooks that ended while nobody worked. */
  takeLateContext(): readonly string[] {
    return this.#ofSession?.takeContext() ?? [];
  }

  /** Returns context that hooks added for calls that then did not run. */
  takeContext(): readonly string[] {
    return this.#runner?.takeContext() ?? [];
  }
}

function isRunner(hooks: LoopOptions["hooks"]): hooks is HookRunner {
  return hooks !== undefined && "engineHooks" in hooks;
}

/** Yields the hooks' messages to the user. */
export function* noticesOf({ messages }: EventResult): Generator<AgentEvent, void, undefined> {
  for (const message of messages) yield { type: "notice", message };
}
