/**
 * Reads the YAML that people write in front matter: `key: value` lines, lists, nested blocks, quotes, block text and
 * comments. A value with a colon or a quote inside needs no quotes. What cannot be read as a structure is text.
 */

import { readFlow } from "./yaml-flow.ts";
import { type YamlValue, scalarOf } from "./yaml-value.ts";

/** The members of a block, and lines that could not be read. */
export interface YamlBlock {
  /** In the order of the text. A key that appears twice is there twice. */
  readonly members: readonly (readonly [key: string, value: YamlValue])[];
  /** Lines that belong to no member. */
  readonly strayLines: readonly string[];
}

const KEY = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_$][\w$./-]*))[ \t]*:(?:[ \t]+(.*))?$/s;
const ITEM = /^-(?:[ \t]+|$)/;
const BLOCK_TEXT = /^([|>])[+-]?\d?[+-]?(?:[ \t]+#.*)?$/;

/** Reads the members of a block whose keys are not indented. */
export function readBlock(lines: readonly string[]): YamlBlock {
  const members: (readonly [string, YamlValue])[] = [];
  const strayLines: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    at++;
    if (isBlank(line) || isComment(line)) continue;
    const found = KEY.exec(line);
    if (found === null) {
      strayLines.push(line);
      continue;
    }
    const [, double, single, plain, first = ""] = found;
    const below = linesBelow(lines, at, first.trim().replace(ANCHOR, ""));
    at += below.length;
    members.push([double ?? single ?? plain ?? "", readValue(first.trim(), below)]);
  }
  return { members, strayLines };
}

/** The lines that belong to a member: indented ones, list items, and the rest of an open quote or bracket. */
function linesBelow(lines: readonly string[], from: number, first: string): string[] {
  const below: string[] = [];
  const end = endOfQuote(lines, from, first);
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isPart =
      at < end ||
      isBlank(line) ||
      /^[ \t]/.test(line) ||
      (first === "" ? ITEM.test(line) : isContinued(line, first));
    if (!isPart) break;
    below.push(line);
  }
  while (below.length > 0 && isBlank(below.at(-1) ?? "")) below.pop();
  return below;
}

/**
 * The line after a quoted text that is not closed in its first line. Its lines can look like members. A quote that does
 * not end its line is part of the text, so the value is not quoted.
 */
function endOfQuote(lines: readonly string[], from: number, first: string): number {
  const quote = first[0];
  if ((quote !== '"' && quote !== "'") || closes(first.slice(1), quote) !== undefined) return from;
  for (let at = from; at < lines.length; at++) {
    const isLast = closes(lines[at] ?? "", quote);
    if (isLast !== undefined) return isLast ? at + 1 : from;
  }
  return from;
}

/** Whether the first closing quote of a line ends it; undefined if it has none. */
function closes(line: string, quote: '"' | "'"): boolean | undefined {
  const found = (quote === '"' ? /^(?:[^"\\]|\\.)*"(.*)$/ : /^(?:[^']|'')*'(?!')(.*)$/).exec(line);
  return found === null ? undefined : /^(?:[ \t]*|[ \t]+#.*)$/.test(found[1] ?? "");
}

/** A line that is not indented continues plain text, or closes a bracket, if it cannot be a member itself. */
function isContinued(line: string, first: string): boolean {
  if (KEY.test(line) || isComment(line)) return false;
  return !BLOCK_TEXT.test(first);
}

/** The name of an anchor before a list, an object or a quoted text. */
const ANCHOR = /^&[\w-]+(?:[ \t]+(?=["'[{])|$)/;

function readValue(written: string, below: readonly string[]): YamlValue {
  const first = written.replace(ANCHOR, "");
  const block = BLOCK_TEXT.exec(first);
  if (block !== null) return blockText(below, block[1] === ">");
  if (first === "" || isComment(first)) return readNested(below);
  const whole = [first, ...below].join("\n");
  if (/^["'[{]/.test(first)) {
    const flow = readFlow(whole);
    if (flow !== undefined) return flow.value;
  }
  return scalarOf(folded([first, ...below].map(withoutComment)));
}

function readNested(below: readonly string[]): YamlValue {
  const lines = dedented(below.filter((line) => !isComment(line)));
  const first = lines.find((line) => !isBlank(line));
  if (first === undefined) return null;
  if (ITEM.test(first)) return itemsOf(lines).map(readItem);
  if (/^["'[{]/.test(first)) {
    const flow = readFlow(lines.join("\n").trim());
    if (flow !== undefined) return flow.value;
  }
  if (!KEY.test(first)) return scalarOf(folded(lines.map(withoutComment)));
  const { members, strayLines } = readBlock(lines);
  return strayLines.length > 0 ? folded(lines) : Object.fromEntries(members);
}

/** Splits a list into the lines of its items, without the dash. */
function itemsOf(lines: readonly string[]): string[][] {
  const items: string[][] = [];
  for (const line of lines) {
    if (ITEM.test(line)) items.push([line.replace(ITEM, (dash) => " ".repeat(dash.length))]);
    else items.at(-1)?.push(line);
  }
  return items;
}

function readItem(lines: readonly string[]): YamlValue {
  const own = dedented(lines);
  const [first = "", ...rest] = own;
  if (isBlank(first)) return readNested(rest);
  if (KEY.test(first) && !/^["']/.test(first)) {
    const { members, strayLines } = readBlock(own);
    if (strayLines.length === 0) return Object.fromEntries(members);
  }
  if (ITEM.test(first)) return itemsOf(own).map(readItem);
  return readValue(first.trim(), rest);
}

function blockText(below: readonly string[], isFolded: boolean): string {
  const lines = dedented(below);
  return isFolded ? folded(lines) : lines.join("\n").trimEnd();
}

/** Joins lines with spaces; an empty line is a line break. */
function folded(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .join("\n")
    .replaceAll(/(\n*)\n/g, (_, more: string) => (more === "" ? " " : more))
    .trim();
}

/** Removes the indentation that all lines have. */
export function dedented(lines: readonly string[]): string[] {
  const depths = lines.filter((line) => !isBlank(line)).map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const depth = Math.min(...depths, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(depth));
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function isComment(line: string): boolean {
  return /^[ \t]*#/.test(line);
}

/** A comment begins with a `#` after a space. */
function withoutComment(line: string): string {
  return isComment(line) ? "" : line.replace(/[ \t]+#.*$/, "");
}
