/**
 * Parses the events of the Messages API. Most events of a response add a piece to a block or end one, and always look
 * the same, so that these are read without parsing their whole JSON.
 */

import type { Shape } from "@runahead/base";
import { objectIn } from "./sse.ts";

const STOP = '{"type":"content_block_stop","index":';
const DELTA = '{"type":"content_block_delta","index":';
/** The first letter of the kind, which is at the same place in both. */
const KIND_AT = '{"type":"content_block_'.length;

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
  if (kind === SMALL_D) return delta(data);
  return kind === SMALL_S ? stop(data) : undefined;
}

function stop(data: string): Shape | undefined {
  const index = numberAt(data, STOP.length);
  if (index < 0 || beforeBraces(data, 1) !== endOfDigits(data, STOP.length)) return undefined;
  return has(data, STOP, 0) ? { type: "content_block_stop", index } : undefined;
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

const SMALL_D = 0x64;
const SMALL_S = 0x73;
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
