/** Recovers a turn that was interrupted: rebuilds the model's message and one result for each of its calls. */

import { type Fate, type JournalEvent, type Start, type TurnOptions, recoverTurn } from "@runahead/engine";
import type { HistoryBlock, HistoryMessage } from "@runahead/engine/history";
import { isShape, shapeOf } from "@runahead/base";
import { type CallBlock, type Line, parseLine } from "./entry.ts";
import { type NestedEvents, addNested, withNestedCalls } from "./nested-calls.ts";
import { type WaitingCall, type ParkedTurn, questionId } from "./parked.ts";

/** The entries of a turn, parsed only when they are needed. */
export interface OpenTurn {
  /** Undefined if the line that began it could not be read. */
  readonly begun: Buffer | undefined;
  readonly lines: Buffer[];
  /** The number of messages when it began. */
  readonly at: number;
  /** A line of the turn could not be read, so a call without a start event may have started. */
  hasGap: boolean;
  /** The turn that it continues, if it was parked. */
  readonly parked?: ParkedTurn;
}

export interface RecoveredTurn {
  /** Set if a question of the turn is answered later: then there are no messages yet. */
  readonly parked?: ParkedTurn;
  /** The messages since the turn began, including the missing ones. */
  readonly messages: readonly HistoryMessage[];
  /** The messages that were missing. */
  readonly made: readonly HistoryMessage[];
  readonly fates: readonly Fate[];
  /** The number of entries that could not be read. */
  readonly unreadable: number;
  /** Whether anything of the response came. */
  readonly hasBegun: boolean;
}

/** Adds what is missing of a turn's two messages. Adds nothing if no call was recorded or the turn was discarded. */
export function recoverMessages(open: OpenTurn, since: readonly HistoryMessage[]): RecoveredTurn {
  const unchanged = { messages: since, made: [], fates: [], unreadable: 0, hasBegun: true };
  const said = since.findIndex(({ role }) => role === "assistant");
  const answered = since.findIndex(hasResults);
  if (said >= 0 && (answered > said || callIdsOf(since[said]).length === 0)) return unchanged;
  const { content, fates, unreadable, parked, hasBegun } = rebuild(open, since[said]);
  if (parked !== undefined && said < 0) return { ...unchanged, unreadable, parked };
  if (fates.length === 0) return { ...unchanged, unreadable, hasBegun };
  const results = { role: "user", content: fates.map(({ result }) => ({ ...result })) } as const;
  const made = [
    ...(said < 0 ? [{ role: "assistant", content } as const] : []),
    ...(answered < 0 ? [results] : []),
  ];
  const place = said >= 0 ? said + 1 : answered >= 0 ? answered : since.length;
  return { messages: since.toSpliced(place, 0, ...made), made, fates, unreadable, hasBegun: true };
}

/**
 * The calls with an unknown outcome of a turn whose messages are there: a crash while they were written leaves them
 * without the line that closes the turn. A call whose result says something else has ended after all.
 */
export function stillUnknown(open: OpenTurn, since: readonly HistoryMessage[]): readonly Fate[] {
  const said = since.find(({ role }) => role === "assistant");
  const results = since.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isResult) : []));
  const textOf = (id: string): unknown =>
    shapeOf(results.find((result) => shapeOf(result)["tool_use_id"] === id))["content"];
  return rebuild(open, said).fates.filter(
    ({ fate, callId, result }) => fate === "unknown" && textOf(callId) === result.content,
  );
}

interface Rebuilt {
  readonly parked?: ParkedTurn | undefined;
  readonly content: readonly HistoryBlock[];
  readonly fates: readonly Fate[];
  readonly unreadable: number;
  readonly hasBegun: boolean;
}

/** `said` is the model's message, if it was recorded; its calls are then authoritative. */
function rebuild(open: OpenTurn, said: HistoryMessage | undefined): Rebuilt {
  const record = readTurn(open);
  const { calls, unreadable } = record;
  const hasBegun = open.hasGap || unreadable > 0 || record.blocks.length > 0 || calls.size > 0;
  const replayed = replay(record);
  const found = new Map(replayed?.map((fate) => [fate.callId, fate]));
  const isUnsure = open.hasGap || unreadable > 0 || replayed === undefined;
  const wasDiscarded = found.size === 0 && record.events.some(({ type }) => type === "turn-discarded");
  if (wasDiscarded) return { content: [], fates: [], unreadable, hasBegun };
  if (open.parked !== undefined) return { ...continued(open.parked, record, found), hasBegun };
  // The engine recorded a call whose own line was lost: it can have run.
  for (const { callId, toolName } of found.values())
    if (!calls.has(callId)) calls.set(callId, { type: "tool_use", id: callId, name: toolName, input: {} });
  const content = said === undefined ? inOrder(record) : [];
  const fates = callIdsOf(said ?? { role: "assistant", content }).map((id) => {
    const toolName = calls.get(id)?.name ?? "";
    const fate = found.get(id) ?? crashed({ callId: id, toolName }, !calls.has(id), record.made);
    const known =
      isUnsure && fate.fate === "never-started" ? crashed({ callId: id, toolName }, true, record.made) : fate;
    return withNestedCalls(known, record.nested.get(id));
  });
  const parked = parkedTurn(record, { turn: turnOf(open), content, fates });
  return { content, fates, unreadable, parked, hasBegun };
}

/** Undefined if the engine cannot replay the events. */
function replay({ events, made }: TurnRecord): Fate[] | undefined {
  try {
    return recoverTurn(events, made);
  } catch {
    return undefined;
  }
}

/** A crash while a turn that had been parked was continued: what has finished since, and what has not. */
function continued(
  before: ParkedTurn,
  record: TurnRecord,
  found: ReadonlyMap<string, Fate>,
): Omit<Rebuilt, "hasBegun"> {
  const { unreadable } = record;
  const deferred = deferredIn(record.events);
  const isUnanswered = ({ callId, question, answer }: WaitingCall): boolean =>
    question !== undefined && answer === undefined && found.get(callId)?.fate === "never-started";
  const isOpen = (call: WaitingCall): boolean =>
    call.result === undefined && (deferred.has(call.callId) || !found.has(call.callId) || isUnanswered(call));
  const fateOf = ({ callId, toolName }: WaitingCall): Fate =>
    found.get(callId) ?? crashed({ callId, toolName }, false, before);
  if (before.calls.some(isOpen)) {
    const calls = before.calls.map((call): WaitingCall => {
      const isDone = call.result === undefined && fateOf(call).fate !== "never-started";
      return isDone ? { ...call, result: fateOf(call).result } : call;
    });
    return { content: [], fates: [], unreadable, parked: { ...before, calls } };
  }
  const fates = before.calls.map((call): Fate => {
    const { result } = call;
    return result === undefined ? fateOf(call) : { ...crashed(call, false), fate: "finished", result };
  });
  return { content: before.content, fates, unreadable };
}

/** The turn as it waits for an answer; undefined if no question of it was deferred. */
function parkedTurn(
  { calls, events, made }: TurnRecord,
  { turn, content, fates }: { turn: number; content: readonly HistoryBlock[]; fates: readonly Fate[] },
): ParkedTurn | undefined {
  const deferred = deferredIn(events);
  const isOpen = ({ callId, fate }: Fate): boolean => fate === "never-started" && deferred.has(callId);
  if (content.length === 0 || !fates.some(isOpen)) return undefined;
  return {
    turn,
    ...(made.scope === undefined ? {} : { scope: made.scope }),
    content,
    calls: fates.map((fate): WaitingCall => {
      const { callId, toolName, result } = fate;
      const call = { callId, toolName, input: calls.get(callId)?.input ?? {} };
      if (fate.fate !== "never-started") return { ...call, result };
      const about = deferred.get(callId);
      if (about === undefined) return call;
      return {
        ...call,
        question: { id: questionId(turn, callId), reason: about.reason, input: about.input },
      };
    }),
  };
}

type Deferred = Extract<JournalEvent, { type: "call-deferred" }>;

function deferredIn(events: readonly JournalEvent[]): Map<string, Deferred> {
  return new Map(
    events.flatMap((event): [string, Deferred][] =>
      event.type === "call-deferred" ? [[event.id, event]] : [],
    ),
  );
}

function turnOf({ begun }: OpenTurn): number {
  const turn = begun === undefined ? undefined : parseLine(begun)?.["turn"];
  return typeof turn === "number" ? turn : 0;
}

interface TurnRecord {
  readonly made: TurnOptions;
  readonly calls: Map<string, CallBlock>;
  /** The blocks of the response in order; a string is the id of a call at that position. */
  readonly blocks: readonly (HistoryBlock | string)[];
  readonly events: readonly JournalEvent[];
  /** The events of calls that a call made, by the id of that call. */
  readonly nested: NestedEvents;
  readonly unreadable: number;
}

function readTurn({ begun, lines }: OpenTurn): TurnRecord {
  const calls = new Map<string, CallBlock>();
  const blocks: (HistoryBlock | string)[] = [];
  const events: JournalEvent[] = [];
  const nested: NestedEvents = new Map();
  let unreadable = 0;
  for (const [at, bytes] of lines.entries()) {
    const { type, block, callId, event } = parseLine(bytes) ?? { type: "" };
    if (type === "call" && isCall(block)) calls.set(block.id, calls.get(block.id) ?? block);
    else if (type === "event" && isShape(event)) events.push(event as unknown as JournalEvent);
    else if (type === "nested" && isShape(event)) addNested(nested, callId, event);
    else if (type === "block" && typeof callId === "string") blocks.push(callId);
    else if (type === "block" && isShape(block)) blocks.push(block as HistoryBlock);
    else if (!isBeginningOf(bytes, lines[at + 1])) unreadable++;
  }
  const made = optionsOf(begun === undefined ? undefined : parseLine(begun));
  return { made, calls, blocks, events, nested, unreadable };
}

/** Whether `cut` was written partially and then again completely, as on a full disk: nothing is lost then. */
export function isBeginningOf(cut: Buffer, next: Buffer | undefined): boolean {
  return next !== undefined && next.length > cut.length && next.subarray(0, cut.length).equals(cut);
}

/** If they are unknown, assumes that all calls could start at once: a call that may have run must not count as not started. */
function optionsOf(begun: Line | undefined): TurnOptions {
  if (begun === undefined) return { limit: Number.POSITIVE_INFINITY, start: "eager" };
  const { limit, start, scope } = begun;
  return {
    // JSON has no infinity.
    ...(typeof limit === "number" ? { limit } : limit === null ? { limit: Number.POSITIVE_INFINITY } : {}),
    ...(start === "eager" || start === "reads" || start === "after" ? { start: start satisfies Start } : {}),
    ...(typeof scope === "string" ? { scope } : {}),
  };
}

/** Returns the blocks in order. Calls without a recorded position come last, in order of arrival. */
function inOrder({ blocks, calls }: TurnRecord): HistoryBlock[] {
  const unplaced = new Map(calls);
  const content = blocks.flatMap((block): HistoryBlock[] => {
    if (typeof block !== "string") return [block];
    const call = unplaced.get(block);
    unplaced.delete(block);
    return call === undefined ? [] : [call];
  });
  return [...content, ...unplaced.values()];
}

const TOUCHES_NOTHING = { claims: [], readOnly: true, interrupt: "block", onError: "isolate" } as const;

/** Lets the engine word the result of a call that had, or had not, started at the crash. */
export function crashed(
  { callId: id, toolName }: Pick<Fate, "callId" | "toolName">,
  hadStarted: boolean,
  { scope }: Pick<TurnOptions, "scope"> = {},
): Fate {
  const access = TOUCHES_NOTHING;
  const arrived = {
    type: "call-arrived",
    id,
    toolName,
    access,
    hooked: false,
    permitted: hadStarted,
  } as const;
  return recoverTurn([arrived], scope === undefined ? {} : { scope })[0] as Fate;
}

function isCall(block: unknown): block is CallBlock {
  return isShape(block) && block["type"] === "tool_use" && typeof block["id"] === "string";
}

function callIdsOf(message: HistoryMessage | undefined): string[] {
  const content = message?.content;
  return Array.isArray(content) ? content.filter(isCall).map(({ id }) => id) : [];
}

function hasResults({ role, content }: HistoryMessage): boolean {
  return role === "user" && Array.isArray(content) && content.some(isResult);
}

function isResult(block: unknown): boolean {
  return isShape(block) && block["type"] === "tool_result";
}
