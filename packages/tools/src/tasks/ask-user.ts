/** AskUser: questions to the person, with answers to choose from. */

import { type CallContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { Refusal } from "../shared/refusal.ts";
import { unlessStopped } from "../shared/unless-stopped.ts";

const MOST_QUESTIONS = 4;
const MOST_OPTIONS = 8;
const TEXT_CHARS = 2_000;

const text = z.string().trim().min(1).max(TEXT_CHARS);

const questionSchema = z.object({
  question: text.describe("The complete question"),
  header: z.string().max(40).optional().describe("One or two words that name the question"),
  options: z
    .array(z.object({ label: text, description: z.string().max(TEXT_CHARS).optional() }))
    .max(MOST_OPTIONS)
    .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, {
      message: "two options have the same label",
    })
    .describe("Answers to choose from; can be empty"),
  multiSelect: z.boolean().optional().describe("Allow several answers (default false)"),
});

const inputSchema = z.object({ questions: z.array(questionSchema).min(1).max(MOST_QUESTIONS) });

export type PersonQuestion = Readonly<z.infer<typeof questionSchema>>;

export type PersonAnswer =
  | { readonly type: "chosen"; readonly labels: readonly string[] }
  /** In their own words. */
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "skipped" };

export type PersonAnswers =
  /** One for each question, in their order. */
  | { readonly type: "answered"; readonly answers: readonly PersonAnswer[] }
  /** They want none of it; perhaps with words. */
  | { readonly type: "declined"; readonly words: string };

/** Shows the questions to a person and waits for as long as they take; ends when the signal does. */
export type AskPerson = (
  questions: readonly PersonQuestion[],
  signal: AbortSignal,
) => PersonAnswers | Promise<PersonAnswers>;

export interface AskUserOutput {
  readonly questions: readonly PersonQuestion[];
  readonly answers: PersonAnswers;
}

/** Without somebody to ask, every call is refused. */
export function askUserTool(askPerson?: AskPerson) {
  return defineTool({
    name: "AskUser",
    aliases: ["AskUserQuestion"],
    description: `Asks the user up to ${MOST_QUESTIONS} questions, each with answers to choose from, and waits for the reply. Ask only what you cannot find out yourself and what changes how you continue. The user can always answer in their own words.`,
    inputSchema,
    // A message that they write instead is an answer too.
    interruptBehavior: () => "cancel",
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ questions }) => `Ask: ${questions.map(({ question }) => question).join(" / ")}`,
    call: (input, context) => ask(input.questions, context, askPerson),
    toResult,
  });
}

async function ask(
  questions: readonly PersonQuestion[],
  { signal }: CallContext,
  askPerson: AskPerson | undefined,
): Promise<AskUserOutput> {
  if (askPerson === undefined)
    throw new Refusal(
      "Nobody can answer questions in this run. Choose the most sensible option yourself and say what you assumed.",
    );
  // A dialog that stays open must not keep the call from ending.
  const answers = await unlessStopped(askPerson(questions, signal), signal);
  if (answers.type === "answered" && answers.answers.length !== questions.length)
    throw new TypeError(`askPerson gave ${answers.answers.length} answers to ${questions.length} questions.`);
  return { questions, answers };
}

function toResult({ questions, answers }: AskUserOutput): string {
  if (answers.type === "declined") {
    const words = answers.words.trim();
    return words === ""
      ? "The user declined to answer."
      : `The user did not choose an answer, but said: ${words}`;
  }
  const lines = questions.map(({ question }, at) => `${question}\n→ ${inWords(answers.answers[at])}`);
  return `The user answered:\n\n${lines.join("\n\n")}`;
}

function inWords(answer: PersonAnswer | undefined): string {
  if (answer?.type === "said") return answer.text;
  return answer?.type === "chosen" && answer.labels.length > 0 ? answer.labels.join(", ") : "(no answer)";
}
