/** Prints a run for programs: the answer as text, one JSON object, or one JSON line per event. */

import {
  type AgentEvent,
  type Block,
  type CallView,
  type CodingAgent,
  type Message,
  type OpenQuestion,
  type Prompt,
  type QueryResult,
  initialView,
  isReminder,
  reduce,
} from "@runahead/harness";
import { randomUUID } from "node:crypto";
import { endingWords } from "../shared/ending.ts";
import { safeJson } from "../shared/safe-text.ts";
import { statusOf } from "../shared/servers-started.ts";
import type { World } from "../shared/world.ts";
import type { RunFlags } from "../shared/flags.ts";
import { PartialMessages } from "./partial.ts";
import { ABSENT, nestedCallLines, subAgentLines } from "./sub-agents.ts";
import { modelUsageOf, usageOf } from "./usage.ts";

const SUBTYPES: Readonly<Partial<Record<QueryResult["reason"], string>>> = {
  completed: "success",
  deferred: "success",
  max_turns: "error_max_turns",
  budget: "error_max_budget_usd",
};

/** Why a prompt ended, in the words of the Agent SDK where they differ. */
const TERMINAL_REASONS: Readonly<Partial<Record<QueryResult["reason"], string>>> = {
  deferred: "tool_deferred",
  budget: "budget_exhausted",
};

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

/** The result of a prompt that starts no turn. */
const NO_WORK: QueryResult = {
  reason: "completed",
  detail: "",
  text: "",
  messages: [],
  turns: 0,
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
  models: [],
};

type Spent = Pick<QueryResult, "usage" | "costUsd">;

/** The summary of a session that is not kept is not counted, so its cost is unknown. */
function spentSince(before: Spent | undefined, now: Spent | undefined): Spent {
  if (before === undefined || now === undefined) return { usage: NO_WORK.usage, costUsd: undefined };
  const more = (name: keyof Spent["usage"]): number => (now.usage[name] ?? 0) - (before.usage[name] ?? 0);
  const isPriced = now.costUsd !== undefined && before.costUsd !== undefined;
  return {
    usage: {
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      cacheReadTokens: more("cacheReadTokens"),
      cacheWriteTokens: more("cacheWriteTokens"),
    },
    costUsd: isPriced ? now.costUsd - before.costUsd : undefined,
  };
}

type Ended = Pick<Extract<AgentEvent, { type: "task-ended" }>, "id" | "kind" | "description" | "state">;

interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

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
    this.#line({
      type: "system",
      subtype: "init",
      cwd: this.#world.cwd,
      tools: made.toolNames(),
      mcp_servers: made.mcp.servers().map(({ name, state }) => ({ name, status: statusOf(state) })),
      model: made.model.name,
      permissionMode: made.gate.mode,
      slash_commands: commandNames(made),
      output_style: made.outputStyle,
      skills: made.prompts.known.filter(({ kind }) => kind === "skill").map(({ name }) => name),
      plugins: made.plugins,
      ...COMPATIBLE,
      agents: made.agents.map(({ name }) => name),
      ...this.#session,
    });
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
      sessionId: this.#sessionId,
      denials: this.#denials,
      ms: this.#ms,
      stop,
      deferred,
      // The Agent SDK promises a number. `costBasis` says that the price is unknown.
      unknownCost: this.#hostIsOpen === undefined ? null : 0,
    };
    const { output: structured } = result;
    const text = structured?.type === "valid" ? safeJson(structured.value) : result.text;
    const api = { duration_api_ms: Math.round(this.#apiMs) };
    this.#last({ ...resultOf(result, around), ...api, ...structuredOf(result) }, text);
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
    const last = { type: "result", subtype: "error_during_execution", is_error: true, result: words };
    this.#last({
      ...last,
      session_id: this.#sessionId,
      num_turns: 0,
      duration_ms: this.#ms,
      duration_api_ms: Math.round(this.#apiMs),
      stop_reason: null,
      total_cost_usd: 0,
      usage: usageOf(undefined),
      modelUsage: {},
      permission_denials: this.#denials,
      errors: [words],
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

  get #ms(): number {
    return Math.round(performance.now() - this.#begun);
  }
}

interface Around {
  readonly sessionId: string;
  readonly denials: readonly Denial[];
  readonly ms: number;
  /** Why the last response ended. */
  readonly stop: string | null;
  /** The first question that waits for an answer. */
  readonly deferred: OpenQuestion | undefined;
  /** What stands for a cost that is unknown. */
  readonly unknownCost: number | null;
}

function resultOf(result: QueryResult, around: Around): object {
  const { sessionId, denials, ms, stop, deferred, unknownCost } = around;
  const { reason, detail, text, turns, usage, costUsd } = result;
  const isError = reason !== "completed" && reason !== "deferred";
  return {
    type: "result",
    subtype: SUBTYPES[reason] ?? "error_during_execution",
    is_error: isError,
    result: isError && text === "" ? endingWords(result) : text,
    stop_reason: reason === "deferred" ? "tool_deferred" : stop,
    ...(deferred === undefined
      ? {}
      : {
          deferred_tool_use: { id: deferred.callId, name: deferred.toolName, input: deferred.input },
        }),
    terminal_reason: TERMINAL_REASONS[reason] ?? reason,
    ...(detail === "" ? {} : { detail }),
    ...(isError ? { errors: [endingWords(result)] } : {}),
    session_id: sessionId,
    num_turns: turns,
    duration_ms: ms,
    total_cost_usd: costUsd ?? unknownCost,
    usage: usageOf(usage),
    modelUsage: modelUsageOf(result),
    permission_denials: denials,
  };
}

/** Members that programs expect, of features that are not part of the stream. */
const COMPATIBLE = {
  apiKeySource: "none",
  claude_code_version: "2.1.240",
};

/** What a prompt can begin with after a slash. */
function commandNames({ prompts, mcp }: CodingAgent): string[] {
  const ofFiles = prompts.known.filter(({ isForUser }) => isForUser);
  return [...ofFiles, ...mcp.prompts()].map(({ name }) => name);
}

function hasResults({ content }: Message): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "tool_result");
}

function callIds(content: readonly Block[]): string[] {
  return content.flatMap(({ type, id }) => (type === "tool_use" ? [String(id)] : []));
}

/** With `--json-schema`: the value, or the error that says why there is none. */
function structuredOf({ reason, output: structured }: QueryResult): object {
  if (structured?.type === "valid") return { structured_output: structured.value };
  if (structured === undefined || reason !== "completed") return {};
  const detail = structured.message;
  return { subtype: "error_max_structured_output_retries", is_error: true, detail, errors: [detail] };
}
