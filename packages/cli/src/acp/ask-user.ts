/** Asks the user the model's questions, and those of MCP servers, with a form of the client. */

import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import type { AskUser } from "@runahead/harness";

type Question = Parameters<AskUser>[0][number];
type Answers = Awaited<ReturnType<AskUser>>;
type Answer = Extract<Answers, { type: "answered" }>["answers"][number];
type Ask = (request: CreateElicitationRequest, signal: AbortSignal) => Promise<CreateElicitationResponse>;

/** `sessionId` is known only after the session was opened. */
export function askUserBy(ask: Ask, sessionId: () => string): AskUser {
  return async (questions, signal) => {
    const properties = Object.fromEntries(questions.map((question, at) => [nameOf(at), fieldOf(question)]));
    const request = {
      mode: "form",
      sessionId: sessionId(),
      message: questions.map(({ question }) => question).join("\n\n"),
      requestedSchema: { type: "object", properties },
    } as CreateElicitationRequest;
    const answer = await ask(request, signal);
    if (answer.action !== "accept") return { type: "declined", words: "" };
    const content = ("content" in answer ? answer.content : undefined) ?? {};
    return {
      type: "answered",
      answers: questions.map((question, at) =>
        answerOf(question, (content as Readonly<Record<string, unknown>>)[nameOf(at)]),
      ),
    };
  };
}

function nameOf(at: number): string {
  return `question_${at + 1}`;
}

function fieldOf({ question, header, options, multiSelect }: Question): object {
  const about = { title: header ?? question.slice(0, 60), description: question };
  if (options.length === 0) return { type: "string", ...about };
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: description === undefined ? label : `${label}: ${description}`,
  }));
  if (multiSelect === true) return { type: "array", ...about, items: { anyOf: choices } };
  return { type: "string", ...about, oneOf: choices };
}

function answerOf({ options }: Question, value: unknown): Answer {
  const labels = (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === "string" && one !== "",
  );
  if (labels.length === 0) return { type: "skipped" };
  const isOffered = labels.every((label) => options.some((option) => option.label === label));
  return isOffered ? { type: "chosen", labels } : { type: "said", text: labels.join(", ") };
}
