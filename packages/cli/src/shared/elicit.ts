/** Asks the user for what an MCP server wants to know: first whether to answer at all, then one question for each field. */

import type { AskUser, HostParts } from "@runahead/harness";
import {
  type Answer,
  type Field,
  type Question,
  fieldsOf,
  isMembers,
  questionOf,
  readAnswer,
  text,
  titleOf,
} from "./form-field.ts";

type Elicit = NonNullable<HostParts["elicit"]>;
type Result = Awaited<ReturnType<Elicit>>;

/** Opens a page that a server wants the user to visit. */
export interface Pages {
  readonly canOpen: boolean;
  readonly open: (url: string) => void;
}

const ACCEPT = "Answer";
const DECLINE = "Decline";
const OPEN = "Open in the browser";
const OPENED = "I have opened it";

/**
 * Declining is an answer to the server. Esc, the end of the turn and a required field without an answer cancel the
 * request. Invalid answers are asked for again.
 */
export function elicitBy(askUser: AskUser, pages?: () => Pages): Elicit {
  return async (params, signal, server) => {
    const { message, mode, url, requestedSchema } = isMembers(params) ? params : {};
    const words = `The MCP server ${server} asks: ${text(message)}`;
    const ask = (question: Question): Promise<Answer | undefined> => one(askUser, question, signal);
    if (mode === "url") return visit(ask, { words, url: text(url), server }, pages?.());
    const fields = fieldsOf(requestedSchema);
    const names = fields.map(titleOf).join(", ");
    const wanted = names === "" ? "" : `\nIt wants to know: ${names}`;
    const labels = [names === "" ? "Accept" : ACCEPT, DECLINE];
    const consent = await ask(closed(`${words}${wanted}`, server, labels));
    if (labelOf(consent) === DECLINE) return { action: "decline" };
    if (labelOf(consent) === undefined) return { action: "cancel" };
    return fields.length === 0
      ? { action: "accept", content: {} }
      : filledIn({ fields, server, askUser, signal });
  };
}

interface Form {
  readonly fields: readonly Field[];
  readonly server: string;
  readonly askUser: AskUser;
  readonly signal: AbortSignal;
}

/** Asks again for the fields with invalid answers, until all are valid. */
async function filledIn({ fields, server, askUser, signal }: Form): Promise<Result> {
  const content: Record<string, unknown> = {};
  let open: readonly (readonly [Field, Question])[] = fields.map((field) => [
    field,
    questionOf(field, server),
  ]);
  while (open.length > 0) {
    const given = await askUser(
      open.map(([, question]) => question),
      signal,
    );
    if (given.type === "declined") return { action: "cancel" };
    const again: (readonly [Field, Question])[] = [];
    for (const [at, [field]] of open.entries()) {
      const answer = given.answers[at];
      const read = readAnswer(field, answer);
      if (read.type === "value") content[field.name] = read.value;
      else if (read.type === "none" && field.isRequired) return { action: "cancel" };
      else if (read.type === "invalid" && answer !== undefined)
        again.push([field, questionOf(field, server, { answer, why: read.why })]);
    }
    open = again;
  }
  return { action: "accept", content };
}

interface Visit {
  readonly words: string;
  readonly url: string;
  readonly server: string;
}

/** The server gets no data: what the user enters on the page stays between the user and the page. */
async function visit(
  ask: (question: Question) => Promise<Answer | undefined>,
  { words, url, server }: Visit,
  pages: Pages | undefined,
): Promise<Result> {
  const canOpen = pages?.canOpen === true && /^https?:\/\//i.test(url);
  const label = canOpen ? OPEN : OPENED;
  const answer = await ask(closed(`${words}\nOpen this page: ${url}`, server, [label, DECLINE]));
  if (labelOf(answer) === DECLINE) return { action: "decline" };
  if (labelOf(answer) !== label) return { action: "cancel" };
  if (canOpen) pages.open(url);
  return { action: "accept" };
}

function closed(question: string, server: string, labels: readonly string[]): Question {
  return {
    question,
    header: `MCP server ${server}`,
    options: labels.map((label) => ({ label })),
    onlyOptions: true,
    isRequired: true,
  };
}

async function one(askUser: AskUser, question: Question, signal: AbortSignal): Promise<Answer | undefined> {
  const given = await askUser([question], signal);
  return given.type === "answered" ? given.answers[0] : undefined;
}

function labelOf(answer: Answer | undefined): string | undefined {
  return answer?.type === "chosen" ? answer.labels[0] : undefined;
}
