/**
 * Chat Completions. Nothing on this wire says that a call is complete: its arguments close, the next call begins,
 * or the choice finishes. Servers differ in what they leave out, so an index or an id may be missing or reused.
 */

import type { Assembly } from "./assemble.ts";
import type { Draft } from "./draft.ts";
import { endingOf, finishOf } from "./finish.ts";
import { errorText, isIndex, isShape, listOf, type Shape, shapeOf, stringOf } from "./shape.ts";

export class ChatReader {
  readonly #assembly: Assembly;
  /** The current call of each index on the wire. */
  readonly #byIndex = new Map<number, Draft>();
  readonly #ids = new Set<string>();
  #last: Draft | undefined;
  /** The index of the first call. */
  #base: number | undefined;
  /** Calls that began in the chunk being read. */
  #fresh: Draft[] = [];

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  take(chunk: Shape): void {
    const { error } = chunk;
    // Some servers send an empty error with every chunk.
    if (isShape(error) && Object.keys(error).length > 0) return this.#assembly.fail(errorText(error));
    const choice = firstChoice(chunk["choices"]);
    const { tool_calls: entries, function_call: only } = shapeOf(choice["delta"] ?? choice["message"]);
    if (Array.isArray(entries)) this.#entries(entries);
    // The older form of the API, which has one call and no ids.
    else if (isShape(only)) this.#entries([{ index: 0, function: only }]);
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#finish(reason);
  }

  #entries(entries: readonly unknown[]): void {
    for (const entry of entries) this.#entry(shapeOf(entry));
    this.#doubtEmpty();
  }

  #entry(entry: Shape): void {
    if (this.#assembly.ended) return;
    const known = typeof entry["index"] === "number" ? this.#byIndex.get(entry["index"]) : this.#last;
    const draft = known === undefined || isAnother(known, entry) ? this.#begin(entry) : known;
    // Some servers send the name after the id.
    if (draft?.name === "" && draft.state.type !== "added")
      draft.name = stringOf(shapeOf(entry["function"])["name"]);
    if (draft !== undefined) this.#takeArguments(draft, shapeOf(entry["function"])["arguments"]);
  }

  #begin(entry: Shape): Draft | undefined {
    const name = stringOf(shapeOf(entry["function"])["name"]);
    if (name === "" && stringOf(entry["id"]) === "") {
      this.#assembly.malformed("arguments arrived for a call that has not begun");
      return undefined;
    }
    this.#assembly.liftDoubts();
    const draft = this.#assembly.begin(this.#placeFor(entry["index"]), this.#idFor(entry["id"]), name);
    if (typeof entry["index"] === "number") this.#byIndex.set(entry["index"], draft);
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
    if (isShape(given)) return this.#assembly.complete(draft, given);
    if (typeof given !== "string" || given === "") return;
    this.#assembly.push(draft, given);
    // Some servers send the name last.
    if (draft.scan.closed && draft.name !== "") this.#assembly.complete(draft);
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

  #finish(reason: string): void {
    const finish = finishOf(reason);
    const isCut = finish !== "whole";
    // Calls before the last one were not cut off: if one does not parse, it is the model's mistake.
    this.#assembly.completeOpen(isCut);
    this.#assembly.announce(endingOf(finish, reason), isCut);
  }
}

function isComplete(draft: Draft): boolean {
  return draft.state.type !== "open" && draft.state.type !== "doubtful";
}

function isAnother(known: Draft, entry: Shape): boolean {
  const call = shapeOf(entry["function"]);
  const id = stringOf(entry["id"]);
  const name = stringOf(call["name"]);
  const hasArguments =
    call["arguments"] !== undefined && call["arguments"] !== null && call["arguments"] !== "";
  const hasIndex = typeof entry["index"] === "number";
  // Some servers send a new id with every piece of a call, but then the index is the same.
  if (id !== "" && id !== known.id) return !hasIndex || name !== "";
  if (known.name === "" && !isComplete(known)) return false;
  if (name === "" || (known.name === "" && known.scan.isEmpty)) return false;
  // Without ids, a name and arguments after a complete call are the next one.
  return (!hasIndex && name !== known.name) || (id === "" && isComplete(known) && hasArguments);
}

/** Of several choices only the first is run; a chunk can begin with another one. */
function firstChoice(choices: unknown): Shape {
  for (const given of listOf(choices)) {
    const choice = shapeOf(given);
    if ((choice["index"] ?? 0) === 0) return choice;
  }
  return {};
}
