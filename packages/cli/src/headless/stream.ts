/** Prints a run for programs: the answer as text, one JSON object, or one JSON line per event. */

import {
  type AgentEvent,
  type CallView,
  type CodingAgent,
  type Message,
  type QueryResult,
  type Structured,
  initialView,
  isReminder,
  reduce,
} from "@runahead/harness";
import { endingWords } from "../shared/ending.ts";
import { safeJson } from "../shared/safe-text.ts";
import { statusOf } from "../shared/servers-started.ts";
import type { World } from "../shared/world.ts";
import type { RunFlags } from "../shared/flags.ts";
import { subAgentLines } from "./sub-agents.ts";

const SUBTYPES: Readonly<Partial<Record<QueryResult["reason"], string>>> = {
  completed: "success",
  max_turns: "error_max_turns",
  budget: "error_max_budget_usd",
};

interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
}

export class Stream {
  readonly #world: World;
  readonly #format: NonNullable<RunFlags["outputFormat"]>;
  readonly #partial: boolean;
  readonly #givenId: string;
  readonly #begun = performance.now();
  readonly #printed = new WeakSet<Message>();
  /** The history at the last look. It is a new array whenever a message was added. */
  #history: readonly Message[] = [];
  readonly #view = initialView();
  readonly #denials: Denial[] = [];
  #made: CodingAgent | undefined;
  #hasEnded = false;

  constructor(world: World, flags: RunFlags) {
    const { outputFormat = "text", includePartialMessages = false, sessionId = "" } = flags;
    this.#world = world;
    this.#givenId = sessionId;
    this.#format = outputFormat;
    this.#partial = includePartialMessages;
  }

  begin(made: CodingAgent): void {
    this.#made = made;
    this.#history = made.agent.messages;
    for (const message of this.#history) this.#printed.add(message);
    this.#line({
      type: "system",
      subtype: "init",
      cwd: this.#world.cwd,
      tools: made.toolNames(),
      mcp_servers: made.mcp.servers().map(({ name, state }) => ({ name, status: statusOf(state) })),
      model: made.model.name,
      permissionMode: made.gate.mode,
      ...this.#session,
    });
  }

  notice(message: string): void {
    if (this.#format === "stream-json")
      this.#line({ type: "system", subtype: "notice", message, ...this.#session });
    else this.#world.complain(message);
  }

  event(heard: AgentEvent): void {
    this.#messages();
    const step = reduce(this.#view, heard);
    if (step === undefined) return;
    if (step.agent !== this.#view) {
      for (const line of subAgentLines(step, this.#partial)) this.#line({ ...line, ...this.#session });
      return;
    }
    for (const { what, call } of step.calls) if (what === "ended") this.#ended(call);
    const { event } = step;
    switch (event.type) {
      case "text":
        return this.#delta({ type: "text_delta", text: event.text });
      case "thinking":
        return this.#delta({ type: "thinking_delta", thinking: event.text });
      case "retry":
        return this.#retry(event);
      case "compacted": {
        const compact_metadata = {
          how: event.how,
          pre_tokens: event.beforeTokens,
          post_tokens: event.afterTokens,
        };
        return this.#line({
          type: "system",
          subtype: "compact_boundary",
          compact_metadata,
          ...this.#session,
        });
      }
      case "permission-judged":
        return this.#judged(event);
      case "notice":
        return this.notice(event.message);
      default:
    }
  }

  /** Prints the result line of a prompt, which is always its last line. */
  end(result: QueryResult, structured?: Structured): void {
    this.#messages();
    const around = { sessionId: this.#sessionId, denials: this.#denials, ms: this.#ms };
    const text = structured?.type === "valid" ? safeJson(structured.value) : result.text;
    this.#last({ ...resultOf(result, around), ...structuredOf(result, structured) }, text);
    if (this.#format !== "text") return;
    if (result.reason !== "completed") this.#world.complain(`runahead: ${endingWords(result)}`);
    else if (structured?.type === "invalid")
      this.#world.complain(`runahead: The answer does not match the JSON Schema: ${structured.message}`);
  }

  /** Prepares for another prompt. */
  again(): void {
    this.#hasEnded = false;
  }

  /** Prints the result line of a run that failed before it had a result, and returns the exit code. */
  failed(words: string, code: number): number {
    // An earlier prompt may have printed its own result line.
    this.#hasEnded = false;
    const last = { type: "result", subtype: "error_during_execution", is_error: true, result: words };
    this.#last({
      ...last,
      session_id: this.#sessionId,
      num_turns: 0,
      duration_ms: this.#ms,
      total_cost_usd: 0,
      usage: usageOf(undefined),
      permission_denials: this.#denials,
    });
    if (this.#format === "text") this.#world.complain(`runahead: ${words}`);
    return code;
  }

  /** Prints the messages that were added to the conversation since the last look. */
  #messages(): void {
    const history = this.#made?.agent.messages ?? this.#history;
    if (history === this.#history) return;
    this.#history = history;
    for (const message of history) {
      if (this.#printed.has(message)) continue;
      this.#printed.add(message);
      if (isReminder(message)) continue;
      this.#line({ type: message.role, message, parent_tool_use_id: null, ...this.#session });
    }
  }

  /** Reports a retry: a line of its own in stream-json, otherwise on standard error. */
  #retry({ attempt, waitMs, error }: Extract<AgentEvent, { type: "retry" }>): void {
    const retry = { attempt, retry_delay_ms: Math.round(waitMs), error: error.message };
    if (this.#format === "stream-json")
      this.#line({ type: "system", subtype: "api_retry", ...retry, ...this.#session });
    else
      this.#world.complain(
        `${error.message.replace(/\.$/, "")}. Retrying in ${Math.max(1, Math.round(waitMs / 1000))} s.`,
      );
  }

  #ended({ id, toolName, end }: CallView): void {
    if (end?.outcome?.type !== "denied") return;
    const denial = { tool_name: toolName, tool_use_id: id };
    this.#denials.push(denial);
    const { by, reason } = end.outcome;
    this.#line({ type: "system", subtype: "permission_denied", ...denial, by, reason, ...this.#session });
  }

  #judged(event: Extract<AgentEvent, { type: "permission-judged" }>): void {
    const { callId: tool_use_id, toolName: tool_name, decision, reason, model } = event;
    const judged = { tool_name, tool_use_id, decision, reason, model };
    this.#line({ type: "system", subtype: "permission_judged", ...judged, ...this.#session });
  }

  #delta(delta: object): void {
    if (this.#partial)
      this.#line({
        type: "stream_event",
        event: { type: "content_block_delta", delta },
        parent_tool_use_id: null,
        ...this.#session,
      });
  }

  #last(result: object, text = ""): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#format === "text") {
      if (text !== "") (this.#world.answer ?? this.#world.print)(text);
    } else this.#world.print(safeJson(result));
  }

  #line(value: object): void {
    if (this.#format === "stream-json" && !this.#hasEnded) this.#world.print(safeJson(value));
  }

  get #session(): { readonly session_id: string } {
    return { session_id: this.#sessionId };
  }

  get #sessionId(): string {
    return this.#made?.session?.id ?? this.#givenId;
  }

  get #ms(): number {
    return Math.round(performance.now() - this.#begun);
  }
}

interface Around {
  readonly sessionId: string;
  readonly denials: readonly Denial[];
  readonly ms: number;
}

function resultOf(result: QueryResult, { sessionId, denials, ms }: Around): object {
  const { reason, detail, text, turns, usage, costUsd } = result;
  const isError = reason !== "completed";
  return {
    type: "result",
    subtype: SUBTYPES[reason] ?? "error_during_execution",
    is_error: isError,
    result: isError && text === "" ? detail || reason : text,
    stop_reason: reason,
    ...(detail === "" ? {} : { detail }),
    session_id: sessionId,
    num_turns: turns,
    duration_ms: ms,
    total_cost_usd: costUsd ?? null,
    usage: usageOf(usage),
    permission_denials: denials,
  };
}

function usageOf(usage: QueryResult["usage"] | undefined): object {
  return {
    input_tokens: usage?.inputTokens ?? 0,
    output_tokens: usage?.outputTokens ?? 0,
    cache_read_input_tokens: usage?.cacheReadTokens ?? 0,
    cache_creation_input_tokens: usage?.cacheWriteTokens ?? 0,
  };
}

/** With `--json-schema`: the value, or the error that says why there is none. */
function structuredOf({ reason }: QueryResult, structured: Structured | undefined): object {
  if (structured?.type === "valid") return { structured_output: structured.value };
  if (structured === undefined || reason !== "completed") return {};
  const detail = structured.message;
  return { subtype: "error_max_structured_output_retries", is_error: true, detail };
}
