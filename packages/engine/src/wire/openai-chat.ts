/**
 * Chat Completions. Nothing on this wire says that a call is complete: its arguments close, the next call begins,
 * or the choice finishes. Servers differ in what they leave out, so an index or an id may be missing or reused.
 */

import type { Assembly } from "./assemble.ts";
import { type Draft, isPlaceholder } from "./draft.ts";
import { endingOf, finishOf } from "./finish.ts";
import { errorText, isIndex, isObject, listOf, type Shape, shapeOf, stringOf } from "./shape.ts";

export class ChatReader {
  readonly #assembly: Assembly;
  /** The current call of each index on the wire. */
  readonly #byIndex = new Map<number, Draft>();
  readonly #ids = new Set<string>();
  /** The calls by the ids that the server gave them. */
  readonly #byId = new Map<string, Draft>();
  #last: Draft | undefined;
  /** The index of the first call. */
  #base: number | undefined;
  /** Calls that began in the chunk being read, and those that began together last. */
  #fresh: Draft[] = [];
  #together: readonly Draft[] = [];

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  take(chunk: Shape): void {
    const { error } = chunk;
    // Some servers send an empty error with every chunk.
    if (isObject(error) && Object.keys(error).length > 0) return this.#assembly.fail(errorText(error));
    const choice = firstChoice(chunk["choices"]);
    const entries = entriesOf(shapeOf(choice["delta"] ?? choice["message"]));
    if (entries.length > 0) this.#entries(entries);
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#finish(reason, entries.length > 0);
  }

  #entries(entries: readonly unknown[]): void {
    const areMany = entries.length > 1;
    for (const [at, entry] of entries.entries()) this.#entry(shapeOf(entry), areMany ? at : undefined);
    if (this.#fresh.length > 0) this.#together = this.#fresh;
    this.#doubtEmpty();
  }

  /** `at` is the place of the entry in its chunk, if there are several. */
  #entry(entry: Shape, at: number | undefined): void {
    if (this.#assembly.ended) return;
    const known = this.#knownFor(entry, at);
    const called = shapeOf(entry["function"]);
    const isNew = known === undefined || isAnother(known, entry);
    const draft = isNew ? this.#begin(entry) : known;
    if (draft === undefined) return;
    if (!isNew) growName(draft, stringOf(called["name"]));
    this.#takeArguments(draft, called["arguments"]);
  }

  /** The call that an entry continues, unless it begins another one. */
  #knownFor(entry: Shape, at: number | undefined): Draft | undefined {
    const { index } = entry;
    const id = stringOf(entry["id"]);
    const { name, arguments: text } = shapeOf(entry["function"]);
    const hasName = stringOf(name) !== "";
    const isBare = id === "" && !hasName;
    const hasIndex = typeof index === "number";
    const named = hasName ? undefined : this.#byId.get(id);
    if (named !== undefined && (!hasIndex || this.#byIndex.has(index))) return named;
    // Without an index, pieces of calls that began together come in the same order.
    if (!hasIndex) return (isBare && at !== undefined ? this.#together[at] : undefined) ?? this.#last;
    const known = this.#byIndex.get(index);
    if (known !== undefined || this.#last === undefined || isComplete(this.#last)) return known;
    // Some servers count the pieces of a call instead of the calls.
    const isPiece = isBare || id === this.#last.id;
    return isPiece && canGrow(this.#last, text) ? this.#last : undefined;
  }

  #begin(entry: Shape): Draft | undefined {
    const name = stringOf(shapeOf(entry["function"])["name"]);
    this.#assembly.liftDoubts();
    if (name === "" && stringOf(entry["id"]) === "") {
      this.#assembly.malformed("arguments arrived for a call that has not begun");
      return undefined;
    }
    const draft = this.#assembly.begin(this.#placeFor(entry["index"]), this.#idFor(entry["id"]), name);
    if (typeof entry["index"] === "number") this.#byIndex.set(entry["index"], draft);
    this.#byId.set(stringOf(entry["id"]), draft);
    this.#last = draft;
    this.#fresh.push(draft);
    return draft;
  }

  /** Its index is its position in the order, unless it is missing or used by another call. */
  #placeFor(index: unknown): number {
    // Gateways count other output too, so that the first call of some has the index 1.
    if (isIndex(index)) this.#base ??= index;
    const place = isIndex(index) ? index - (this.#base ?? 0) : -1;
    return isIndex(place) && !this.#assembly.has(place) ? place : this.#assembly.nextIndex;
  }

  #idFor(given: unknown): string {
    let id = stringOf(given);
    for (let number = this.#ids.size; id === ""; number += 1) {
      if (!this.#ids.has(`call_${number}`)) id = `call_${number}`;
    }
    this.#ids.add(id);
    return id;
  }

  #takeArguments(draft: Draft, given: unknown): void {
    if (isComplete(draft)) return this.#takeLateArguments(draft, given);
    if (isObject(given)) return this.#assembly.complete(draft, given);
    if (typeof given !== "string" || given === "") return;
    if (!canGrow(draft, given)) return;
    this.#assembly.push(draft, given);
    // Some servers send the name last.
    if (!draft.scan.closed || draft.name === "") return;
    if (isPlaceholder(draft)) this.#assembly.doubt(draft);
    else this.#assembly.complete(draft);
  }

  /**
   * Text after closed arguments is ignored. But if the call was assumed to have no arguments, the assumption was wrong.
   */
  #takeLateArguments(draft: Draft, given: unknown): void {
    const isText = typeof given === "string" && given.trim() !== "";
    if (!isText || !draft.scan.isEmpty || draft.state.type === "dropped") return;
    this.#assembly.malformed(`arguments arrived for call ${draft.id} after the next call had begun`);
  }

  /** A call without arguments may still get some. That is decided when a later chunk begins another call. */
  #doubtEmpty(): void {
    for (const draft of this.#fresh) {
      if (draft.state.type === "open" && draft.scan.isEmpty) this.#assembly.doubt(draft);
    }
    this.#fresh = [];
  }

  #finish(reason: string, hasEntries: boolean): void {
    const finish = finishOf(reason);
    const ending = endingOf(finish, reason);
    // Some servers give a reason with every chunk, so that more of a call can follow.
    if (finish === "whole") return this.#assembly.announceWhole(ending, hasEntries);
    // Calls before the last one were not cut off: if one does not parse, it is the model's mistake.
    this.#assembly.completeOpen(true);
    this.#assembly.announce(ending, true);
  }
}

const NO_ENTRIES: readonly unknown[] = [];

function entriesOf({ tool_calls: entries, function_call: only }: Shape): readonly unknown[] {
  if (Array.isArray(entries)) return entries;
  // Some servers send one entry in place of a list.
  if (isObject(shapeOf(entries)["function"])) return [entries];
  // The older form of the API, which has one call and no ids.
  return isObject(only) ? [{ index: 0, function: only }] : NO_ENTRIES;
}

function isComplete(draft: Draft): boolean {
  return draft.state.type !== "open" && draft.state.type !== "doubtful";
}

/** Nothing but another object can follow an empty one. */
function canGrow(draft: Draft, text: unknown): boolean {
  return !isPlaceholder(draft) || stringOf(text).trimStart().startsWith("{");
}

/** Some servers send a name late, in pieces, or all of it again. */
function growName(draft: Draft, name: string): void {
  if (isComplete(draft)) return;
  draft.name = name.startsWith(draft.name) ? name : draft.name + name;
}

/** Inside an object that is still open, text that cannot begin another one goes on with it, whatever comes with it. */
function isContinued({ scan, state }: Draft, text: unknown): boolean {
  if (state.type !== "open" || scan.isEmpty || scan.closed) return false;
  return typeof text === "string" && text !== "" && !text.trimStart().startsWith("{");
}

function isAnother(known: Draft, entry: Shape): boolean {
  const call = shapeOf(entry["function"]);
  const id = stringOf(entry["id"]);
  const name = stringOf(call["name"]);
  const hasArguments =
    call["arguments"] !== undefined && call["arguments"] !== null && call["arguments"] !== "";
  const hasIndex = typeof entry["index"] === "number";
  if (hasIndex && isContinued(known, call["arguments"])) return false;
  // Some servers send a new id with every piece of a call, but the name only with the first.
  if (id !== "" && id !== known.id)
    return name !== "" || (!hasIndex && (isComplete(known) || known.scan.isEmpty));
  if (known.name === "" && !isComplete(known)) return false;
  if (name === "" || (known.name === "" && known.scan.isEmpty)) return false;
  if (id !== "") return false;
  const isSameName = name === known.name;
  if (!hasIndex && !isSameName) return true;
  // Without ids, a name and arguments after a complete call are the next one.
  if (!hasArguments) return false;
  return isComplete(known) || (isPlaceholder(known) && !(hasIndex && isSameName));
}

/** Of several choices only the first is run; a chunk can begin with another one. */
function firstChoice(choices: unknown): Shape {
  for (const given of listOf(choices)) {
    const choice = shapeOf(given);
    if ((choice["index"] ?? 0) === 0) return choice;
  }
  return {};
}
