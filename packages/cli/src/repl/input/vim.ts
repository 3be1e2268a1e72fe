/**
 * Vim keys for a text, as a function from a state and a key to the next state. It does no IO and knows no terminal; in
 * insert mode the editor takes the keys, and only Esc comes here.
 */

import { type Range, findChar, motion, textObject } from "./vim-motions.ts";

export interface VimState {
  readonly mode: "insert" | "normal" | "visual";
  readonly text: string;
  /** The index of the cursor in the text. */
  readonly at: number;
  /** Where the selection began. */
  readonly anchor: number;
  /** Keys of a command that is not complete. */
  readonly pending: string;
  readonly register: { readonly text: string; readonly isLines: boolean };
  /** The last `f`, `F`, `t` or `T`, and its letter. */
  readonly found: string;
  /** The keys of the last change, for `.`. */
  readonly last: string;
  /** The keys of the change that is being made, with what was typed in insert mode. */
  readonly recording: string;
  /** What the editor had when insert mode began. */
  readonly inserted: { readonly text: string; readonly at: number };
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
}

interface Snapshot {
  readonly text: string;
  readonly at: number;
}

const MOST_UNDO = 100;
export const ESC = "\u001b";

export const INITIAL: VimState = {
  mode: "insert",
  text: "",
  at: 0,
  anchor: 0,
  pending: "",
  register: { text: "", isLines: false },
  found: "",
  last: "",
  recording: "",
  inserted: { text: "", at: 0 },
  undo: [],
  redo: [],
};

/** A complete command: a count, an operator or key, and what it applies to. */
const COMMAND = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(?:(g[gue_]|[ia][wW"'`()[\]{}<>bBp]|[fFtT].|r[^]|[^]))$/;
const INCOMPLETE = /^([1-9]\d*)?(?:[dcy]([1-9]\d*)?)?[gfFtTria]?$/;

/** The state after a key in normal or visual mode, or after Esc in insert mode. */
export function press(state: VimState, key: string): VimState {
  if (state.mode === "insert") return key === ESC ? leaveInsert(state) : state;
  if (key === ESC) return { ...state, mode: "normal", pending: "" };
  const typed = state.pending + key;
  if (isIncomplete(typed, state)) return { ...state, pending: typed };
  const next = run({ ...state, pending: "" }, typed);
  return next ?? { ...state, pending: "" };
}

/** `i` and `a` begin a text object after an operator and in visual mode; otherwise they are commands. */
function isIncomplete(typed: string, { mode }: VimState): boolean {
  if (!INCOMPLETE.test(typed)) return false;
  const end = typed.at(-1) ?? "";
  const hasOperator = mode === "visual" || /^([1-9]\d*)?[dcy]/.test(typed);
  if ("ia".includes(end)) return hasOperator;
  if (end === "r" && hasOperator && mode !== "visual") return false;
  return mode !== "visual" || !"dcy".includes(end);
}

function run(state: VimState, typed: string): VimState | undefined {
  const [, before = "1", operator, after = "1", key = ""] = COMMAND.exec(typed) ?? [];
  const count = Math.min(999, Number(before) * Number(after));
  if (state.mode === "visual") return visual(state, key, count);
  const next = operator === undefined ? simple(state, key, count) : operate(state, { operator, key, count });
  if (next === undefined) return undefined;
  const isChange = next.text !== state.text || next.mode === "insert";
  if (!isChange || key === "u" || key === "." || key === "\u0012") return next;
  return next.mode === "insert" ? { ...next, recording: typed } : { ...next, last: typed };
}

interface Operation {
  readonly operator: string;
  readonly key: string;
  readonly count: number;
}

function operate(state: VimState, { operator, key, count }: Operation): VimState | undefined {
  if (key === operator) return onLines(state, operator, count);
  const range = rangeOf(state, { operator, key, count });
  if (range === undefined) return undefined;
  const found = /^[fFtT]/.test(key) ? key : state.found;
  return { ...apply(state, operator, range), found };
}

function rangeOf(state: VimState, { operator, key, count }: Operation): Range | undefined {
  const { text, at } = state;
  if (/^[ia]./.test(key)) return textObject(text, at, key);
  // `cw` changes a word without the space after it.
  const way = operator === "c" && key.toLowerCase() === "w" ? (key === "w" ? "e" : "E") : key;
  const to = moving(state, way, count);
  if (to === undefined) return undefined;
  const isInclusive = /^[eE$fFtT]/.test(way) && to >= at && !/^[FT]/.test(way);
  if (/^(?:[jkG]|gg)$/.test(key)) return { ...linesBetween(text, at, to), isLines: true };
  return { start: Math.min(at, to), end: Math.max(at, to) + (isInclusive ? 1 : 0) };
}

function moving(state: VimState, key: string, count: number): number | undefined {
  const { text, at, found } = state;
  if (/^[fFtT]./.test(key)) return findChar(text, at, key);
  if (key === ";" || key === ",")
    return found === "" ? undefined : findChar(text, at, key === ";" ? found : turned(found), true);
  return motion(text, at, key, count);
}

function turned(found: string): string {
  const [kind = "", ...rest] = found;
  return `${kind === kind.toLowerCase() ? kind.toUpperCase() : kind.toLowerCase()}${rest.join("")}`;
}

function simple(state: VimState, key: string, count: number): VimState | undefined {
  const { text, at } = state;
  const line = lineAt(text, at);
  switch (key) {
    case "i":
      return insertAt(state, at);
    case "a":
      return insertAt(state, Math.min(line.end, at + 1));
    case "I":
      return insertAt(state, motion(text, at, "^", 1) ?? line.start);
    case "A":
      return insertAt(state, line.end);
    case "o":
      return insertAt(
        changed(state, `${text.slice(0, line.end)}\n${text.slice(line.end)}`, line.end + 1),
        line.end + 1,
      );
    case "O":
      return insertAt(
        changed(state, `${text.slice(0, line.start)}\n${text.slice(line.start)}`, line.start),
        line.start,
      );
    case "v":
      return { ...state, mode: "visual", anchor: at };
    case "x":
      return apply(state, "d", { start: at, end: Math.min(line.end, at + count) });
    case "X":
      return apply(state, "d", { start: Math.max(line.start, at - count), end: at });
    case "s":
      return apply(state, "c", { start: at, end: Math.min(line.end, at + count) });
    case "D":
      return apply(state, "d", { start: at, end: line.end });
    case "C":
      return apply(state, "c", { start: at, end: line.end });
    case "S":
      return onLines(state, "c", count);
    case "Y":
      return onLines(state, "y", count);
    case "J":
      return joined(state, line.end);
    case "p":
    case "P":
      return put(state, key === "p", count);
    case "u":
      return undone(state);
    case "\u0012":
      return redone(state);
    case ".":
      return repeated(state);
    case "~":
      return replaced(state, count, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
    default:
      if (/^r[^]$/.test(key)) return key === `r${ESC}` ? state : replaced(state, count, () => key.slice(1));
      return moved(state, key, count);
  }
}

function moved(state: VimState, key: string, count: number): VimState | undefined {
  const to = moving(state, key, count);
  if (to === undefined) return undefined;
  const found = /^[fFtT]./.test(key) ? key : state.found;
  return { ...state, at: state.mode === "visual" ? to : onLetter(state.text, to), found };
}

function visual(state: VimState, key: string, count: number): VimState | undefined {
  const { anchor, at, text } = state;
  const range = { start: Math.min(anchor, at), end: Math.min(text.length, Math.max(anchor, at) + 1) };
  const normal: VimState = { ...state, mode: "normal" };
  if (key === "v") return normal;
  if (key === "d" || key === "x") return apply(normal, "d", range);
  if (key === "c" || key === "s") return apply(normal, "c", range);
  if (key === "y") return apply(normal, "y", range);
  if (key === "o") return { ...state, anchor: at, at: anchor };
  if (key === "p") return put({ ...apply(normal, "d", range), register: state.register }, false, 1);
  if (/^[ia]./.test(key)) {
    const object = textObject(text, at, key);
    return object === undefined
      ? undefined
      : { ...state, anchor: object.start, at: Math.max(object.start, object.end - 1) };
  }
  return moved(state, key, count);
}

/** Deletes, changes or copies a part of the text. */
function apply(state: VimState, operator: string, { start, end, isLines = false }: Range): VimState {
  const { text } = state;
  const taken = { text: text.slice(start, end), isLines };
  const copied = { ...state, register: taken.text === "" ? state.register : taken };
  if (operator === "y") return { ...copied, at: onLetter(text, start) };
  if (isLines && operator === "d") {
    // The line break before the last line goes with it.
    const from = end >= text.length && start > 0 ? start - 1 : start;
    const to = Math.min(text.length, end + (end < text.length ? 1 : 0));
    const left = text.slice(0, from) + text.slice(to);
    return changed(copied, left, onLetter(left, lineAt(left, Math.min(from, left.length)).start));
  }
  const left = text.slice(0, start) + text.slice(end);
  const next = changed(copied, left, operator === "c" ? start : onLetter(left, start));
  return operator === "c" ? insertAt(next, start) : next;
}

function onLines(state: VimState, operator: string, count: number): VimState {
  const { text, at } = state;
  const to = motion(text, at, "j", count - 1) ?? text.length;
  const range = { ...linesBetween(text, at, count === 1 ? at : to), isLines: true };
  return apply(state, operator, range);
}

function put(state: VimState, isAfter: boolean, count: number): VimState {
  const { text, at, register } = state;
  const piece = register.isLines
    ? Array.from({ length: count }, () => register.text).join("\n")
    : register.text.repeat(count);
  if (piece === "") return state;
  const line = lineAt(text, at);
  if (register.isLines && isAfter)
    return changed(state, `${text.slice(0, line.end)}\n${piece}${text.slice(line.end)}`, line.end + 1);
  if (register.isLines)
    return changed(state, `${text.slice(0, line.start)}${piece}\n${text.slice(line.start)}`, line.start);
  const place = isAfter ? Math.min(line.end, at + 1) : at;
  return changed(state, text.slice(0, place) + piece + text.slice(place), place + piece.length - 1);
}

function joined(state: VimState, end: number): VimState {
  const { text } = state;
  if (end >= text.length) return state;
  const rest = text.slice(end + 1).replace(/^[ \t]+/, "");
  return changed(state, `${text.slice(0, end)} ${rest}`, end);
}

function replaced(state: VimState, count: number, by: (letter: string) => string): VimState | undefined {
  const { text, at } = state;
  const end = at + count;
  if (end > lineAt(text, at).end) return undefined;
  const letters = Array.from(text.slice(at, end), by).join("");
  return changed(state, text.slice(0, at) + letters + text.slice(end), at + letters.length - 1);
}

function changed(state: VimState, text: string, at: number): VimState {
  const undo = [...state.undo, { text: state.text, at: state.at }].slice(-MOST_UNDO);
  return { ...state, text, at: Math.max(0, at), undo, redo: [] };
}

function undone(state: VimState): VimState {
  const last = state.undo.at(-1);
  if (last === undefined) return state;
  const redo = [...state.redo, { text: state.text, at: state.at }];
  return { ...state, ...last, at: onLetter(last.text, last.at), undo: state.undo.slice(0, -1), redo };
}

function redone(state: VimState): VimState {
  const next = state.redo.at(-1);
  if (next === undefined) return state;
  const undo = [...state.undo, { text: state.text, at: state.at }];
  return { ...state, ...next, at: onLetter(next.text, next.at), redo: state.redo.slice(0, -1), undo };
}

/** Makes the last change again. What was typed in insert mode is a part of it. */
function repeated(state: VimState): VimState | undefined {
  const [keys = "", typed] = state.last.split(ESC);
  if (keys === "") return undefined;
  const next = run(state, keys);
  if (next === undefined || typed === undefined || next.mode !== "insert") return next;
  const text = next.text.slice(0, next.at) + typed + next.text.slice(next.at);
  const { last } = state;
  return { ...leaveInsert({ ...next, text, at: next.at + typed.length }), last };
}

function insertAt(state: VimState, at: number): VimState {
  return { ...state, mode: "insert", at, inserted: { text: state.text, at } };
}

/** What was typed becomes one step of undo, and a part of the change that `.` repeats. */
function leaveInsert(state: VimState): VimState {
  const { text, at, inserted, recording, undo } = state;
  const grown = text.length - inserted.text.length;
  const isTyped =
    grown >= 0 &&
    at === inserted.at + grown &&
    text.slice(0, inserted.at) === inserted.text.slice(0, inserted.at);
  const typed = isTyped ? text.slice(inserted.at, at) : "";
  const isChanged = text !== inserted.text;
  const line = lineAt(text, at);
  return {
    ...state,
    mode: "normal",
    at: Math.max(line.start, at - 1),
    undo: isChanged ? [...undo, inserted].slice(-MOST_UNDO) : undo,
    redo: isChanged ? [] : state.redo,
    last: recording === "" ? state.last : `${recording}${ESC}${typed}`,
    recording: "",
  };
}

interface Line {
  readonly start: number;
  /** The index of the line break after it, or the length of the text. */
  readonly end: number;
}

function lineAt(text: string, at: number): Line {
  const end = text.indexOf("\n", at);
  return { start: text.lastIndexOf("\n", at - 1) + 1, end: end < 0 ? text.length : end };
}

function linesBetween(text: string, one: number, other: number): Range {
  return { start: lineAt(text, Math.min(one, other)).start, end: lineAt(text, Math.max(one, other)).end };
}

/** In normal mode the cursor is on a letter, not after the last one. */
function onLetter(text: string, at: number): number {
  const { start, end } = lineAt(text, Math.min(at, text.length));
  return Math.max(start, Math.min(at, end - 1));
}
