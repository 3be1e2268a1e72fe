/**
 * Loads the history from a journal. A line that cannot be read affects nothing but itself (E07). Entries of completed
 * turns are skipped without parsing, so that time and memory depend on the history, not on the file (G12).
 */

import type { FileHandle } from "node:fs/promises";
import type { Answer, Fate, ToolResult } from "@runahead/engine";
import { type HistoryMessage, checkHistory, repairHistory } from "@runahead/engine/history";
import { isShape } from "@runahead/base";
import type { Usage } from "../model/token-usage.ts";
import { type Line, type SavedPrompt, VERSION, findHeader, isMessage, parseLine } from "./entry.ts";
import { SessionTooNew } from "./error.ts";
import { isIntact } from "./checksum.ts";
import { openToRead } from "./files.ts";
import type { Notice } from "./folder.ts";
import { type ParkedTurn, parkedIn, withAnswer } from "./parked.ts";
import { Prompts } from "./prompts.ts";
import { type RawLine, lastCompaction, linesBefore, readHead, readLines } from "./read.ts";
import { NOTHING_SPENT, addSpent } from "./spent.ts";
import { changedState } from "./state.ts";
import { withMail } from "./taken-mail.ts";
import { type UnreconciledCall, inHistory, isReconcilable, unknownIn, withResult } from "./reconciled.ts";
import { type OpenTurn, isBeginningOf, recoverMessages, stillUnknown } from "./recover.ts";

const HEAD_BYTES = 1 << 16;

export interface Loaded {
  readonly header: Line | undefined;
  readonly messages: readonly HistoryMessage[];
  readonly prompts: readonly SavedPrompt[];
  readonly context: Record<string, unknown> | undefined;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  readonly state: Readonly<Record<string, unknown>>;
  readonly turns: number;
  readonly found: "nothing" | "lines" | "torn";
  readonly recovery: Recovery | undefined;
  /** Calls with an unknown outcome that the model has not answered and whose tools can be asked what happened. */
  readonly unreconciled: readonly UnreconciledCall[];
  /** The turn that waits for an answer which comes later. */
  readonly parked: ParkedTurn | undefined;
  /** Ids of the last mail that the session has taken. */
  readonly taken: readonly string[];
  /** In the journal of a sub-agent: how it ended; undefined if it has not. */
  readonly agentEnd: string | undefined;
}

/** What a new journal has. */
export const NOTHING_LOADED: Loaded = {
  header: undefined,
  messages: [],
  prompts: [],
  context: undefined,
  ...NOTHING_SPENT,
  state: {},
  turns: 0,
  found: "nothing",
  recovery: undefined,
  unreconciled: [],
  parked: undefined,
  taken: [],
  agentEnd: undefined,
};

/** The result of recovering the turn that was left open. */
export interface Recovery {
  readonly fates: readonly Fate[];
  /** The messages to append; undefined if they belong before others, so that the whole history must be written. */
  readonly made: readonly HistoryMessage[] | undefined;
  /** The turn, if a question of it is answered later. */
  readonly parked?: ParkedTurn;
}

export async function load(path: string, onNotice: Notice): Promise<Loaded> {
  const { handle, size } = await openToRead(path);
  try {
    const header = await readHeader(handle, path);
    for (let from = size; ; ) {
      from = await lastCompaction(handle, from);
      const loading = new Loading();
      await readLines(handle, { from, to: size }, (line) => loading.take(line));
      // An unreadable compaction is ignored: the history that it replaced still counts.
      if (from > 0 && !loading.startsCompacted) continue;
      if (header === undefined && size > 0) onNotice(`The header of ${path} cannot be read.`);
      const loaded = loading.end(path, onNotice);
      if (loading.damaged.length > 0)
        onNotice(damagedMessage(path, await linesBefore(handle, from), loading.damaged));
      return { header, ...loaded };
    }
  } finally {
    await handle.close();
  }
}

/** Throws `SessionTooNew` if the journal has a newer format. */
export async function readHeader(handle: FileHandle, path: string): Promise<Line | undefined> {
  const line = findHeader(await readHead(handle, HEAD_BYTES));
  if (line === undefined) return undefined;
  const version = Number.parseFloat(String(line["version"]));
  if (Math.trunc(version) > VERSION) throw new SessionTooNew(path, String(line["version"]), VERSION);
  return line;
}

const PREFIX = '{"type":"';
const LONGEST_TYPE = 40;

/** Reads the type without parsing the line; empty if the line does not start the way we write it. */
function typeAtStart(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, PREFIX.length + LONGEST_TYPE);
  return start.startsWith(PREFIX) ? start.slice(PREFIX.length, start.indexOf('"', PREFIX.length)) : "";
}

/** Collects the history from the lines of a journal. */
export class Loading {
  startsCompacted = false;
  /** The numbers of the lines that do not match their checksum, from 1. */
  readonly damaged: number[] = [];
  #messages: HistoryMessage[] = [];
  readonly #prompts = new Prompts();
  #spent = NOTHING_SPENT;
  #state: Readonly<Record<string, unknown>> = {};
  #turns = 0;
  #context: Record<string, unknown> | undefined;
  #open: OpenTurn | undefined;
  #lines = 0;
  /** Counts empty lines too. */
  #number = 0;
  #unreadable = 0;
  #isTorn = false;
  #agentEnd: string | undefined;
  #unreconciled: readonly Fate[] = [];
  #parked: ParkedTurn | undefined;
  #taken: readonly string[] = [];
  /** The last line, if it could not be read. */
  #bad: Buffer | undefined;

  take({ bytes, hasEnd, isTooLong }: RawLine): void {
    this.#isTorn = !hasEnd;
    this.#number++;
    if (bytes.length === 0) return;
    this.#lines++;
    this.#judgeBad(bytes);
    const type = typeAtStart(bytes);
    if (!isIntact(bytes)) this.#damaged();
    else if (isTooLong || (!hasEnd && parseLine(bytes) === undefined)) this.#bad = Buffer.from(bytes);
    else if (type === "event" || type === "call" || type === "block") this.#keep(bytes);
    else this.#read(bytes);
  }

  #damaged(): void {
    this.damaged.push(this.#number);
    if (this.#open !== undefined) this.#open.hasGap = true;
  }

  #judgeBad(next: Buffer | undefined): void {
    const bad = this.#bad;
    this.#bad = undefined;
    if (bad === undefined || isBeginningOf(bad, next)) return;
    this.#unreadable++;
    if (this.#open !== undefined) this.#open.hasGap = true;
  }

  #keep(bytes: Buffer): void {
    // Without an open turn, the line that began it was lost.
    this.#open ??= { begun: undefined, lines: [], at: this.#messages.length, hasGap: true };
    this.#open.lines.push(Buffer.from(bytes));
  }

  #read(bytes: Buffer): void {
    const line = parseLine(bytes);
    if (line === undefined || !this.#apply(line, bytes)) this.#bad = Buffer.from(bytes);
  }

  /** Returns false if the line does not have the shape of its type. Unknown types are ignored (G04). */
  #apply(line: Line, bytes: Buffer): boolean {
    this.#taken = withMail(this.#taken, line["mail"]);
    switch (line.type) {
      case "message":
        if (!isMessage(line["message"])) return false;
        this.#messages.push(line["message"]);
        this.#agentEnd = undefined;
        if (line["message"].role === "assistant") {
          this.#unreconciled = [];
          this.#parked = undefined;
        }
        return true;
      case "agent-ended":
        this.#agentEnd = String(line["state"]);
        return true;
      case "prompt":
        return this.#prompts.add(line, this.#messages);
      case "compacted":
        return this.#compacted(line);
      case "rewound":
        return this.#rewound(line);
      case "turn-begun":
        return this.#begin(line, bytes);
      case "turn-ended":
        this.#spent = addSpent(this.#spent, line);
        if (typeof line["turn"] === "number") this.#turns = line["turn"];
        if (isShape(line["context"])) this.#context = line["context"];
        return this.#closeOpen();
      case "permission-judged":
      case "spent":
        this.#spent = addSpent(this.#spent, line);
        return true;
      case "state":
        return this.#changeState(line);
      case "recovered":
        this.#unreconciled = unknownIn(line["fates"]);
        return this.#closeOpen();
      case "reconciled":
        return this.#reconciled(line);
      case "turn-parked":
        this.#open = undefined;
        this.#parked = parkedIn(line);
        return this.#parked !== undefined;
      case "answered":
        return this.#answered(line);
      case "nested":
        // A call that was abandoned can make others after its turn has ended.
        if (this.#open !== undefined) this.#keep(bytes);
        return true;
      case "event":
      case "call":
      case "block":
        this.#keep(bytes);
    }
    return true;
  }

  #changeState(line: Line): boolean {
    const { name } = line;
    if (typeof name !== "string") return false;
    this.#state = { ...this.#state, [name]: changedState(this.#state[name], line) };
    return true;
  }

  #begin(line: Line, bytes: Buffer): true {
    this.#settleOpen();
    this.#agentEnd = undefined;
    if (typeof line["turn"] === "number") this.#turns = line["turn"];
    const open = { begun: Buffer.from(bytes), lines: [], at: this.#messages.length, hasGap: false };
    // Another turn instead of the one that is parked means that it was given up.
    if (line["continues"] !== true) this.#parked = undefined;
    this.#open = this.#parked === undefined ? open : { ...open, parked: this.#parked };
    return true;
  }

  #answered({ id, answer }: Line): boolean {
    if (typeof id !== "string" || !isShape(answer)) return false;
    if (this.#parked !== undefined) this.#parked = withAnswer(this.#parked, id, answer as unknown as Answer);
    return true;
  }

  #reconciled({ callId, result }: Line): boolean {
    if (typeof callId !== "string" || !isShape(result)) return false;
    this.#messages = [...withResult(this.#messages, result as unknown as ToolResult)];
    this.#unreconciled = this.#unreconciled.filter((fate) => fate.callId !== callId);
    return true;
  }

  /** Rewinding keeps the usage: those tokens were spent. */
  #rewound({ number, context }: Line): boolean {
    this.#settleOpen();
    const left = this.#prompts.rewind(number, this.#messages);
    if (left === undefined) return false;
    this.#messages.length = left;
    this.#parked = undefined;
    if (isShape(context)) this.#context = context;
    return true;
  }

  #compacted({ messages, prompts, usage, costUsd, context, state, turns, parked, taken }: Line): boolean {
    if (!Array.isArray(messages) || !messages.every(isMessage)) return false;
    this.startsCompacted ||= this.#lines === 1;
    this.#messages = [...messages];
    this.#prompts.replace(prompts, this.#messages);
    this.#open = undefined;
    if (isShape(usage)) this.#spent = addSpent(NOTHING_SPENT, { usage, costUsd });
    if (isShape(state)) this.#state = state;
    if (typeof turns === "number") this.#turns = turns;
    this.#parked = parkedIn(parked);
    if (Array.isArray(taken)) this.#taken = taken.filter((id) => typeof id === "string");
    if (isShape(context)) this.#context = context;
    return true;
  }

  /** The entries of a completed turn matter only if one of its lines was lost. */
  #closeOpen(): true {
    if (this.#open?.hasGap === true) this.#settleOpen();
    this.#open = undefined;
    return true;
  }

  #settleOpen(): Recovery | undefined {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || (open.begun === undefined && open.lines.length === 0)) return undefined;
    const since = this.#messages.slice(open.at);
    const { messages, made, fates, unreadable, parked, hasBegun } = recoverMessages(open, since);
    this.#unreadable += unreadable;
    this.#parked = parked;
    if (parked !== undefined) return { fates: [], made: [], parked };
    // Nothing came of a request that failed.
    if (!hasBegun) return undefined;
    this.#messages.splice(open.at, since.length, ...messages);
    // Both messages of the turn are there; only the `turn-ended` line is missing.
    const isWhole = made.length === 0 && since.some(({ role }) => role === "assistant");
    if (isWhole) this.#unreconciled = stillUnknown(open, since).filter((fate) => isReconcilable(fate));
    if (isWhole || (open.begun === undefined && made.length === 0)) return undefined;
    const areLast = made.every((message, index) => messages.at(index - made.length) === message);
    return { fates, made: areLast ? made : undefined };
  }

  end(path: string, onNotice: Notice): Omit<Loaded, "header"> {
    const isCut = this.#isTorn && this.#bad !== undefined;
    // A last line that was cut off had no effect yet. Any other lost line may have had one.
    if (!isCut) this.#judgeBad(undefined);
    const recovery = this.#settleOpen();
    if (recovery !== undefined && recovery.parked === undefined)
      this.#unreconciled = recovery.fates.filter((fate) => isReconcilable(fate));
    this.#reportUnreadable(path, isCut, onNotice);
    if (recovery !== undefined && recovery.parked === undefined)
      onNotice(recoveryMessage(path, recovery.fates));
    const found = this.#lines === 0 && !this.#isTorn ? "nothing" : this.#isTorn ? "torn" : "lines";
    const messages = this.#valid(path, onNotice);
    const prompts = this.#prompts.in(this.#messages, messages);
    return {
      messages,
      prompts,
      context: this.#context,
      ...this.#spent,
      state: this.#state,
      turns: this.#turns,
      found,
      recovery,
      unreconciled: inHistory(this.#unreconciled, this.#messages, messages),
      parked: this.#parked,
      taken: this.#taken,
      agentEnd: this.#agentEnd,
    };
  }

  #reportUnreadable(path: string, isCut: boolean, onNotice: Notice): void {
    const count = this.#unreadable + Number(isCut);
    if (count === 0) return;
    const last = isCut ? " (the last line is cut off)" : "";
    onNotice(`Skipped ${lines(count)} of ${path} that cannot be read${last}. The file was not changed.`);
  }

  #valid(path: string, onNotice: Notice): readonly HistoryMessage[] {
    if (checkHistory(this.#messages).length === 0) return this.#messages;
    const { messages, repairs } = repairHistory(this.#messages);
    onNotice(`The history in ${path} was incomplete. Repaired it in ${places(repairs.length)}.`);
    return messages;
  }
}

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count} lines`;
}

const SHOWN_LINES = 10;

function damagedMessage(path: string, before: number, damaged: readonly number[]): string {
  const shown = damaged.slice(0, SHOWN_LINES).map((number) => before + number);
  const more = damaged.length - shown.length;
  const numbers = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const those = damaged.length === 1 ? `line ${numbers}` : `lines ${numbers}`;
  return `Skipped ${those} of ${path}: changed after being written (checksum mismatch). The other lines were kept, and the file was not changed. Check the disk.`;
}

function places(count: number): string {
  return count === 1 ? "1 place" : `${count} places`;
}

function recoveryMessage(path: string, fates: readonly Fate[]): string {
  const count = (wanted: Fate["fate"]): number => fates.filter(({ fate }) => fate === wanted).length;
  if (fates.length === 0)
    return `The last turn in ${path} was interrupted before its first complete call. It was discarded.`;
  return (
    `The last turn in ${path} was interrupted. Its calls: ${count("finished")} finished, ` +
    `${count("unknown")} with unknown outcome, ${count("never-started")} not started.`
  );
}
