/** One open session: its content when it was opened, and what is appended from then on. */

import { wrong } from "@runahead/base";
import { checkEntry } from "./check-entry.ts";
import type { Answer, Fate, Journal, Results } from "@runahead/engine";
import type { HistoryMessage } from "@runahead/engine/history";
import { type SavedPrompt, type SessionEntry, type TurnBegun, toLine } from "./entry.ts";
import type { Usage } from "../model/token-usage.ts";
import type { AgentJournals } from "./agent-journals.ts";
import { turnJournal } from "./journal.ts";
import type { Loaded } from "./load.ts";
import { type OpenQuestion, type ParkedTurn, checkAnswer, questionsOf, withAnswer } from "./parked.ts";
import type { UnreconciledCall } from "./reconciled.ts";
import { type Spent, addSpent } from "./spent.ts";
import { changedState } from "./state.ts";
import { withMail } from "./taken-mail.ts";

/** A session that is open for writing: its content when it was opened, and what is appended from then on. */
export interface Session {
  /** The id of the session. */
  readonly id: string;
  /** The path of its journal. */
  readonly path: string;
  /** The working directory of the session. */
  readonly cwd: string;
  /** The history as loaded and recovered. The model's API always accepts it. */
  readonly messages: readonly HistoryMessage[];
  /** The user's prompts in the history, oldest first. */
  readonly prompts: readonly SavedPrompt[];
  /** The context that calls share, after the last completed turn. */
  readonly context: Record<string, unknown> | undefined;
  /** The tokens of all completed turns, including those of sub-agents. */
  readonly usage: Usage;
  /** What they cost in US dollars; undefined if the price of a model is unknown. */
  readonly costUsd?: number | undefined;
  /** The states of other parts of the program, by name. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** The number of the last turn. Default: 0. */
  readonly turns?: number;
  /** The fates of the calls in a turn that a crash left open. */
  readonly recovered: readonly Fate[];
  /**
   * The calls with an unknown outcome that the model has not answered yet. An agent asks their tools what happened before
   * its first request. Default: none.
   */
  readonly unreconciled?: readonly UnreconciledCall[];
  /**
   * The questions that were deferred and are not answered yet. The turn that they belong to is parked: `agent.resume()`
   * continues it, and a new prompt gives it up.
   */
  readonly questions: readonly OpenQuestion[];
  /** The turn that waits for answers, if there is one. */
  readonly parked?: ParkedTurn | undefined;
  /** What the idempotency keys of its calls begin with. Default: the id. */
  readonly scope?: string;
  /**
   * Whether everything that was appended is on disk. Check it after `sync`, before you promise the user that the session
   * can be resumed.
   */
  readonly isSaved: boolean;
  /** True: an agent does not wait until the end of a run is saved, because the owner of the session does. Default: false. */
  readonly isSavedByOwner?: boolean;
  /** Stores large results in files of the session. */
  readonly results: Results;
  /** The journals of its sub-agents. */
  readonly agents?: AgentJournals;
  /**
   * Aborted when another process has taken the session over, with a {@link LeaseLost} as the reason. Nothing can be
   * saved from then on, so stop working. Undefined for sessions in files, whose lock ends with the process.
   */
  readonly lost?: AbortSignal;
  /**
   * Appends an entry, in order and without waiting. Reports through `onNotice` if it cannot be saved. Throws after
   * `close`.
   */
  append(entry: SessionEntry): void;
  /**
   * Answers a question of `questions`, and resolves when the answer is on disk. The turn continues with `agent.resume()`
   * in any process. The rules judge the call again then: if they have changed, a deny wins over the answer.
   *
   * Rejects with {@link NoSuchQuestion} if the question is not open, and with a TypeError if the answer is invalid.
   */
  answer(id: string, answer: Answer): Promise<void>;
  /** Begins a turn and returns its journal. The journal ignores events after the turn has ended or another has begun. */
  journalOf(turn: TurnBegun): Journal;
  /**
   * Resolves when everything that was appended is on disk or was reported as not saved. With a store: resolves when it is
   * durable, and rejects with {@link LeaseLost}.
   */
  sync(): Promise<void>;
  /** Syncs and releases the session. Can be called more than once. */
  close(): Promise<void>;
}

/** Writes the lines of a journal. */
export interface EntryWriter {
  readonly isSaved: boolean;
  /** `taken` is the id of the mail that the line takes from the inbox. */
  append(line: string, taken?: string): void;
  /** Reports an entry that cannot be written at all. */
  lose(error: unknown): void;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface SessionParts {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly loaded: Pick<
    Loaded,
    | "messages"
    | "prompts"
    | "context"
    | "usage"
    | "costUsd"
    | "state"
    | "turns"
    | "recovery"
    | "unreconciled"
    | "parked"
    | "taken"
  >;
  readonly scope?: string;
  readonly writer: EntryWriter;
  readonly results: Results;
  readonly agents?: AgentJournals;
  readonly release: () => Promise<void>;
}

export class SavedSession implements Session {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly messages: readonly HistoryMessage[];
  readonly prompts: readonly SavedPrompt[];
  readonly recovered: readonly Fate[];
  readonly unreconciled: readonly UnreconciledCall[];
  readonly scope: string;
  readonly results: Results;
  readonly agents?: AgentJournals;
  readonly #writer: EntryWriter;
  readonly #release: () => Promise<void>;
  #context: Record<string, unknown> | undefined;
  #spent: Spent;
  #state: Readonly<Record<string, unknown>>;
  #turns: number;
  #parked: ParkedTurn | undefined;
  #taken: readonly string[];
  /** The journal of the turn that is open. */
  #journal: Journal | undefined;
  #closing: Promise<void> | undefined;

  constructor({ id, path, cwd, loaded, writer, results, agents, release, scope }: SessionParts) {
    this.id = id;
    this.path = path;
    this.cwd = cwd;
    this.messages = loaded.messages;
    this.prompts = loaded.prompts;
    this.recovered = loaded.recovery?.fates ?? [];
    this.unreconciled = loaded.unreconciled;
    this.scope = scope ?? id;
    this.results = results;
    if (agents !== undefined) this.agents = agents;
    this.#context = loaded.context;
    this.#spent = loaded;
    this.#state = loaded.state;
    this.#turns = loaded.turns;
    this.#parked = loaded.parked;
    this.#taken = loaded.taken;
    this.#writer = writer;
    this.#release = release;
  }

  get context(): Record<string, unknown> | undefined {
    return this.#context;
  }

  get usage(): Usage {
    return this.#spent.usage;
  }

  get costUsd(): number | undefined {
    return this.#spent.costUsd;
  }

  get state(): Readonly<Record<string, unknown>> {
    return this.#state;
  }

  get turns(): number {
    return this.#turns;
  }

  get parked(): ParkedTurn | undefined {
    return this.#parked;
  }

  /** Whether an entry of the session has taken this mail. */
  hasTaken(mail: string): boolean {
    return this.#taken.includes(mail);
  }

  get questions(): readonly OpenQuestion[] {
    return questionsOf(this.#parked);
  }

  async answer(id: string, answer: Answer): Promise<void> {
    checkAnswer(this.#parked, id, answer);
    this.append({ type: "answered", id, answer });
    await this.sync();
  }

  get isSaved(): boolean {
    return this.#writer.isSaved;
  }

  append(entry: SessionEntry): void {
    if (this.#closing !== undefined) throw new Error(`Cannot append to session ${this.id}: it is closed.`);
    checkEntry(entry);
    this.#note(entry);
    this.#write(entry);
  }

  #note(entry: SessionEntry): void {
    if ("mail" in entry) this.#taken = withMail(this.#taken, entry.mail);
    switch (entry.type) {
      case "turn-begun":
        this.#turns = entry.turn;
        return;
      case "turn-ended":
        this.#journal = undefined;
        this.#turns = entry.turn;
        this.#spent = addSpent(this.#spent, entry);
        this.#context = { ...entry.context };
        return;
      case "permission-judged":
      case "spent":
        this.#spent = addSpent(this.#spent, entry);
        return;
      case "state":
        this.#state = { ...this.#state, [entry.name]: changedState(this.#state[entry.name], entry) };
        return;
      case "message":
        if (entry.message.role === "assistant") this.#parked = undefined;
        return;
      case "turn-parked": {
        const { type: _type, ...parked } = entry;
        this.#parked = parked;
        this.#journal = undefined;
        return;
      }
      case "answered":
        if (this.#parked !== undefined) this.#parked = withAnswer(this.#parked, entry.id, entry.answer);
        return;
      case "rewound":
        this.#context = { ...entry.context };
        this.#parked = undefined;
        return;
      case "agent-ended":
      case "block":
      case "call":
      case "compacted":
      case "event":
      case "nested":
      case "prompt":
      case "reconciled":
        return;
    }
  }

  journalOf(turn: TurnBegun): Journal {
    if (typeof turn?.turn !== "number")
      throw wrong("journalOf: the turn", "an object such as { turn: 1 }", turn);
    this.append({ type: "turn-begun", ...turn });
    const journal = turnJournal({
      append: (event) => this.#write({ type: "event", event }),
      // A call must not start after the session was taken over, so its record is never reported as safe.
      sync: () => this.sync().catch(() => new Promise<never>(() => {})),
    });
    this.#journal = journal;
    // An abandoned call can end much later, during another turn.
    return { record: (event) => (this.#journal === journal ? journal.record(event) : undefined) };
  }

  sync(): Promise<void> {
    return this.#writer.sync();
  }

  close(): Promise<void> {
    this.#journal = undefined;
    this.#closing ??= this.#writer.close().then(this.#release);
    return this.#closing;
  }

  /** A compaction carries usage, context and state so far, so that loading never reads the entries before it. */
  #write(entry: SessionEntry): void {
    const { usage, costUsd } = this.#spent;
    const soFar = {
      usage,
      costUsd,
      context: this.#context,
      state: this.#state,
      turns: this.#turns,
      ...(this.#parked === undefined ? {} : { parked: this.#parked }),
      ...(this.#taken.length === 0 ? {} : { taken: this.#taken }),
    };
    const carried = entry.type === "compacted" ? soFar : {};
    let line: string;
    try {
      line = toLine({ ...entry, ...carried });
    } catch (error) {
      return this.#writer.lose(error);
    }
    this.#writer.append(line, "mail" in entry ? entry.mail : undefined);
  }
}
