/** The history that goes to the model, and its record in the session's journal. */

import { randomUUID } from "node:crypto";
import type { AgentIdentity, Fate, Journal, JournalEvent, SharedContext, ToolResult } from "@runahead/engine";
import type { Model, Usage } from "../model/event.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import type { SavedPrompt, SessionEntry } from "../session/entry.ts";
import { type WaitingCall, type ParkedTurn, questionId } from "../session/parked.ts";
import { placeIn } from "../session/prompts.ts";
import { type UnreconciledCall, withResult } from "../session/reconciled.ts";
import { SavedStates } from "../session/state.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { stringOf } from "@runahead/base";
import type { Judged } from "../gate/auto-turn.ts";
import type { Prompt } from "./event.ts";
import type { LoopOptions } from "./options.ts";
import { GrowingHistory } from "./repairing.ts";
import { ContextMeter } from "./tokens.ts";
import type { TurnRecord, TurnResult } from "./turn.ts";

export class Conversation {
  readonly meter: ContextMeter;
  readonly #options: LoopOptions;
  readonly #agent: AgentIdentity | undefined;
  #history: readonly Message[] = [];
  readonly #growing = new GrowingHistory();
  #prompts: readonly SavedPrompt[];
  /** What the user typed, oldest first, for auto mode. Survives compaction. */
  #said: readonly string[];
  /** Turns of the whole session, so that each has a unique number in the record. */
  #turns: number;
  readonly #states: SavedStates;
  /** What the idempotency keys of calls begin with: of all, and of the turn under way. */
  #scope: string | undefined;
  #turnScope: string | undefined;
  /** The questions of the turn under way that are answered later. */
  readonly #deferred = new Map<string, Extract<JournalEvent, { type: "call-deferred" }>>();
  /** Calls with an unknown outcome whose tools have not been asked yet. */
  #unreconciled: readonly UnreconciledCall[];
  context: SharedContext;
  /** No prompt has been answered in this process yet. */
  isNew = true;
  /** The current model; a fallback model stays. */
  model: Model;

  /** `agent` is set for a sub-agent. */
  constructor(options: LoopOptions, tools: ModelRequest["tools"], agent?: AgentIdentity) {
    const { session, messages = [], cwd, model } = options;
    this.#options = options;
    this.model = model;
    const saved = session?.context;
    this.#agent = agent;
    this.context = this.#named({ ...saved, cwd: cwd ?? cwdOf(saved) ?? session?.cwd ?? process.cwd() });
    this.#history = [...(session?.messages ?? []), ...messages];
    this.#prompts = session?.prompts ?? [];
    this.#said = this.#prompts.map(
      ({ messages: at, said }) => said ?? ownWords(this.#history[at]?.content ?? ""),
    );
    for (const message of messages) this.#record({ type: "message", message });
    this.#turns = session?.turns ?? 0;
    this.#unreconciled = session?.unreconciled ?? [];
    this.#states = new SavedStates(session === undefined ? {} : (options.state ?? {}), session?.state ?? {});
    this.meter = new ContextMeter({ system: options.system ?? "", tools });
    this.meter.reset(this.#history);
  }

  get messages(): readonly Message[] {
    return this.#history;
  }

  /** Calls of a sub-agent find its name in their context, whatever earlier calls changed. */
  #named({ agent: _other, ...context }: SharedContext): SharedContext {
    return this.#agent === undefined ? context : { ...context, agent: this.#agent };
  }

  /** The user's prompts, oldest first. */
  get prompts(): readonly SavedPrompt[] {
    return this.#prompts;
  }

  /** What the user typed, oldest first, without attachments. */
  get said(): readonly string[] {
    return this.#said.filter((words) => words.trim() !== "");
  }

  /** Whether the last message is the user's. */
  get awaitsAnswer(): boolean {
    return this.#history.at(-1)?.role === "user";
  }

  add(role: Message["role"], content: Message["content"]): void {
    const message: Message = { role, content };
    this.#history = [...this.#history, message];
    this.meter.added([message]);
    this.#record({ type: "message", message });
  }

  /** Notes what the user typed. */
  heard(words: string): void {
    this.#said = [...this.#said, words];
  }

  /** Records a decision of auto mode. */
  judged(judged: Judged, costUsd: number | undefined): void {
    this.#record({ type: "permission-judged", ...judged, ...known({ costUsd }) });
  }

  /** Records tokens that were used outside of a turn. */
  spent(purpose: string, usage: Usage, costUsd: number | undefined): void {
    this.#record({ type: "spent", purpose, usage, ...known({ costUsd }) });
  }

  /** Marks the message that was just added as a prompt that the conversation can return to. */
  attached(content: Message["content"], { snapshot, said }: Pick<SavedPrompt, "snapshot" | "said">): void {
    const messages = this.#history.findLastIndex((message) => message.content === content);
    if (messages < 0) return;
    const number = (this.#prompts.at(-1)?.number ?? 0) + 1;
    const prompt = {
      number,
      context: this.context,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(said === undefined ? {} : { said }),
    };
    this.#prompts = [...this.#prompts, { ...prompt, messages }];
    this.#record({ type: "prompt", back: this.#history.length - messages, ...prompt });
  }

  /** Returns to the state with this many messages. Only the start of a prompt is valid, so no call loses its result. */
  rewind(messageCount: number): void {
    const at = this.#prompts.findIndex(({ messages }) => messages === messageCount);
    const prompt = this.#prompts[at];
    if (prompt === undefined) throw new RangeError(this.#whyNotTo(messageCount));
    const { number, context } = prompt;
    this.#said = this.#said.slice(0, at - this.#prompts.length);
    this.#prompts = this.#prompts.slice(0, at);
    this.#history = this.#history.slice(0, messageCount);
    this.context = this.#named({ cwd: this.context.cwd, ...context });
    this.meter.reset(this.#history);
    this.#record({ type: "rewound", number, context });
  }

  #whyNotTo(messageCount: number): string {
    const [first] = this.#prompts;
    const isBefore = messageCount >= 0 && messageCount < (first?.messages ?? this.#history.length);
    const why = isBefore
      ? "that part was summarised, or the message is not a prompt"
      : "no prompt begins there";
    const places = this.#prompts.map(({ messages }) => messages).join(", ");
    const where = first === undefined ? "There is no prompt to return to." : `Possible values: ${places}.`;
    return `Cannot rewind to ${messageCount} messages: ${why}. ${where}`;
  }

  /** Adds the response of a turn and the results of its calls. */
  took(
    { content, results, usage, context }: Pick<TurnResult, "content" | "results" | "usage" | "context">,
    costUsd?: number,
  ): void {
    this.context = this.#named(context);
    if (content.length > 0) this.add("assistant", content);
    this.meter.took(usage);
    if (results.length > 0)
      this.add(
        "user",
        results.map((result): Block => ({ ...result })),
      );
    this.#record({ type: "turn-ended", turn: this.#turns, usage, context, ...known({ costUsd }) });
    this.saveStates();
  }

  /** Records what changed outside of the conversation. */
  saveStates(): void {
    for (const change of this.#states.take()) this.#record({ type: "state", ...change });
  }

  /** Replaces the history with a shortened, summarised or repaired one. */
  replace(messages: readonly Message[]): void {
    const before = this.#history;
    const prompts = this.#prompts.flatMap((prompt) => {
      const at = placeIn(messages, before, prompt.messages);
      return at < 0 ? [] : [{ ...prompt, messages: at }];
    });
    this.#prompts = prompts;
    this.#history = messages;
    this.#growing.forget();
    this.meter.reset(messages);
    this.#record({ type: "compacted", messages, prompts });
  }

  /** Makes the history valid for the model's API. Returns what was repaired. */
  repair(): readonly string[] {
    const { messages, repairs } = this.#growing.repair(this.#history);
    if (repairs.length > 0) this.replace(messages);
    return repairs;
  }

  /** Returns an id for a new call that no call of the history has. Call it after `repair`. */
  freshId(id: string): string {
    return this.#growing.freshId(id);
  }

  /** Returns the calls with an unknown outcome whose tools can be asked what happened, once. */
  takeUnreconciled(): readonly UnreconciledCall[] {
    const fates = this.#unreconciled;
    this.#unreconciled = [];
    return fates;
  }

  /** Replaces the result of a call whose tool said what had happened. */
  reconciled({ callId, result, fate }: Fate, historyId: string): void {
    if (fate === "unknown") return;
    this.#history = withResult(this.#history, { ...result, tool_use_id: historyId });
    this.#growing.forget();
    this.meter.reset(this.#history);
    this.#record({ type: "reconciled", callId, fate, result });
  }

  /** The turn that waits for answers, with those that have come. */
  get parked(): ParkedTurn | undefined {
    return this.#options.session?.parked;
  }

  /** Keeps a turn whose questions are answered later, instead of adding it to the history. */
  park({ content, results, usage, parked = [], context }: TurnResult, costUsd?: number): void {
    this.context = this.#named(context);
    const before = this.parked;
    const finished = new Map<string, ToolResult>(results.map((result) => [result.tool_use_id, result]));
    for (const { callId, result } of parked) if (result !== undefined) finished.set(callId, result);
    const calls = callsIn(content).map((call): WaitingCall => {
      const { callId } = call;
      const result = finished.get(callId) ?? before?.calls.find((one) => one.callId === callId)?.result;
      if (result !== undefined) return { ...call, result };
      const earlier = before?.calls.find((one) => one.callId === callId);
      const deferred = this.#deferred.get(callId);
      if (deferred === undefined) return { ...call, ...earlier };
      const { reason, input } = deferred;
      return {
        ...call,
        question: { id: earlier?.question?.id ?? questionId(this.#turns, callId), reason, input },
      };
    });
    this.#record({ type: "spent", purpose: "turn", usage, ...known({ costUsd }) });
    const scope = before?.scope ?? this.#turnScope;
    this.#record({
      type: "turn-parked",
      turn: this.#turns,
      ...(scope === undefined ? {} : { scope }),
      content,
      calls,
    });
    this.saveStates();
  }

  /** A new prompt came instead of an answer: the calls that wait do not run. */
  giveUpParked(): void {
    const { parked } = this;
    if (parked === undefined) return;
    const results = parked.calls.map(({ callId, result }) => result ?? notAnswered(callId));
    const { content } = parked;
    this.took({ content, results, usage: NO_USAGE, context: this.context });
  }

  /** Starts the record of the next turn. */
  beginTurn(continues?: ParkedTurn): TurnRecord {
    const { session, limit, start, journal } = this.#options;
    this.#turns++;
    this.#deferred.clear();
    const own = `${(this.#scope ??= session?.scope ?? session?.id ?? randomUUID())}/${this.#turns}`;
    // A call that did not run keeps its key.
    const scope = continues?.scope ?? own;
    if (session === undefined) return { journal, scope, called: nothing, block: nothing };
    this.#turnScope = scope;
    const made = {
      turn: this.#turns,
      scope,
      ...(continues === undefined ? {} : { continues: true }),
      ...(limit === undefined ? {} : { limit }),
      ...(start === undefined ? {} : { start }),
    };
    const saved = session.journalOf(made);
    const noting: Journal = {
      record: (event) => {
        if (event.type === "call-deferred") this.#deferred.set(event.id, event);
        return saved.record(event);
      },
    };
    return {
      journal: noting,
      scope,
      called: (block) => this.#record({ type: "call", block }),
      block: (block) =>
        this.#record(
          block.type === "tool_use"
            ? { type: "block", callId: String(block["id"]) }
            : { type: "block", block },
        ),
    };
  }

  /** At the end of a run: like `sync`, but does not wait if the owner of the session saves it. */
  async saveEnd(): Promise<void> {
    if (this.#options.session?.isSavedByOwner !== true) await this.sync();
  }

  /** Resolves when everything is on disk, or reported as not saved. */
  async sync(): Promise<void> {
    await this.#options.session?.sync();
  }

  #record(entry: SessionEntry): void {
    this.#options.session?.append(entry);
  }
}

function nothing(): void {}

/** The calls of a response, in order. */
function callsIn(content: readonly Block[]): Pick<WaitingCall, "callId" | "toolName" | "input">[] {
  return content.flatMap(({ type, id, name, input }) =>
    type === "tool_use" ? [{ callId: String(id), toolName: String(name), input }] : [],
  );
}

function notAnswered(callId: string): ToolResult {
  const content =
    "Not run: the user sent a new message instead of answering the question about this response.";
  return { type: "tool_result", tool_use_id: callId, content, is_error: true };
}

function known({ costUsd }: { costUsd: number | undefined }): { costUsd?: number } {
  return costUsd === undefined ? {} : { costUsd };
}

/** Files and other attachments are marked like this. */
const ATTACHED = /^<(?:file|attached) /;

/** Returns what the user typed of a prompt. */
export function ownWords(prompt: Prompt): string {
  if (typeof prompt === "string") return prompt;
  const typed = prompt.find(
    ({ type, text }) => type === "text" && typeof text === "string" && !ATTACHED.test(text),
  );
  return typed === undefined ? "" : stringOf(typed["text"]);
}

function cwdOf(saved: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return typeof saved?.["cwd"] === "string" ? saved["cwd"] : undefined;
}
