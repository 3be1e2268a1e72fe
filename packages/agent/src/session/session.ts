/** One session: what it was when it was opened, and what is appended to it from then on. */

import type { Fate, Journal, Results } from "@runahead/engine";
import type { HistoryMessage } from "@runahead/engine/history";
import { type SavedPrompt, type SessionEntry, type TurnBegun, toLine } from "./entry.ts";
import { type Usage, addUsage } from "../model/token-usage.ts";
import { turnJournal } from "./journal.ts";
import type { Loaded } from "./load.ts";
import type { Writer } from "./writer.ts";

/** A session that is open for writing: what it held when it was opened, and what is appended from then on. */
export interface Session {
  /** Its id. */
  readonly id: string;
  /** The path of its journal. */
  readonly path: string;
  /** The folder that it is about. */
  readonly cwd: string;
  /** The history as loaded and recovered, always one that the model's API accepts. */
  readonly messages: readonly HistoryMessage[];
  /** The person's prompts among them, oldest first. */
  readonly prompts: readonly SavedPrompt[];
  /** What calls share, after the last turn that ended. */
  readonly context: Record<string, unknown> | undefined;
  /** The tokens of all turns that ended. */
  readonly usage: Usage;
  /** What became of the calls of a turn that a crash had left open. */
  readonly recovered: readonly Fate[];
  /**
   * Whether everything that was appended is on disk. Check it after `sync`, before you promise that the session can
   * be resumed.
   */
  readonly isSaved: boolean;
  /** Keeps large results in files of the session. */
  readonly results: Results;
  /**
   * Appends an entry, in order and without waiting. What cannot be saved is reported through `onNotice`. Throws after
   * `close`.
   */
  append(entry: SessionEntry): void;
  /** Begins a turn and returns its journal, which ignores events once the turn has ended or another has begun. */
  journalOf(turn: TurnBegun): Journal;
  /** Resolves when everything that was appended is on disk, or has been reported as not saved. */
  sync(): Promise<void>;
  /** Syncs, and lets others have the session. Can be called more than once. */
  close(): Promise<void>;
}

export interface SessionParts {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly loaded: Pick<Loaded, "messages" | "prompts" | "context" | "usage" | "recovery">;
  readonly writer: Writer;
  readonly results: Results;
  readonly release: () => Promise<void>;
}

export class SavedSession implements Session {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly messages: readonly HistoryMessage[];
  readonly prompts: readonly SavedPrompt[];
  readonly recovered: readonly Fate[];
  readonly results: Results;
  readonly #writer: Writer;
  readonly #release: () => Promise<void>;
  #context: Record<string, unknown> | undefined;
  #usage: Usage;
  /** The journal of the turn that is open. */
  #journal: Journal | undefined;
  #closing: Promise<void> | undefined;

  constructor({ id, path, cwd, loaded, writer, results, release }: SessionParts) {
    this.id = id;
    this.path = path;
    this.cwd = cwd;
    this.messages = loaded.messages;
    this.prompts = loaded.prompts;
    this.recovered = loaded.recovery?.fates ?? [];
    this.results = results;
    this.#context = loaded.context;
    this.#usage = loaded.usage;
    this.#writer = writer;
    this.#release = release;
  }

  get context(): Record<string, unknown> | undefined {
    return this.#context;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get isSaved(): boolean {
    return this.#writer.isSaved;
  }

  append(entry: SessionEntry): void {
    if (this.#closing !== undefined) throw new Error(`append to session ${this.id} after close().`);
    if (entry.type === "turn-ended") {
      this.#journal = undefined;
      this.#usage = addUsage(this.#usage, entry.usage);
      this.#context = { ...entry.context };
    }
    if (entry.type === "permission-judged") this.#usage = addUsage(this.#usage, entry.usage);
    if (entry.type === "rewound") this.#context = { ...entry.context };
    this.#write(entry);
  }

  journalOf(turn: TurnBegun): Journal {
    this.append({ type: "turn-begun", ...turn });
    const journal = turnJournal({
      append: (event) => this.#write({ type: "event", event }),
      sync: () => this.sync(),
    });
    this.#journal = journal;
    // A call that was abandoned may end much later, in the middle of another turn.
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

  /** A compaction carries the sums of what lies before it, so that nobody need read that again. */
  #write(entry: SessionEntry): void {
    const carried = entry.type === "compacted" ? { usage: this.#usage, context: this.#context } : {};
    let line: string;
    try {
      line = toLine({ ...entry, ...carried });
    } catch (error) {
      return this.#writer.lose(error);
    }
    this.#writer.append(line);
  }
}
