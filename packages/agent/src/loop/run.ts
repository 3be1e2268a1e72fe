/** Answers a prompt: sends the history, runs the calls, appends the results, and repeats until there are no calls. */

import { stringOf } from "@runahead/base";
import { reportInterrupted } from "../agents/interrupted.ts";
import type { News } from "../agents/agent-tree.ts";
import { Asking } from "./asking.ts";
import type { Compacting } from "./compacting.ts";
import { Channel } from "./channel.ts";
import { ownWords } from "./conversation.ts";
import { type Around, EventStream } from "./event-stream.ts";
import type { AgentEvent, End, Prompt, QueryResult } from "./event.ts";
import { noticesOf } from "./hooking.ts";
import { reconcileCalls } from "./reconciling.ts";
import { CUT_OFF, EMPTY, INTERRUPTED, INTERRUPTED_CALLS } from "./notes.ts";
import { isOfScript } from "../model/provider-code.ts";
import { asReminder } from "../model/reminder.ts";
import { questionsOf } from "../session/parked.ts";
import { StructuredAnswer, isAnswered } from "./structured-output.ts";
import { Tally } from "./tally.ts";
import { textOf } from "./text.ts";
import type { TurnResult } from "./turn.ts";

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

const DEFAULT_MAX_TURNS = 50;
/** How many responses in a row can be cut off by the output limit. */
const CONTINUATIONS = 3;

export interface RunPorts extends Compacting {
  /** Takes the prompts that wait: first the prompt itself, later those sent in the meantime. */
  readonly takeMessages: () => readonly Prompt[];
  /** Called when a prompt was added to the conversation, before anything follows it. */
  readonly onAttached?: (prompt: Prompt) => void;
  /** Returns what the user typed of a prompt, if that is not all of its text. */
  readonly saidIn?: (prompt: Prompt) => string | undefined;
  /** Ends the run. The reason "interrupt" means that a new prompt came. */
  readonly signal: AbortSignal;
  /** More prompts can follow, so that a compaction is prepared for them. Default: false. */
  readonly isKept?: boolean;
  /** Do not end while background agents are at work. Default: end, and the agent is woken when they end. */
  readonly waitsForBackground?: boolean;
  /** The run answers news of background work instead of a prompt. */
  readonly isWoken?: boolean;
}

export class Run {
  readonly #ports: RunPorts;
  readonly #tally: Tally;
  readonly #asking: Asking;
  readonly #channel = new Channel<AgentEvent>();
  /** Aborted if nobody reads the events any more. */
  readonly #left = new AbortController();
  #turn = new AbortController();
  #text = "";
  /** Responses in a row that were cut off by the output limit, and that were empty. */
  #cut = 0;
  #empty = 0;
  /** Whether only results can follow the last response, and the context of hooks that waits until more can. */
  #onlyResults = false;
  readonly #held: string[] = [];
  /** Set if a hook kept the run going, refused a prompt, or ended the run. */
  #isStopActive = false;
  #refusal: string | undefined;
  #halt: string | undefined;
  /** A prompt was added that is perhaps not on disk yet. */
  #hasUnsaved = false;
  /** Set if the answer must fit a schema. */
  readonly #answer: StructuredAnswer | undefined;

  constructor(ports: RunPorts) {
    this.#ports = { ...ports, signal: AbortSignal.any([ports.signal, this.#left.signal]) };
    const { tree, id } = ports.member;
    this.#tally = id === undefined ? new Tally(ports.options.price) : new Tally(ports.options.price, tree);
    const { outputSchema } = ports.options;
    this.#answer = outputSchema === undefined ? undefined : new StructuredAnswer(ports.options);
    const asked = { ...this.#ports, events: this.#channel, answer: this.#answer };
    this.#asking = new Asking(asked, this.#tally, () => this.#remind());
  }

  /** A prompt should not wait for the end of the turn: interrupts what can be interrupted, and the run continues. */
  hurry(): void {
    this.#turn.abort("interrupt");
  }

  /** Adds an event from outside of the run, such as one of a background agent. */
  report(event: AgentEvent): void {
    this.#channel.push(event);
  }

  /** Starts the run when the first event is read. A reader that leaves early stops it. */
  events(around?: Around<QueryResult>): Events<QueryResult> {
    const stop = (): void => this.#left.abort();
    return new EventStream({ channel: this.#channel, work: () => this.#work(), stop, around });
  }

  async *#work(): Events<QueryResult> {
    const { signal, conversation, member } = this.#ports;
    const stop = (): void => this.#turn.abort(signal.reason);
    signal.addEventListener("abort", stop);
    const isMain = member.id === undefined;
    if (isMain) member.tree.tally = this.#tally;
    try {
      const end = yield* this.#loop();
      if (end.reason === "model_error") await this.#ports.hooks.failed(end, this.#text);
      conversation.repair();
      conversation.saveStates();
      if (this.#ports.isKept === true) this.#ports.preparation.consider();
      else await this.#ports.preparation.cancel();
      this.#ports.preparation.count(this.#tally);
      await conversation.saveEnd();
      const { usage, costUsd, turns, models } = this.#tally;
      const { messages } = conversation;
      const output = this.#answer === undefined ? {} : { output: this.#answer.outputAt(end) };
      const spent = { usage, costUsd, models };
      const result: QueryResult = { ...end, text: this.#text, messages, turns, ...spent, ...output };
      yield { type: "ended", result };
      return result;
    } finally {
      signal.removeEventListener("abort", stop);
      if (isMain) member.tree.tally = undefined;
    }
  }

  async *#loop(): Events<End> {
    const { options, signal } = this.#ports;
    const { maxTurns = DEFAULT_MAX_TURNS, budget = {} } = options;
    const nothing = yield* this.#begin();
    if (nothing !== undefined) return nothing;
    for (;;) {
      if (signal.aborted) return { reason: "aborted_streaming", detail: "" };
      if (this.#halt !== undefined) return { reason: "hook_stopped", detail: this.#halt };
      const limit = this.#tally.over(budget, maxTurns);
      if (limit !== undefined) return limit;
      if (this.#turn.signal.aborted) yield* this.#newTurn();
      if (this.#ports.conversation.parked === undefined && !this.#onlyResults) await this.#remind();
      await this.#ports.member.presence?.ready(signal);
      // A message that was sent after the stop belongs to the next run.
      if (signal.aborted) continue;
      await this.#savePrompts();
      const turn = yield* this.#nextTurn();
      if (turn !== undefined && "reason" in turn) return turn;
      const { cwd } = this.#ports.conversation.context;
      const appended = turn === undefined ? undefined : this.#append(turn);
      if (turn !== undefined && !signal.aborted) yield* this.#afterCalls(turn, cwd);
      const end = turn === undefined ? undefined : await this.#endOf(turn, appended);
      if (signal.aborted && end !== undefined) return end;
      if (signal.aborted) continue;
      const canFollow = turn === undefined || canAttach(turn);
      const hasHeld = canFollow && this.#addHeld();
      const hasNews = (canFollow ? yield* this.#attach() : false) || hasHeld;
      if (end !== undefined && !hasNews && !(yield* this.#isKeptGoing(end))) {
        if (!(await this.#hasBackgroundNews(end))) return end;
      }
      this.#answer?.forget();
    }
  }

  /** An answer that must fit a schema can end the run, or keep it going. */
  async #endOf(turn: TurnResult, end: End | undefined): Promise<End | undefined> {
    if (this.#answer === undefined || turn.parked !== undefined || this.#ports.signal.aborted) return end;
    const after = await this.#answer.after(turn, end);
    if (after.type === "nothing") return end;
    if (after.type === "done") return end ?? { reason: "completed", detail: "" };
    this.#ports.conversation.add("user", after.words);
    return undefined;
  }

  /** A turn that waits for answers comes before the next request. */
  async *#nextTurn(): ReturnType<Asking["turn"]> {
    const { parked } = this.#ports.conversation;
    if (parked === undefined) return yield* this.#asking.turn(this.#turn.signal);
    return this.#asking.continue(parked, this.#turn.signal);
  }

  /** Adds the prompt. Returns the end if there is nothing to answer. */
  async *#begin(): Events<End | undefined> {
    const { conversation, hooks, signal } = this.#ports;
    if (conversation.isNew) {
      conversation.isNew = false;
      const said = await hooks.begin(conversation.messages.length === 0 ? "startup" : "resume", signal);
      yield* noticesOf(said);
      this.#addContext(said.context);
    }
    yield* reconcileCalls(this.#ports);
    const hasNews = yield* this.#attach();
    const isParked = conversation.parked !== undefined;
    if (hasNews && !isParked) this.#addContext(hooks.takeLateContext());
    if (!hasNews && isParked && this.#ports.isWoken === true) return waiting(conversation);
    if (!hasNews && this.#ports.isWoken === true) await this.#remind();
    if (!hasNews && this.#refusal !== undefined) return { reason: "hook_stopped", detail: this.#refusal };
    const isDone = !hasNews && isAnswered(conversation.messages);
    if (conversation.awaitsAnswer && !isDone) return undefined;
    return { reason: "completed", detail: "there is nothing to answer" };
  }

  /** An urgent prompt that came between two turns is added before the next one. */
  async *#newTurn(): Events<void> {
    this.#turn = new AbortController();
    this.#onlyResults = false;
    yield* this.#attach();
  }

  /** Adds waiting prompts as separate messages after the results, unless a hook refuses them. */
  async *#attach(): Events<boolean> {
    const { conversation, hooks, signal, takeMessages } = this.#ports;
    let hasNews = false;
    for (const prompt of takeMessages()) {
      const said = await hooks.submit(prompt, signal);
      yield* noticesOf(said);
      if (said.stop !== undefined) this.#halt = said.stop.reason;
      if (said.blocked !== undefined) {
        this.#refusal = said.blocked.reason;
        yield { type: "notice", message: `A hook refused the prompt: ${said.blocked.reason}` };
        continue;
      }
      conversation.giveUpParked();
      // Facts that the model needs from the start come before the first prompt.
      if (conversation.messages.length === 0) await this.#remind();
      conversation.add("user", prompt);
      conversation.heard(this.#ports.saidIn?.(prompt) ?? ownWords(prompt));
      this.#ports.onAttached?.(prompt);
      this.#addContext(said.context);
      yield { type: "prompt-attached", prompt };
      hasNews = true;
      this.#hasUnsaved = true;
    }
    return hasNews;
  }

  /** A process that is killed right after the request must not lose the prompt. */
  async #savePrompts(): Promise<void> {
    if (!this.#hasUnsaved) return;
    this.#hasUnsaved = false;
    await this.#ports.conversation.sync();
  }

  /** A source of reminders that fails must not end the run. */
  async #remind(): Promise<void> {
    const { conversation, options, signal } = this.#ports;
    const { messages, context } = conversation;
    const asked = { messages, cwd: context.cwd, signal };
    const texts = await Promise.resolve(asked)
      .then((moment) => options.reminders?.next(moment) ?? [])
      .catch((error: unknown) => {
        process.emitWarning(`The source of reminders failed: ${String(error)}`, "RunaheadWarning");
        return [];
      });
    const news = await this.#news();
    const all = [...texts, ...news.texts];
    if (all.length > 0) conversation.add("user", all.map(asReminder));
    // A program that is killed after the mark and before the report is saved would never report it.
    if (news.texts.length > 0) await conversation.sync();
    news.done();
  }

  /** What happened to sub-agents. */
  async #news(): Promise<News> {
    const { member, options } = this.#ports;
    if (member.id !== undefined) return { texts: member.tree.takeNewsFor(member.id), done: () => {} };
    await reportInterrupted(member.tree, options);
    return member.tree.takeNews();
  }

  /** Waits for background agents if the run must not end before them. Returns true if there is something to answer. */
  async #hasBackgroundNews({ reason }: End): Promise<boolean> {
    const { signal, waitsForBackground = false, member, conversation } = this.#ports;
    if (reason !== "completed" || member.id !== undefined) return false;
    const { tree } = member;
    const mustWait = (): boolean =>
      waitsForBackground && !tree.hasNews && tree.backgroundAgents().length > 0 && !signal.aborted;
    while (mustWait()) await tree.backgroundChange(signal);
    if (signal.aborted || !tree.hasNews) return false;
    await this.#remind();
    return conversation.awaitsAnswer;
  }

  #addContext(context: readonly string[]): void {
    if (this.#onlyResults) this.#held.push(...context);
    else if (context.length > 0) this.#ports.conversation.add("user", context.join("\n\n"));
  }

  /** Adds the context that had to wait. Returns true if there was some, which the model has not read. */
  #addHeld(): boolean {
    const held = this.#held.splice(0);
    this.#addContext(held);
    return held.length > 0;
  }

  /** A hook can decide that the work is not done. */
  async *#isKeptGoing(end: End): Events<boolean> {
    const { conversation, hooks, signal } = this.#ports;
    if (end.reason !== "completed" || end.detail !== "") return false;
    const { messages } = conversation;
    const facts = { lastAssistantMessage: this.#text, isActive: this.#isStopActive, messages };
    const said = await hooks.stop(facts, signal);
    yield* noticesOf(said);
    if (said.blocked === undefined) return false;
    this.#isStopActive = true;
    conversation.add("user", said.blocked.reason);
    this.#addContext(said.context);
    return true;
  }

  /** Adds a turn to the history. Returns the end if the work is done. */
  #append(turn: TurnResult): End | undefined {
    const { conversation } = this.#ports;
    const costUsd = this.#tally.costOf(turn.usage, this.#asking.model);
    this.#tally.addCalls(turn.results.length);
    this.#tally.turns++;
    this.#text = textOf(turn.content);
    if (turn.parked !== undefined) {
      conversation.park(turn, costUsd);
      return waiting(conversation);
    }
    conversation.took(turn, costUsd);
    this.#onlyResults = !canAttach(turn);
    this.#addContext(this.#ports.hooks.takeContext());
    return this.#stopped(turn) ?? this.#next(turn);
  }

  /** Hooks can add context before the next request, or end the work. */
  async *#afterCalls({ content, results, context }: TurnResult, cwd: string): Events<void> {
    const { hooks, signal } = this.#ports;
    if (context.cwd !== cwd) yield* noticesOf(await hooks.moved(cwd, context.cwd, signal));
    if (results.length === 0) return;
    const said = await hooks.batch(() => batchOf(content, results), context.cwd, signal);
    yield* noticesOf(said);
    this.#addContext(said.context);
    this.#halt ??= said.stop?.reason ?? said.blocked?.reason;
  }

  #stopped({ stop, results, endedBy, detail }: TurnResult): End | undefined {
    const { signal, conversation } = this.#ports;
    if (signal.aborted) {
      const during = results.length > 0;
      // After a new prompt, the model does not need a note about the interruption.
      if (signal.reason !== "interrupt") conversation.add("user", during ? INTERRUPTED_CALLS : INTERRUPTED);
      return { reason: during ? "aborted_tools" : "aborted_streaming", detail: "" };
    }
    if (endedBy !== undefined) return { reason: "hook_stopped", detail: endedBy };
    return stop === "refusal"
      ? { reason: "completed", detail: `refusal ${detail}`.trimEnd(), stop }
      : undefined;
  }

  /** Continues if there were calls, whatever the stop reason. */
  #next({ content, results, stop }: TurnResult): End | undefined {
    const wasCut = stop === "max_tokens" || stop === "model_context_window_exceeded";
    const { conversation } = this.#ports;
    if (stop === "model_context_window_exceeded") this.#asking.isFull = true;
    this.#cut = wasCut ? this.#cut + 1 : 0;
    this.#empty = content.length === 0 ? this.#empty + 1 : 0;
    if (wasCut && this.#cut > CONTINUATIONS)
      return { reason: "model_error", detail: cutOffWords(this.#cut), stop };
    // After an empty response to results, the model is asked once to continue.
    const isLost = results.length === 0 && this.#empty === 1 && this.#tally.calls > 0;
    if (wasCut || isLost) conversation.add("user", wasCut ? CUT_OFF : EMPTY);
    const isPaused = stop === "pause_turn" || stop === "compaction" || stop === "aborted";
    const continues = wasCut || isLost || results.length > 0 || isPaused;
    return continues ? undefined : { reason: "completed", detail: "" };
  }
}

/** The end of a run whose turn waits for answers. */
function waiting({ parked }: RunPorts["conversation"]): End {
  const count = questionsOf(parked).length;
  return { reason: "deferred", detail: count === 1 ? "1 question is open" : `${count} questions are open` };
}

/** Pairs the calls of a response with their results. */
function batchOf(content: TurnResult["content"], results: TurnResult["results"]) {
  const calls = new Map(content.map((block) => [block["id"], block]));
  return results.map(({ tool_use_id: id, content: result }) => {
    const call = calls.get(id);
    return { id, name: stringOf(call?.["name"], ""), input: call?.["input"], result };
  });
}

function cutOffWords(times: number): string {
  return `The response was cut off by the output limit ${times} times in a row. Raise maxTokens, or ask for smaller steps.`;
}

/** After an unfinished response of the server, only results can follow. */
function canAttach({ content, stop }: TurnResult): boolean {
  if (stop === "pause_turn") return false;
  const answered = new Set(content.map((block) => block["tool_use_id"]));
  return content.every(
    (block) => !isOfScript(block) && (block.type !== "server_tool_use" || answered.has(block["id"])),
  );
}
