/** The answer to a prompt: send the history, run what comes back, append the results, and again, until nothing is asked for. */

import { Asking } from "./asking.ts";
import type { Compacting } from "./compacting.ts";
import { ownWords } from "./conversation.ts";
import type { AgentEvent, End, Prompt, QueryResult } from "./event.ts";
import { told } from "./hooking.ts";
import { CUT_OFF, EMPTY, INTERRUPTED, INTERRUPTED_CALLS } from "./notes.ts";
import { asReminder } from "./reminders.ts";
import { Tally } from "./tally.ts";
import { textOf } from "./text.ts";
import type { TurnResult } from "./turn.ts";

type Events<Result> = AsyncGenerator<AgentEvent, Result, undefined>;

const DEFAULT_MAX_TURNS = 50;
/** So often in a row a response that was cut by its limit is put up with. */
const CONTINUATIONS = 3;

export interface RunPorts extends Compacting {
  /** What people have said, the prompt first, and then what they say meanwhile; it is theirs no longer. */
  readonly takeMessages: () => readonly Prompt[];
  /** The person's own words in a prompt, if they are not all of its text. */
  readonly saidIn?: (prompt: Prompt) => string | undefined;
  /** Ends it: with the reason "interrupt", because of a new message. */
  readonly signal: AbortSignal;
}

export class Run {
  readonly #ports: RunPorts;
  readonly #tally: Tally;
  readonly #asking: Asking;
  #turn = new AbortController();
  #text = "";
  /** Responses in a row that were cut by their limit, and that were empty. */
  #cut = 0;
  #empty = 0;
  /** A hook has kept it from stopping; a hook has refused a message; a hook has ended it. */
  #isStopActive = false;
  #refusal: string | undefined;
  #halt: string | undefined;

  constructor(ports: RunPorts) {
    this.#ports = ports;
    this.#tally = new Tally(ports.options.price);
    this.#asking = new Asking(ports, this.#tally);
  }

  /** A message should not wait for the end of the turn: what may be cut short is cut short, and the run goes on. */
  hurry(): void {
    this.#turn.abort("interrupt");
  }

  async *events(): Events<QueryResult> {
    const { signal, conversation } = this.#ports;
    const stop = (): void => this.#turn.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      const end = yield* this.#loop();
      conversation.repair();
      await conversation.sync();
      const { usage, costUsd, turns } = this.#tally;
      const { messages } = conversation;
      const result: QueryResult = { ...end, text: this.#text, messages, turns, usage, costUsd };
      yield { type: "ended", result };
      return result;
    } finally {
      signal.removeEventListener("abort", stop);
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
      await this.#remind();
      const turn = yield* this.#asking.turn(this.#turn.signal);
      if (turn !== undefined && "reason" in turn) return turn;
      const end = turn === undefined ? undefined : this.#append(turn);
      if (signal.aborted && end !== undefined) return end;
      const hasNews = turn === undefined || mayAttach(turn) ? yield* this.#attach() : false;
      if (end !== undefined && !hasNews && !(yield* this.#isKeptGoing(end))) return end;
    }
  }

  /** Takes the prompt in; gives the end where there is nothing to answer. */
  async *#begin(): Events<End | undefined> {
    const { conversation, hooks, signal } = this.#ports;
    if (conversation.isNew) {
      conversation.isNew = false;
      const said = await hooks.begin(conversation.messages.length === 0 ? "startup" : "resume", signal);
      yield* told(said);
      this.#addContext(said.context);
    }
    const hasNews = yield* this.#attach();
    if (!hasNews && this.#refusal !== undefined) return { reason: "hook_stopped", detail: this.#refusal };
    if (conversation.awaitsAnswer) return undefined;
    return { reason: "completed", detail: "there is nothing to answer" };
  }

  /** A message that came between two turns, and would not wait for the end of the next, comes before it. */
  async *#newTurn(): Events<void> {
    this.#turn = new AbortController();
    yield* this.#attach();
  }

  /** Messages follow the results as messages of their own, unless a hook refuses them. */
  async *#attach(): Events<boolean> {
    const { conversation, hooks, signal, takeMessages } = this.#ports;
    let hasNews = false;
    for (const prompt of takeMessages()) {
      const said = await hooks.submit(prompt, signal);
      yield* told(said);
      if (said.stop !== undefined) this.#halt = said.stop.reason;
      if (said.blocked !== undefined) {
        this.#refusal = said.blocked.reason;
        yield { type: "notice", message: `A hook refused the message: ${said.blocked.reason}` };
        continue;
      }
      // What the model should know from the start comes before the first prompt.
      if (conversation.messages.length === 0) await this.#remind();
      conversation.add("user", prompt);
      conversation.heard(this.#ports.saidIn?.(prompt) ?? ownWords(prompt));
      this.#addContext(said.context);
      yield { type: "prompt-attached", prompt };
      hasNews = true;
    }
    return hasNews;
  }

  /** A source of reminders that fails must not end the run. */
  async #remind(): Promise<void> {
    const { conversation, options, signal } = this.#ports;
    const { messages, context } = conversation;
    const asked = { messages, cwd: context.cwd, signal };
    const texts = await Promise.resolve(asked)
      .then((moment) => options.reminders?.next(moment) ?? [])
      .catch((error: unknown) => {
        process.emitWarning(`reminders failed: ${String(error)}`, "RunaheadWarning");
        return [];
      });
    if (texts.length > 0) conversation.add("user", texts.map(asReminder));
  }

  #addContext(context: readonly string[]): void {
    if (context.length > 0) this.#ports.conversation.add("user", context.join("\n\n"));
  }

  /** A hook may find that it is not done. */
  async *#isKeptGoing(end: End): Events<boolean> {
    const { conversation, hooks, signal } = this.#ports;
    if (end.reason !== "completed" || end.detail !== "") return false;
    const said = await hooks.stop(this.#text, this.#isStopActive, signal);
    yield* told(said);
    if (said.blocked === undefined) return false;
    this.#isStopActive = true;
    conversation.add("user", said.blocked.reason);
    this.#addContext(said.context);
    return true;
  }

  /** Puts a turn into the history and says whether that is all. */
  #append(turn: TurnResult): End | undefined {
    const { conversation } = this.#ports;
    this.#tally.add(turn.usage, conversation.model);
    this.#tally.calls += turn.results.length;
    this.#tally.turns++;
    this.#text = textOf(turn.content);
    conversation.took(turn);
    this.#addContext(this.#ports.hooks.takeContext());
    return this.#stopped(turn) ?? this.#goOn(turn);
  }

  #stopped({ stop, results, endedBy, detail }: TurnResult): End | undefined {
    const { signal, conversation } = this.#ports;
    if (signal.aborted) {
      const during = results.length > 0;
      // A new message says itself that the person has interrupted.
      if (signal.reason !== "interrupt") conversation.add("user", during ? INTERRUPTED_CALLS : INTERRUPTED);
      return { reason: during ? "aborted_tools" : "aborted_streaming", detail: "" };
    }
    if (endedBy !== undefined) return { reason: "hook_stopped", detail: endedBy };
    return stop === "refusal"
      ? { reason: "completed", detail: `refusal ${detail}`.trimEnd(), stop }
      : undefined;
  }

  /** The presence of calls decides, not the stop reason. */
  #goOn({ content, results, stop }: TurnResult): End | undefined {
    const wasCut = stop === "max_tokens" || stop === "model_context_window_exceeded";
    const { conversation } = this.#ports;
    if (stop === "model_context_window_exceeded") this.#asking.isFull = true;
    this.#cut = wasCut ? this.#cut + 1 : 0;
    this.#empty = content.length === 0 ? this.#empty + 1 : 0;
    if (wasCut && this.#cut > CONTINUATIONS)
      return { reason: "model_error", detail: `${stop}, ${this.#cut} times`, stop };
    // An empty answer to results is asked about once.
    const isLost = results.length === 0 && this.#empty === 1 && this.#tally.calls > 0;
    if (wasCut || isLost) conversation.add("user", wasCut ? CUT_OFF : EMPTY);
    const goesOn = wasCut || isLost || results.length > 0 || stop === "pause_turn" || stop === "aborted";
    return goesOn ? undefined : { reason: "completed", detail: "" };
  }
}

/** What the server has not finished is sent back with nothing but results behind it. */
function mayAttach({ content, stop }: TurnResult): boolean {
  if (stop === "pause_turn") return false;
  const answered = new Set(content.map((block) => block["tool_use_id"]));
  return content.every(({ type, id }) => type !== "server_tool_use" || answered.has(id));
}
