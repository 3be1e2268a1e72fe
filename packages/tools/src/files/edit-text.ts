/** Replaces text in a text: exact match, once or everywhere, keeping the file's line endings. */

import { closestText } from "./closest-text.ts";
import { Refusal } from "../shared/refusal.ts";

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

export interface EditedText {
  readonly text: string;
  /** Line numbers, from 1, where the replaced texts began. */
  readonly lines: readonly number[];
}

const SHOWN_LINES = 20;

export function editText(name: string, text: string, edit: TextEdit): EditedText {
  const { oldText, newText } = withEndings(text, edit);
  const places = placesOf(text, oldText);
  if (places.length === 0) throw new Refusal(notFound(name, text, edit.oldText));
  const lines = linesOf(text, places);
  if (places.length > 1 && !edit.all)
    throw new Refusal(
      `old_string occurs ${places.length} times in ${name}, on ${onLines(lines)}. Include more surrounding text ` +
        "to make it unique, or set replace_all.",
    );
  return { text: text.split(oldText).join(newText), lines };
}

/** Models write LF. In a file with CRLF line endings, their texts are converted. */
function withEndings(text: string, { oldText, newText }: TextEdit): Pick<TextEdit, "oldText" | "newText"> {
  if (text.includes(oldText)) return { oldText, newText: isCrlf(text) ? toCrlf(newText) : newText };
  if (text.includes(toCrlf(oldText))) return { oldText: toCrlf(oldText), newText: toCrlf(newText) };
  return { oldText, newText };
}

/** Whether every line ending is CRLF. */
function isCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function linesOf(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at !== -1 && at < place; at = text.indexOf("\n", from)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}

function listed(lines: readonly number[]): string {
  const more = lines.length - SHOWN_LINES;
  return `${lines.slice(0, SHOWN_LINES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Places on the same line count once. */
export function onLines(places: readonly number[]): string {
  const lines = [...new Set(places)];
  return `${lines.length === 1 ? "line" : "lines"} ${listed(lines)}`;
}

function notFound(name: string, text: string, wanted: string): string {
  const plain = withoutNumbers(wanted);
  if (plain !== undefined && text.includes(plain))
    return `old_string was not found in ${name} because it contains the line numbers that Read shows. Remove them: the text itself is there.`;
  const spaced = alikeLines(text, wanted);
  if (spaced.length > 0)
    return `old_string was not found in ${name}. Text that differs only in whitespace is on line ${listed(spaced)}: copy its indentation exactly.`;
  const near = closestText(text, wanted);
  const hint =
    near === undefined
      ? "The file contains nothing similar. Read it again and copy the text exactly, without the line numbers."
      : `The closest text is on ${near.lines}:\n${near.text}\nCopy the text exactly, or read the file again.`;
  return `old_string was not found in ${name}. ${hint}`;
}

/** Removes the line numbers that Read shows. Returns undefined if a line has none. */
function withoutNumbers(text: string): string | undefined {
  const lines = text.split("\n");
  const numbered = /^\s*\d+(?:\t|\u2192)/;
  if (!lines.every((line, at) => numbered.test(line) || (line === "" && at === lines.length - 1)))
    return undefined;
  return lines.map((line) => line.replace(numbered, "")).join("\n");
}

/** Returns the lines where the same text begins if whitespace at both ends of each line is ignored. */
function alikeLines(text: string, wanted: string): number[] {
  const trimmed = (part: string): string[] => part.split("\n").map((line) => line.trim());
  const needle = trimmed(wanted.replace(/^\s*\n|\n\s*$/g, ""));
  const lines = trimmed(text);
  if (needle.every((line) => line === "")) return [];
  return lines.flatMap((_, at) =>
    needle.every((line, ahead) => lines[at + ahead] === line) ? [at + 1] : [],
  );
}
