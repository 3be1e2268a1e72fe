/**
 * Returns earlier results of calls that only read. It sees every call of the tools that it wraps at the moment when the
 * executor runs it, so the order is that of the executor: what a call would read now is what the cache decides about.
 */

import { type Claim, WRITES_EVERYTHING, claimsConflict, sameClaims, writes } from "../core/access.ts";
import type { Access } from "../core/call.ts";
import { resolveFilePlace } from "../runtime/file-place.ts";
import { toContent } from "../runtime/output.ts";
import { Places } from "../runtime/places.ts";
import { toText } from "../runtime/serialise.ts";
import {
  COUNT,
  checkArray,
  checkFunctions,
  checkTool,
  isCount,
  rejectUnknown,
  wrongType,
} from "../runtime/shapes.ts";
import { isThenable } from "../runtime/thenable.ts";
import { toolWith } from "../runtime/tool-members.ts";
import type { AnyTool, CallContext, ResultContent } from "../runtime/tool.ts";
import { isObject } from "../wire/shape.ts";
import { type OtherContext, inputKey, isSameContext, otherContext } from "./cache-key.ts";
import { MOST_ENTRY_CHARS, copyOf, isCopied, sizeOf } from "./kept-output.ts";
import { WatchedContext } from "./watched-context.ts";
import { WrittenPlaces } from "./written.ts";

/** Configures {@link createToolCache}. */
export interface ToolCacheOptions {
  /**
   * Returns whether something that is not a call, such as a command in the background, is writing, or has written since
   * this was called last. Then every call runs, and what was read before counts as changed. Default: nothing does.
   */
  readonly isBusy?: () => boolean;
  /** Resolves a place before places are compared, as the option of the executor. Default: `resolveFilePlace`. */
  readonly resolvePlace?: (place: string) => string;
  /** How many results are kept; the least recently used are dropped first. Default: 256. */
  readonly maxEntries?: number;
}

/** A result that the model has received before. */
export interface ShownResult {
  /** The id of its call. */
  readonly callId: string;
  /** What the model read, before hooks added to it. */
  readonly content: ResultContent;
}

/** What the cache has to know about the conversation that tools are for. */
export interface ToolCacheView {
  /**
   * Returns whether the model still has this result in its context, whole. Then it gets a short text in place of the
   * same result again. Default: every result is returned whole.
   */
  readonly isShown?: (result: ShownResult) => boolean;
}

/** Keeps results of calls that only read. Made by {@link createToolCache}. */
export interface ToolCache {
  /**
   * Returns the tools with the cache around them. Pass all tools of all executors that work side by side through the same
   * cache, also those without `cache`, because it does not notice writes of other tools. With the same view, the same
   * tool returns the same object.
   */
  tools<One extends AnyTool>(tools: readonly One[], view?: ToolCacheView): readonly One[];
  /** Reports a change that no call made, to a place and everything below it. Default: to everything. */
  changed(place?: string): void;
}

/** Shorter results are returned whole, because a note would not be shorter. */
const SHORT_CHARS = 400;
const MOST_SHOWN = 16;
/** How many characters all kept outputs have together, about. */
const MOST_CHARS = 20_000_000;
const WHERE = "createToolCache";

/**
 * Creates a cache for tools that have `cache: true`. A call that only reads returns the result of an earlier call with
 * the same input and folder, if no call has written a place that it reads since, none is writing one now, and the tool's
 * `stamp` is the same. Results do not expire by time. Errors are not kept. Permissions, hooks and limits apply to every
 * call, because the executor does not know the cache.
 *
 * Agents do this by themselves; use it with executors of your own.
 *
 * @throws TypeError if an option is unknown or of the wrong type.
 *
 * @example
 * ```ts
 * import { StreamingToolExecutor, createToolCache, defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const price = defineTool({
 *   name: "Price",
 *   description: "Looks up a price.",
 *   inputSchema: z.object({ sku: z.string() }),
 *   isReadOnly: () => true,
 *   access: ({ sku }) => [{ mode: "read", place: `db:/prices/${sku}` }],
 *   cache: true,
 *   call: async ({ sku }) => `${sku}: 12.50`,
 * });
 *
 * const cache = createToolCache();
 * export const newTurn = () => new StreamingToolExecutor({ tools: cache.tools([price]) });
 * ```
 */
export function createToolCache(options: ToolCacheOptions = {}): ToolCache {
  rejectUnknown(options, ["isBusy", "resolvePlace", "maxEntries"], WHERE);
  checkFunctions(options, ["isBusy", "resolvePlace"], WHERE);
  const { maxEntries = 256 } = options;
  if (!isCount(maxEntries)) throw wrongType(`${WHERE}: maxEntries`, COUNT, maxEntries);
  return new Results({ ...options, maxEntries });
}

interface Entry {
  readonly claims: readonly Claim[];
  /** The clock of writes when it was read. */
  readonly since: number;
  /** Undefined: it is only compared with. */
  readonly stamp: string | undefined;
  readonly other: OtherContext;
  /** A copy, because a reader can change the output that it gets. */
  readonly output: unknown;
  readonly chars: number;
  /** The calls that returned it whole. */
  readonly shownBy: string[];
}

/** A running call that can write, from its start until its code has ended. */
class Writer {
  readonly #find: () => readonly Claim[];
  #claims: readonly Claim[] | undefined;

  constructor(find: () => readonly Claim[]) {
    this.#find = find;
  }

  /** Determined when it matters: while nothing is kept or read, it does not. */
  get claims(): readonly Claim[] {
    return (this.#claims ??= this.#find());
  }
}

/** One call of a wrapped tool. */
interface Reading {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly context: CallContext;
  readonly view: ToolCacheView;
  readonly claims: readonly Claim[];
}

class Results implements ToolCache {
  readonly #places: Places;
  readonly #isBusy: () => boolean;
  readonly #maxEntries: number;
  readonly #written = new WrittenPlaces();
  readonly #writers = new Set<Writer>();
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #chars = 0;
  /** How many calls that can be kept are running. */
  #readers = 0;
  readonly #numbers = new WeakMap<AnyTool, number>();
  #lastNumber = 0;
  readonly #wrapped = new WeakMap<ToolCacheView, WeakMap<AnyTool, AnyTool>>();
  /** The outputs whose result is a note instead. */
  readonly #notes = new WeakMap<object, string>();

  constructor({ isBusy = () => false, resolvePlace = resolveFilePlace, maxEntries }: CompleteOptions) {
    this.#isBusy = isBusy;
    this.#places = new Places(resolvePlace);
    this.#maxEntries = maxEntries;
  }

  tools<One extends AnyTool>(tools: readonly One[], view: ToolCacheView = NO_VIEW): readonly One[] {
    checkArray(tools, "tools: the tools", "tools");
    for (const tool of tools) checkTool(tool);
    if (!isObject(view)) throw wrongType("tools: the view", "an object", view);
    checkFunctions(view, ["isShown"], "tools: the view");
    let known = this.#wrapped.get(view);
    if (known === undefined) this.#wrapped.set(view, (known = new WeakMap()));
    return tools.map((tool) => {
      const made = known.get(tool) ?? this.#wrap(tool, view);
      known.set(tool, made);
      return made as One;
    });
  }

  changed(place = "*"): void {
    if (typeof place !== "string") throw wrongType("changed: the place", "a string", place);
    this.#written.write(this.#places.resolve({ claims: [{ mode: "write", place }] }).claims);
  }

  #wrap(tool: AnyTool, view: ToolCacheView): AnyTool {
    const call = (input: Record<string, unknown>, context: CallContext): unknown =>
      this.#call(tool, view, { input, context });
    const notes = this.#notes;
    const toResult = (output: unknown): ResultContent => {
      const note = isObject(output) ? notes.get(output) : undefined;
      return note ?? (tool.toResult === undefined ? toText(output) : tool.toResult(output));
    };
    return toolWith(tool, tool.cache === true ? { call, toResult } : { call });
  }

  #call(tool: AnyTool, view: ToolCacheView, { input, context }: Pick<Reading, "input" | "context">): unknown {
    const run = (): unknown => tool.call(input, context);
    if (tool.delegates === true) return run();
    // Of a copy, because a tool can remember what it claimed for an input, and checks that when it runs.
    const access = (): Access => this.#places.accessOf(tool, { ...input }, context.context);
    if (tool.cache !== true) return this.#write(() => access().claims, run);
    const { claims, readOnly } = access();
    const isRead = readOnly && !claims.some(writes);
    return isRead ? this.#read({ tool, input, context, view, claims }) : this.#write(() => claims, run);
  }

  /** What it writes counts as written when it starts, while its code runs, and when that has ended in any way. */
  #write(find: () => readonly Claim[], run: () => unknown): unknown {
    const writer = new Writer(find);
    const end = (): void => {
      this.#writers.delete(writer);
      this.#note(writer);
    };
    this.#note(writer);
    this.#writers.add(writer);
    let value: unknown;
    try {
      value = run();
    } catch (error) {
      end();
      throw error;
    }
    if (!isThenable(value)) {
      end();
      return value;
    }
    const ending = Promise.resolve(value);
    ending.then(end, end);
    return ending;
  }

  #note(writer: Writer): void {
    if (this.#entries.size > 0 || this.#readers > 0) this.#written.write(writer.claims);
  }

  async #read(reading: Reading): Promise<unknown> {
    const { tool, input, context, claims } = reading;
    const key = this.#keyOf(reading);
    if (key === undefined) return tool.call(input, context);
    const since = this.#written.now;
    this.#readers++;
    try {
      const isStill = this.#isUntouched(claims, since);
      const stamp = await stampOf(reading);
      const kept = this.#find(key, reading);
      if (kept !== undefined && stamp !== undefined && kept.stamp === stamp && this.#isCurrent(kept, claims))
        return this.#again(kept, copyOf(kept.output), reading);
      // The call was stopped while the stamp was taken: its tool must not begin now.
      if (context.signal.aborted) throw context.signal.reason;
      const watched = new WatchedContext(context);
      const output: unknown = await tool.call(input, watched);
      if (watched.hasChanged || !isStill || !this.#isUntouched(claims, since)) {
        this.#drop(key);
        return output;
      }
      return this.#keep(key, { claims, since, stamp, output }, { ...reading, kept });
    } finally {
      this.#readers--;
    }
  }

  /** The same result again is the earlier one, also if the tool has run. */
  #keep(
    key: string,
    { output, ...read }: Pick<Entry, "claims" | "since" | "stamp" | "output">,
    reading: Reading & { readonly kept: Entry | undefined },
  ): unknown {
    const { kept, context, tool } = reading;
    const isSame = kept !== undefined && isSameContent(tool, kept.output, output);
    const shownBy = isSame ? kept.shownBy : [];
    const chars = sizeOf(output);
    this.#drop(key);
    if (chars > MOST_ENTRY_CHARS) return output;
    const other = otherContext(context.context);
    const entry: Entry = { ...read, output: copyOf(output), shownBy, chars, other };
    this.#entries.set(key, entry);
    this.#chars += chars;
    this.#dropOldest();
    return this.#again(entry, output, reading);
  }

  /** The output, or a short note if the model can still read an earlier result that is the same. */
  #again({ shownBy }: Entry, output: unknown, { tool, view, context }: Reading): unknown {
    const { callId } = context;
    const earlier = view.isShown === undefined ? undefined : shownIn(view, { tool, output, shownBy });
    if (earlier !== undefined) {
      const noted = this.#noted(tool, output, earlier);
      if (noted !== undefined) return noted;
    }
    if (!shownBy.includes(callId)) shownBy.push(callId);
    if (shownBy.length > MOST_SHOWN) shownBy.shift();
    return output;
  }

  #noted(tool: AnyTool, output: unknown, earlier: string): unknown {
    const note = `Unchanged: the result is the same as that of your earlier call ${earlier}, which you can see above.`;
    if (typeof output === "string") return tool.toResult === undefined ? note : undefined;
    if (!isCopied(output)) return undefined;
    const copy = copyOf(output) as object;
    this.#notes.set(copy, note);
    return copy;
  }

  /** A link that leads elsewhere now changes the claims of the same input. */
  #isCurrent(kept: Entry, claims: readonly Claim[]): boolean {
    return sameClaims(kept.claims, claims) && this.#isUntouched(claims, kept.since);
  }

  /** Whether nothing has written what the claims read since then, and nothing is writing it now. */
  #isUntouched(claims: readonly Claim[], since: number): boolean {
    if (this.#isBusy()) this.#written.write(WRITES_EVERYTHING);
    if (this.#written.hasWritten(claims, since)) return false;
    for (const writer of this.#writers) if (claimsConflict(writer.claims, claims)) return false;
    return true;
  }

  #find(key: string, { context }: Reading): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !isSameContext(entry.other, otherContext(context.context))) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #drop(key: string): void {
    this.#chars -= this.#entries.get(key)?.chars ?? 0;
    this.#entries.delete(key);
  }

  #dropOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#chars <= MOST_CHARS) return;
      this.#drop(key);
    }
  }

  #keyOf({ tool, input, context }: Reading): string | undefined {
    let number = this.#numbers.get(tool);
    if (number === undefined) this.#numbers.set(tool, (number = ++this.#lastNumber));
    const of = inputKey(input);
    return of === undefined ? undefined : `${number} ${JSON.stringify(context.cwd)} ${of}`;
  }
}

type CompleteOptions = ToolCacheOptions & { readonly maxEntries: number };

const NO_VIEW: ToolCacheView = {};

/** Undefined if the result must not be used again. A tool without a stamp reads only what calls write. */
async function stampOf({ tool, input, context }: Reading): Promise<string | undefined> {
  if (tool.stamp === undefined) return "";
  try {
    const { callId, signal, cwd } = context;
    const stamp: unknown = await tool.stamp(input, { callId, signal, cwd, context: context.context });
    return typeof stamp === "string" ? stamp : undefined;
  } catch {
    return undefined;
  }
}

function shownIn(
  { isShown }: ToolCacheView,
  { tool, output, shownBy }: { tool: AnyTool; output: unknown; shownBy: readonly string[] },
): string | undefined {
  if (shownBy.length === 0) return undefined;
  const content = toContent(tool, output);
  if (lengthOf(content) < SHORT_CHARS) return undefined;
  return shownBy.findLast((callId) => isShown?.({ callId, content }) === true);
}

function lengthOf(content: ResultContent): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}

function isSameContent(tool: AnyTool, one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return JSON.stringify(toContent(tool, one)) === JSON.stringify(toContent(tool, other));
}
