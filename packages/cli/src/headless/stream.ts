/** Prints a run for programs: the answer as text, one JSON object, or one JSON line per event. */

import {
  type AgentEvent,
  type Block,
  type CallView,
  type CodingAgent,
  type Message,
  type Prompt,
  type QueryResult,
  initialView,
  isReminder,
  reduce,
} from "@runahead/harness";
import { randomUUID } from "node:crypto";
import { endingWords } from "../shared/ending.ts";
import { safeJson } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";
import type { RunFlags } from "../shared/flags.ts";
import { initOf } from "./init-line.ts";
import { PartialMessages } from "./partial.ts";
import {
  type Denial,
  type Facts,
  NO_WORK,
  type Spent,
  failureOf,
  resultOf,
  spentSince,
} from "./result-line.ts";
import { ABSENT, nestedCallLines, subAgentLines } from "./sub-agents.ts";
import { usageOf } from "./usage.ts";

/** Why a request failed, in the words of the Agent SDK. */
const RETRY_ERRORS: Readonly<Record<string, string>> = {
  "rate-limit": "rate_limit",
  overloaded: "overloaded",
  server: "server_error",
};

/** How background work ended, in the words of the Agent SDK. */
const TASK_STATUS: Readonly<Record<string, string>> = {
  finished: "completed",
  ended: "completed",
  failed: "failed",
};

type Ended = Pick<Extract<AgentEvent, { type: "task-ended" }>, "id" | "kind" | "description" | "state">;

/** The response that is coming in, or the last one. */
interface Response {
  readonly id: string;
  /** The model that answers, in the words of its server. */
  readonly model: string;
  readonly stop: string | null;
  readonly usage: ReturnType<typeof usageOf>;
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
  /** What is said before the first line, which describes the run. */
  readonly #early: object[] = [];
  readonly #parts = new PartialMessages();
  /** The calls of the last message that was printed before they had ended. */
  #saidCalls: ReadonlySet<string> = new Set();
  #response: Response = { id: "", model: "", stop: null, usage: usageOf(undefined) };
  /** Milliseconds of all responses. */
  #apiMs = 0;
  #made: CodingAgent | undefined;
  #hasEnded = false;
  /** The permission mode as last printed. */
  #mode: string | undefined;
  #isCompacting = false;
  /** Whether a host still reads what happens between two prompts. */
  #hostIsOpen: (() => boolean) | undefined;

  constructor(world: World, flags: RunFlags) {
    const { outputFormat = "text", includePartialMessages = false, sessionId = "" } = flags;
    this.#world = world;
    this.#givenId = sessionId;
    this.#format = outputFormat;
    this.#partial = includePartialMessages;
  }

  begin(made: CodingAgent): void {
    this.#made = made;
    this.#mode = made.gate.mode;
    this.#history = made.agent.messages;
    for (const message of this.#history) this.#printed.add(message);
    this.#line({ ...initOf(made, this.#world.cwd), ...this.#session });
    this.#sayEarly();
  }

  /** From now on, events between two prompts are printed as long as `isOpen` returns true. */
  host(isOpen: () => boolean): void {
    this.#hostIsOpen = isOpen;
  }

  /** Prints a line that is not an event of the agent: requests and answers of the control protocol. */
  control(line: object): void {
    if (this.#format === "stream-json") this.#world.print(safeJson(line));
  }

  /** Reports that the permission mode changed, also between two prompts. */
  mode(permissionMode: string): void {
    this.#mode = permissionMode;
    const status = { type: "system", subtype: "status", status: null, permissionMode };
    this.control({ uuid: randomUUID(), ...status, ...this.#session });
  }

  /** Reports that background work has ended. */
  task({ id: task_id, kind, description, state }: Ended): void {
    const status = TASK_STATUS[state] ?? "stopped";
    const task = { task_id, kind, description, status, summary: `${description}: ${state}`, output_file: "" };
    this.#line({ type: "system", subtype: "task_notification", ...task, ...this.#session });
  }

  /** Repeats a prompt of the host, with the id that it can be rewound to. */
  replay(content: Prompt, uuid: string): void {
    const message = { role: "user", content };
    this.#line({ type: "user", message, parent_tool_use_id: null, isReplay: true, ...this.#session, uuid });
  }

  notice(message: string): void {
    if (this.#format !== "stream-json") return this.#world.complain(message);
    const line = { type: "system", subtype: "notice", message };
    if (this.#made === undefined) this.#early.push(line);
    else this.#line({ ...line, ...this.#session });
  }

  #sayEarly(): void {
    for (const line of this.#early.splice(0)) this.#line({ ...line, ...this.#session });
  }

  event(heard: AgentEvent): void {
    this.#messages();
    const { mode = this.#mode } = this.#made?.gate ?? {};
    // An approved plan ends plan mode in the middle of a run.
    if (mode !== undefined && mode !== this.#mode) this.mode(mode);
    const step = reduce(this.#view, heard);
    if (heard.type === "message-started")
      this.#response = { ...this.#response, id: `msg_${randomUUID()}`, model: heard.model };
    if (this.#partial) for (const event of this.#parts.of(heard, this.#response.id)) this.#streamed(event);
    if (step === undefined) return;
    for (const line of nestedCallLines(step)) this.#line({ ...line, ...this.#session });
    if (step.agent !== this.#view) {
      for (const line of subAgentLines(step, this.#partial)) this.#line({ ...line, ...this.#session });
      return;
    }
    for (const { what, call } of step.calls) if (what === "ended") this.#ended(call);
    const { event } = step;
    switch (event.type) {
      case "response-ended":
        return this.#responseEnded(event);
      case "turn-ended":
        return this.#turnEnded(event);
      case "retry":
        return this.#retry(event);
      case "compacted": {
        const compact_metadata = {
          trigger: this.#isCompacting ? "manual" : "auto",
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
      case "task-ended":
        return this.task(event);
      case "notice":
        return this.notice(event.message);
      default:
    }
  }

  /** Prints the result line of a prompt, which is always its last line. */
  end(result: QueryResult): void {
    this.#messages();
    const { stop } = this.#response;
    const [deferred] = result.reason === "deferred" ? (this.#made?.session?.questions ?? []) : [];
    const around = {
      ...this.#facts,
      stop,
      deferred,
      // The Agent SDK promises a number. `costBasis` says that the price is unknown.
      unknownCost: this.#hostIsOpen === undefined ? null : 0,
    };
    const { output: structured } = result;
    const text = structured?.type === "valid" ? safeJson(structured.value) : result.text;
    this.#last(resultOf(result, around), text);
    if (this.#format !== "text") return;
    if (result.reason !== "completed") this.#world.complain(`runahead: ${endingWords(result)}`);
    else if (structured?.type === "invalid")
      this.#world.complain(`runahead: The answer does not match the JSON Schema: ${structured.message}`);
  }

  /** Prints what `/compact` does, and its result line. `work` resolves with what to say. */
  async compact(work: () => Promise<string>): Promise<void> {
    const before = this.#spent;
    this.#response = { ...this.#response, stop: null };
    this.#isCompacting = true;
    try {
      const text = await work();
      this.end({ ...NO_WORK, text, ...spentSince(before, this.#spent) });
    } finally {
      this.#isCompacting = false;
    }
  }

  /** What the session has used; undefined if it is not kept. */
  get #spent(): Spent | undefined {
    const session = this.#made?.session;
    return session === undefined
      ? undefined
      : { usage: session.usage ?? NO_WORK.usage, costUsd: session.costUsd };
  }

  /** Prepares for another prompt. */
  again(): void {
    this.#hasEnded = false;
  }

  /** Prints the result line of a run that failed before it had a result, and returns the exit code. */
  failed(words: string, code: number): number {
    // An earlier prompt may have printed its own result line.
    this.#hasEnded = false;
    this.#sayEarly();
    this.#last(failureOf(words, this.#facts));
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
      // Prompts are not repeated: the host wrote them.
      if (isReminder(message) || (message.role === "user" && !hasResults(message))) continue;
      if (message.role === "assistant" && this.#isSaid(message)) continue;
      const { role } = message;
      const said = role === "assistant" ? this.#whole(message) : message;
      this.#line({ type: role, message: said, parent_tool_use_id: null, ...this.#session });
    }
  }

  /** A message of the model with all members that it has in the Messages API. */
  #whole({ role, content }: Message): object {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const { id, stop, usage } = this.#response;
    // Another model can have taken over. Some servers do not say which model answers.
    const model = this.#response.model || (this.#made?.model.name ?? "");
    const ends = { stop_reason: stop, stop_sequence: null, usage, ...ABSENT };
    return { id, type: "message", role, model, content: blocks, ...ends };
  }

  /** Reports a retry: a line of its own in stream-json, otherwise on standard error. */
  #retry({ attempt, attempts, waitMs, error }: Extract<AgentEvent, { type: "retry" }>): void {
    const retry = {
      attempt,
      max_retries: attempts - 1,
      retry_delay_ms: Math.round(waitMs),
      error_status: error.status ?? null,
      error: RETRY_ERRORS[error.kind] ?? "unknown",
      message: error.message,
    };
    if (this.#format === "stream-json")
      this.#line({ type: "system", subtype: "api_retry", ...retry, ...this.#session });
    else
      this.#world.complain(
        `${error.message.replace(/\.$/, "")}. Retrying in ${Math.max(1, Math.round(waitMs / 1000))} s.`,
      );
  }

  #ended({ id, toolName, input, end }: CallView): void {
    if (end?.outcome?.type !== "denied") return;
    const denial = { tool_name: toolName, tool_use_id: id };
    this.#denials.push({ ...denial, tool_input: input ?? {} });
    const { by, reason } = end.outcome;
    const words = { by, reason, message: reason, decision_reason: reason };
    this.#line({ type: "system", subtype: "permission_denied", ...denial, ...words, ...this.#session });
  }

  #judged(event: Extract<AgentEvent, { type: "permission-judged" }>): void {
    const { callId: tool_use_id, toolName: tool_name, decision, reason, model } = event;
    const judged = { tool_name, tool_use_id, decision, reason, model };
    this.#line({ type: "system", subtype: "permission_judged", ...judged, ...this.#session });
  }

  #turnEnded({ stop, usage, timings }: Extract<AgentEvent, { type: "turn-ended" }>): void {
    this.#apiMs += timings.responseMs;
    this.#response = { ...this.#response, stop: stop === "cut" ? null : stop, usage: usageOf(usage) };
  }

  /** The message is printed before its calls end, so that a host sees what is running. */
  #responseEnded({ stop, usage, content }: Extract<AgentEvent, { type: "response-ended" }>): void {
    this.#response = { ...this.#response, stop, usage: usageOf(usage) };
    const message = this.#whole({ role: "assistant", content });
    this.#line({ type: "assistant", message, parent_tool_use_id: null, ...this.#session });
    this.#saidCalls = new Set(callIds(content));
  }

  /** Whether a message was printed when its response ended. */
  #isSaid({ content }: Message): boolean {
    return typeof content !== "string" && callIds(content).some((id) => this.#saidCalls.has(id));
  }

  #streamed(event: object): void {
    this.#line({ type: "stream_event", event, parent_tool_use_id: null, ...this.#session });
  }

  #last(result: object, text = ""): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#format === "text") {
      if (text !== "") (this.#world.answer ?? this.#world.print)(text);
    } else this.#world.print(safeJson({ uuid: randomUUID(), ...result }));
  }

  #line(value: object): void {
    if (this.#format === "stream-json" && (!this.#hasEnded || this.#hostIsOpen?.() === true))
      this.#world.print(safeJson({ uuid: randomUUID(), ...value }));
  }

  get #session(): { readonly session_id: string } {
    return { session_id: this.#sessionId };
  }

  get #sessionId(): string {
    return this.#made?.session?.id ?? this.#givenId;
  }

  get #facts(): Facts {
    return {
      sessionId: this.#sessionId,
      denials: this.#denials,
      ms: Math.round(performance.now() - this.#begun),
      apiMs: Math.round(this.#apiMs),
    };
  }
}

function hasResults({ content }: Message): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool_result");
}

function callIds(content: readonly Block[]): string[] {
  return content.flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : []));
}
