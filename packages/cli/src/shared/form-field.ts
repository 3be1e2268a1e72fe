/** A field of a form that an MCP server wants filled in: its question, and what an answer means. */

import type { AskUser } from "@runahead/harness";

export type Question = Parameters<AskUser>[0][number];
export type Answer = Extract<Awaited<ReturnType<AskUser>>, { type: "answered" }>["answers"][number];
type Members = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly schema: Members;
  readonly isRequired: boolean;
}

/** What an answer means: a value of the form, no value, or a reason to ask again. */
export type Read =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "none" }
  | { readonly type: "invalid"; readonly why: string };

interface Choice {
  readonly label: string;
  readonly value: unknown;
}

const HEADER_CHARS = 40;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function fieldsOf(schema: unknown): readonly Field[] {
  const { properties, required } = isMembers(schema) ? schema : {};
  if (!isMembers(properties)) return [];
  const names: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, held]) => ({
    name,
    schema: isMembers(held) ? held : {},
    isRequired: names.includes(name),
  }));
}

export function titleOf({ name, schema }: Field): string {
  return text(schema["title"]) || name;
}

/** What was wrong with the answer before. */
interface Before {
  readonly answer: Answer;
  readonly why: string;
}

/** Every question names its server, so that it cannot be taken for one of the program. */
export function questionOf(field: Field, server: string, before?: Before): Question {
  const { schema, isRequired } = field;
  const { default: preset, description } = schema;
  const remarks = [
    ...(isRequired ? [] : ["optional"]),
    ...(preset === undefined ? [] : [`default: ${shown(preset)}`]),
    ...limitsOf(schema),
  ];
  const lines = [
    ...(before === undefined ? [] : [before.why]),
    `${titleOf(field)}${remarks.length === 0 ? "" : ` (${remarks.join(", ")})`}`,
    ...(text(description) === "" ? [] : [text(description)]),
  ];
  return {
    question: lines.join("\n"),
    header: `MCP server ${server}: ${titleOf(field).slice(0, HEADER_CHARS)}`,
    options: choicesOf(schema).map(({ label }) => ({ label })),
    multiSelect: schema["type"] === "array",
    onlyOptions: true,
    isRequired,
    ...(before === undefined ? {} : { draft: before.answer }),
  };
}

/** The values that a field can have; empty for text that the user types. */
function choicesOf(schema: Members): readonly Choice[] {
  if (schema["type"] === "boolean")
    return [
      { label: "yes", value: true },
      { label: "no", value: false },
    ];
  const held = schema["type"] === "array" && isMembers(schema["items"]) ? schema["items"] : schema;
  const { enum: values, enumNames, oneOf, anyOf } = held;
  const titled: unknown = oneOf ?? anyOf;
  const choices = Array.isArray(values)
    ? values.map((value: unknown, at) => ({
        label: text(Array.isArray(enumNames) ? enumNames[at] : undefined) || String(value),
        value,
      }))
    : Array.isArray(titled)
      ? titled
          .filter(isMembers)
          .map((one) => ({ label: text(one["title"]) || String(one["const"]), value: one["const"] }))
      : [];
  const isClear = new Set(choices.map(({ label }) => label)).size === choices.length;
  return isClear ? choices : choices.map(({ value }) => ({ label: String(value), value }));
}

const FORMATS: Readonly<Record<string, { readonly words: string; readonly pattern: RegExp }>> = {
  email: { words: "an email address", pattern: /^[^\s@]+@[^\s@]+$/ },
  uri: { words: "an address such as https://example.org", pattern: /^[a-z][a-z\d+.-]*:\S+$/i },
  date: { words: "a date such as 2026-01-31", pattern: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/ },
  "date-time": {
    words: "a date and time such as 2026-01-31T12:00:00Z",
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i,
  },
};

function limitsOf(schema: Members): string[] {
  const { type, minimum, maximum, format } = schema;
  if (type === "number" || type === "integer") {
    const kind = type === "integer" ? "a whole number" : "a number";
    const range = [
      ...(typeof minimum === "number" ? [`from ${minimum}`] : []),
      ...(typeof maximum === "number" ? [`${typeof minimum === "number" ? "" : "up "}to ${maximum}`] : []),
    ];
    return [[kind, ...range].join(" ")];
  }
  const known = type === "string" ? FORMATS[text(format)] : undefined;
  return known === undefined ? [] : [known.words];
}

export function readAnswer(field: Field, answer: Answer | undefined): Read {
  if (answer === undefined || answer.type === "skipped") return { type: "none" };
  const { schema } = field;
  const words = answer.type === "chosen" ? answer.labels : [answer.text];
  const choices = choicesOf(schema);
  const values = words.map((word) => (choices.length === 0 ? { value: word } : chosen(choices, word)));
  const unknown = values.findIndex((one) => one === undefined);
  if (unknown >= 0) return invalid(`"${words[unknown]}" is not one of the answers.`);
  if (schema["type"] === "array")
    return several(
      schema,
      values.map((one) => one?.value),
    );
  const value = values[0]?.value;
  if (choices.length > 0) return { type: "value", value };
  return schema["type"] === "number" || schema["type"] === "integer"
    ? readNumber(schema, words[0] ?? "")
    : readText(schema, words[0] ?? "");
}

function chosen(choices: readonly Choice[], word: string): Choice | undefined {
  const same = (one: string): boolean => one.toLowerCase() === word.trim().toLowerCase();
  return choices.find(({ label, value }) => same(label) || same(String(value)));
}

function several({ minItems, maxItems }: Members, value: readonly unknown[]): Read {
  if (typeof minItems === "number" && value.length < minItems) return invalid(`Choose at least ${minItems}.`);
  if (typeof maxItems === "number" && value.length > maxItems) return invalid(`Choose at most ${maxItems}.`);
  return { type: "value", value };
}

function readNumber({ type, minimum, maximum }: Members, word: string): Read {
  const value = Number(word);
  if (word.trim() === "" || !Number.isFinite(value)) return invalid(`"${word}" is not a number.`);
  if (type === "integer" && !Number.isInteger(value)) return invalid(`${word} is not a whole number.`);
  if (typeof minimum === "number" && value < minimum)
    return invalid(`${word} is too small: the smallest number is ${minimum}.`);
  if (typeof maximum === "number" && value > maximum)
    return invalid(`${word} is too large: the largest number is ${maximum}.`);
  return { type: "value", value };
}

function readText({ minLength, maxLength, format, pattern }: Members, word: string): Read {
  if (typeof minLength === "number" && word.length < minLength)
    return invalid(`"${word}" is too short: at least ${minLength} characters.`);
  if (typeof maxLength === "number" && word.length > maxLength)
    return invalid(`"${word}" is too long: at most ${maxLength} characters.`);
  const known = FORMATS[text(format)];
  if (known !== undefined && !known.pattern.test(word)) return invalid(`"${word}" is not ${known.words}.`);
  if (!fits(text(pattern), word)) return invalid(`"${word}" does not match ${text(pattern)}.`);
  return { type: "value", value: word };
}

const PATTERN_CHARS = 200;
const MATCHED_CHARS = 100;

/** A pattern that is invalid, or that could run for a long time, is left to the server. */
function fits(pattern: string, word: string): boolean {
  const isSlow = /[*+}]\)?[*+{]|\([^)]*[*+|][^)]*\)[*+{]/.test(pattern);
  if (pattern === "" || isSlow || pattern.length > PATTERN_CHARS || word.length > MATCHED_CHARS) return true;
  try {
    return new RegExp(pattern, "u").test(word);
  } catch {
    return true;
  }
}

function invalid(why: string): Read {
  return { type: "invalid", why };
}

function shown(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.map(String).join(", ") : String(value);
}
