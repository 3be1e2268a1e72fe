/**
 * Assembles calls from the pieces of a stream and passes them to a sink. Shared by all wire adapters.
 *
 * Invariants: (1) calls are added in the order of their index; (2) a call whose input may be cut off is never added;
 * (3) `end` is called once, after the last call.
 */

import type { CallSink, ResponseEnding } from "../runtime/ports.ts";
import {
  ADDED,
  DOUBTFUL,
  type Draft,
  type DraftState,
  DROPPED,
  inputOf,
  isPlaceholder,
  newDraft,
  OPEN,
  spent,
} from "./draft.ts";
import { JsonScan } from "./json-scan.ts";

const CUT: ResponseEnding = { ok: false, reason: "the connection was cut" };
/** How a response ends whose consumer has left. */
export const LEFT: ResponseEnding = { ok: false, reason: "the response was not read to its end" };

export class Assembly {
  readonly #sink: CallSink;
  /** The call at `#next`, which is the only open one of most responses. */
  #first: Draft | undefined;
  /** What was seen at each later index. `undefined` means something that is not a call. */
  readonly #slots = new Map<number, Draft | undefined>();
  /** What is below `#next`: added, dropped or not a call. A list, because a long response has thousands of them. */
  readonly #passed: (Draft | undefined)[] = [];
  #highest = -1;
  #doubtful: Draft[] = [];
  #announced: ResponseEnding | undefined;
  #isWhole = false;
  #ended = false;

  constructor(sink: CallSink) {
    this.#sink = sink;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get size(): number {
    return this.#passed.length + Number(this.#first !== undefined) + this.#slots.size;
  }

  /** The first index that is open or was not seen. */
  get #next(): number {
    return this.#passed.length;
  }

  /** The index after the highest that was seen. */
  get nextIndex(): number {
    return this.#highest + 1;
  }

  has(index: number): boolean {
    return index < this.#next || this.#first?.index === index || this.#slots.has(index);
  }

  draft(index: number): Draft | undefined {
    if (index < this.#next) return this.#passed[index];
    return this.#first?.index === index ? this.#first : this.#slots.get(index);
  }

  /** Something that is not a call: it only fills its index. */
  skip(index: number): void {
    this.#place(index, undefined);
    this.#advance();
  }

  begin(index: number, id: string, name: string): Draft {
    const draft = newDraft(index, id, name);
    this.#place(index, draft);
    this.#report(draft, "");
    return draft;
  }

  push(draft: Draft, delta: string): void {
    if (isPlaceholder(draft) && delta.trimStart().startsWith("{")) draft.scan = new JsonScan();
    draft.scan.push(delta);
    if (draft.state.type === "doubtful" && !draft.scan.isEmpty) draft.state = OPEN;
    this.#report(draft, delta);
  }

  /** The call is complete. Without an explicit input, the text that arrived is used. */
  complete(draft: Draft, input: unknown = inputOf(draft)): void {
    this.#ready(draft, input);
    this.#advance();
  }

  /**
   * The call has ended on the wire. It is added now if its input parses, otherwise when it is known not to be cut off.
   * A complete call shows that earlier ones were not cut off. The end of a call that is complete already says nothing:
   * some servers report it after the stop reason.
   */
  settle(draft: Draft, given?: unknown): void {
    if (draft.state.type !== "open") return;
    const input = draft.scan.isEmpty ? given : inputOf(draft);
    if (input === undefined) return this.doubt(draft);
    this.#liftDoubts(draft.index);
    this.complete(draft, input);
  }

  doubt(draft: Draft): void {
    draft.state = DOUBTFUL;
    this.#doubtful.push(draft);
  }

  /** The model continued, so earlier calls were not cut off. */
  liftDoubts(): void {
    if (this.#doubtful.length === 0) return;
    this.#liftDoubts(Infinity);
    this.#advance();
  }

  /** The response ends here, so every call that began is complete, except the last one if it was cut off. */
  completeOpen(isCut: boolean): void {
    const last = isCut ? this.#highest : undefined;
    for (const draft of this.#drafts("open")) if (draft.index !== last) this.complete(draft);
  }

  /** The response ends properly here, so a call is whole even if its end was not reported, unless its input is cut off. */
  completeClosed(): void {
    for (const draft of this.#drafts("open")) if (draft.scan.closed || draft.scan.isEmpty) this.settle(draft);
  }

  /** The response has said how it ends, although more events may follow. Doubts are dropped where it was cut. */
  announce(ending: ResponseEnding, isCut: boolean): void {
    if (isCut) this.#dropDoubtful();
    else this.liftDoubts();
    this.#announced = ending;
  }

  /** The response has said that it is whole. Calls that can still grow are complete at the end of the stream. */
  announceWhole(ending: ResponseEnding, canGrow: boolean): void {
    this.#announced = ending;
    this.#isWhole = true;
    if (canGrow) return;
    for (const draft of this.#drafts("open"))
      if (draft.scan.isEmpty || draft.scan.closed) this.complete(draft);
    this.liftDoubts();
  }

  /** The stream has finished. Without a stop reason, it was cut off. */
  finish(otherwise: ResponseEnding = CUT): void {
    if (this.#isWhole && !this.#ended) {
      this.completeOpen(false);
      this.liftDoubts();
    }
    this.#end(this.#announced ?? otherwise);
  }

  fail(reason: string): void {
    this.#end({ ok: false, reason });
  }

  /** The stream violates its protocol. */
  malformed(what: string): void {
    this.#end({ ok: false, reason: `protocol error: ${what}`, isMalformed: true });
  }

  #end(ending: ResponseEnding): void {
    if (this.#ended) return;
    this.#dropDoubtful();
    for (const held of this.#drafts("ready")) this.#add(held);
    this.#ended = true;
    this.#sink.end(ending);
  }

  #liftDoubts(below: number): void {
    if (this.#doubtful.length === 0) return;
    const doubtful = this.#doubtful.filter((draft) => draft.state.type === "doubtful");
    this.#doubtful = doubtful.filter((draft) => draft.index >= below);
    for (const draft of doubtful) if (draft.index < below) this.#ready(draft, inputOf(draft));
  }

  #dropDoubtful(): void {
    for (const draft of this.#doubtful) if (draft.state.type === "doubtful") draft.state = DROPPED;
    this.#doubtful = [];
    this.#advance();
  }

  #place(index: number, draft: Draft | undefined): void {
    if (draft !== undefined && index === this.#next) this.#first = draft;
    else this.#slots.set(index, draft);
    if (index > this.#highest) this.#highest = index;
  }

  #ready(draft: Draft, input: unknown): void {
    const { id, name } = draft;
    const request = input === undefined ? { id, name, inputText: draft.scan.text() } : { id, name, input };
    draft.state = { type: "ready", request };
  }

  /** Adds the calls that are ready and have no unfinished or unseen index before them (invariant 1). */
  #advance(): void {
    while (this.#first !== undefined || this.#slots.has(this.#next)) {
      const draft = this.#first ?? this.#slots.get(this.#next);
      const state = draft?.state.type;
      if (state === "open" || state === "doubtful") return;
      if (this.#first === undefined) this.#slots.delete(this.#next);
      this.#first = undefined;
      this.#passed.push(draft === undefined || state === "dropped" ? draft : spent(draft));
      if (draft !== undefined) this.#add(draft);
    }
  }

  /** In the order of their index. */
  #drafts(state: DraftState["type"]): Draft[] {
    const found: Draft[] = this.#first?.state.type === state ? [this.#first] : [];
    for (const draft of this.#slots.values()) if (draft?.state.type === state) found.push(draft);
    return found.sort((one, other) => one.index - other.index);
  }

  #add(draft: Draft): void {
    if (draft.state.type !== "ready") return;
    const { request } = draft.state;
    draft.state = ADDED;
    this.#sink.add(request);
  }

  #report(draft: Draft, delta: string): void {
    if (this.#sink.arriving === undefined) return;
    const { id, name, scan } = draft;
    const { length } = scan;
    // Events that arrive together are read later, but each must show what had arrived with it.
    this.#sink.arriving({ id, name, delta, length, preview: () => scan.preview(length) });
  }
}
