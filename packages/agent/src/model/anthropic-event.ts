/**
 * Parses the events of the Messages API. Most events of a response begin a call, add a piece to a block or end one, and
 * always look the same, so that these are read without parsing their whole JSON.
 */

import type { Shape } from "@runahead/base";
import { objectIn } from "./sse.ts";

const STOP = '{"type":"content_block_stop","index":';
const DELTA = '{"type":"content_block_delta","index":';
const START = '{"type":"content_block_start","index":';
/** The second letter of the kind, which is at the same place in all three. */
const KIND_AT = '{"type":"content_block_s'.length;

type Delta = (piece: string) => Shape;

/** What each kind of delta looks like up to its text. */
const DELTAS: readonly (readonly [begins: string, make: Delta])[] = [
  [
    ',"delta":{"type":"input_json_delta","partial_json":',
    (piece) => ({ type: "input_json_delta", partial_json: piece }),
  ],
  [',"delta":{"type":"text_delta","text":', (piece) => ({ type: "text_delta", text: piece })],
  [',"delta":{"type":"thinking_delta","thinking":', (piece) => ({ type: "thinking_delta", thinking: piece })],
];

/** Returns the same as parsing the data of an event, which must be a JSON object. Throws a `ModelError` otherwise. */
export function anthropicEvent(data: string): Shape {
  return quickEvent(data) ?? objectIn(data);
}

/** Undefined means that the event must be parsed. */
function quickEvent(data: string): Shape | undefined {
  const kind = data.charCodeAt(KIND_AT);
  if (kind === SMALL_E) return delta(data);
  return kind === SMALL_T ? (data.charCodeAt(KIND_AT + 1) === SMALL_A ? start(data) : stop(data)) : undefined;
}

function stop(data: string): Shape | undefined {
  const index = numberAt(data, STOP.length);
  if (index < 0 || beforeBraces(data, 1) !== endOfDigits(data, STOP.length)) return undefined;
  return has(data, STOP, 0) ? { type: "content_block_stop", index } : undefined;
}

const CALL = ',"content_block":{"type":"tool_use","id":"';
const NAME = '","name":"';
const INPUT = '","input":{}';

/** The start of a call without anything unusual. */
function start(data: string): Shape | undefined {
  const index = numberAt(data, START.length);
  const from = endOfDigits(data, START.length);
  if (index < 0 || !has(data, CALL, from) || !has(data, START, 0)) return undefined;
  const idAt = from + CALL.length;
  const idEnd = data.indexOf('"', idAt);
  const nameAt = idEnd + NAME.length;
  const nameEnd = data.indexOf('"', nameAt);
  if (!has(data, NAME, idEnd) || !has(data, INPUT, nameEnd)) return undefined;
  if (beforeBraces(data, 2) !== nameEnd + INPUT.length) return undefined;
  // Parsing them makes texts that do not keep the whole chunk in memory.
  const id = stringIn(data.slice(idAt - 1, idEnd + 1));
  const name = stringIn(data.slice(nameAt - 1, nameEnd + 1));
  if (id === undefined || name === undefined) return undefined;
  return { type: "content_block_start", index, content_block: { type: "tool_use", id, name, input: {} } };
}

function delta(data: string): Shape | undefined {
  const index = numberAt(data, DELTA.length);
  if (index < 0 || !has(data, DELTA, 0)) return undefined;
  const from = endOfDigits(data, DELTA.length);
  for (const [begins, make] of DELTAS) {
    if (!has(data, begins, from)) continue;
    const piece = stringIn(data.slice(from + begins.length, beforeBraces(data, 2)));
    return piece === undefined ? undefined : { type: "content_block_delta", index, delta: make(piece) };
  }
  return undefined;
}

/** Comparing a slice is faster than `startsWith`. */
function has(data: string, part: string, at: number): boolean {
  return data.slice(at, at + part.length) === part;
}

/** Undefined if the text is not exactly one JSON string. */
function stringIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

const SMALL_A = 0x61;
const SMALL_E = 0x65;
const SMALL_T = 0x74;
const ZERO = 0x30;
const NINE = 0x39;
const CLOSE = 0x7d;
const SPACE = 0x20;
/** Longer numbers are not exact, and no response has so many blocks. */
const MAX_DIGITS = 9;

function endOfDigits(data: string, from: number): number {
  let at = from;
  while (data.charCodeAt(at) >= ZERO && data.charCodeAt(at) <= NINE) at++;
  return at;
}

/** Returns -1 if it is not a JSON number. */
function numberAt(data: string, from: number): number {
  const end = endOfDigits(data, from);
  const isNumber = end > from && end - from <= MAX_DIGITS;
  if (!isNumber || (data.charCodeAt(from) === ZERO && end > from + 1)) return -1;
  let number = 0;
  for (let at = from; at < end; at++) number = number * 10 + data.charCodeAt(at) - ZERO;
  return number;
}

/** Returns where the data ends before so many closing braces, which servers pad with spaces, or 0 if it has fewer. */
function beforeBraces(data: string, count: number): number {
  let end = data.length;
  for (let left = count; left > 0; left--) {
    if (data.charCodeAt(end - 1) !== CLOSE) return 0;
    end--;
    while (data.charCodeAt(end - 1) === SPACE) end--;
  }
  return end;
}
