/** Asks the user for what an MCP server wants to know, one question for each field of its form. */

import type { AskUser, HostParts } from "@runahead/harness";

type Elicit = NonNullable<HostParts["elicit"]>;
type Questions = Parameters<AskUser>[0];
type Question = Questions[number];
type Answer = Extract<Awaited<ReturnType<AskUser>>, { type: "answered" }>["answers"][number];
type Members = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly schema: Members;
  readonly isRequired: boolean;
}

/** The user can decline, and skip fields that are not required. */
export function elicitBy(askUser: AskUser): Elicit {
  return async (params, signal, server) => {
    const { message, mode, url, requestedSchema } = isMembers(params) ? params : {};
    const words = `The MCP server ${server} asks: ${text(message)}`;
    if (mode === "url") return confirmed(askUser, `${words}\nOpen this page: ${text(url)}`, signal);
    const fields = fieldsOf(requestedSchema);
    if (fields.length === 0) return confirmed(askUser, words, signal);
    const questions = fields.map((field, at) => questionOf(field, at === 0 ? words : ""));
    const answers = await askUser(questions, signal);
    if (answers.type === "declined") return { action: signal.aborted ? "cancel" : "decline" };
    const content: Record<string, unknown> = {};
    for (const [at, field] of fields.entries()) {
      const value = valueOf(field, answers.answers[at]);
      if (value === undefined && field.isRequired) return { action: "decline" };
      if (value !== undefined) content[field.name] = value;
    }
    return { action: "accept", content };
  };
}

async function confirmed(
  askUser: AskUser,
  words: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const question: Question = { question: words, options: [{ label: "Accept" }, { label: "Decline" }] };
  const answers = await askUser([question], signal);
  const [answer] = answers.type === "answered" ? answers.answers : [];
  const isAccepted = answer?.type === "chosen" && answer.labels[0] === "Accept";
  return isAccepted ? { action: "accept", content: {} } : { action: "decline" };
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function fieldsOf(schema: unknown): readonly Field[] {
  const { properties, required } = isMembers(schema) ? schema : {};
  if (!isMembers(properties)) return [];
  const names: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, held]) => ({
    name,
    schema: isMembers(held) ? held : {},
    isRequired: names.includes(name),
  }));
}

function questionOf({ name, schema, isRequired }: Field, before: string): Question {
  const label = text(schema["title"]) || name;
  const about = text(schema["description"]);
  const asked = `${label}${about === "" ? "" : ` (${about})`}${isRequired ? "" : " – optional"}`;
  return {
    question: before === "" ? asked : `${before}\n${asked}`,
    header: label.slice(0, 40),
    options: labelsOf(schema).map((one) => ({ label: one })),
    multiSelect: schema["type"] === "array",
  };
}

/** The values that a field can have; empty for free text. */
function labelsOf(schema: Members): string[] {
  if (schema["type"] === "boolean") return ["yes", "no"];
  const held = schema["type"] === "array" && isMembers(schema["items"]) ? schema["items"] : schema;
  const values: unknown = held["enum"];
  if (Array.isArray(values)) return values.map(String);
  const choices: unknown = held["oneOf"] ?? held["anyOf"];
  return Array.isArray(choices) ? choices.filter(isMembers).map((one) => String(one["const"])) : [];
}

/** Returns undefined for a field without a usable answer. */
function valueOf({ schema }: Field, answer: Answer | undefined): unknown {
  if (answer === undefined || answer.type === "skipped") return undefined;
  const words = answer.type === "chosen" ? answer.labels : [answer.text];
  const [first = ""] = words;
  switch (schema["type"]) {
    case "boolean":
      return /^(?:yes|y|true)$/i.test(first.trim());
    case "array":
      return words;
    case "number":
    case "integer": {
      const value = Number(first);
      return first.trim() === "" || Number.isNaN(value) ? undefined : value;
    }
    default:
      return first;
  }
}
