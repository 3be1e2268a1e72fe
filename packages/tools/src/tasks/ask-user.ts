/** The AskUser tool: asks the user questions with suggested answers. */

import { unlessStopped } from "@runahead/base";
import { type CallContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { Refusal } from "../shared/refusal.ts";

const MOST_QUESTIONS = 4;
const MOST_OPTIONS = 8;
const TEXT_CHARS = 2_000;

const text = z.string().trim().min(1).max(TEXT_CHARS);

const questionSchema = z.object({
  /** The complete question. */
  question: text.describe("The complete question"),
  /** One or two words that name the question. */
  header: z.string().max(40).optional().describe("One or two words that name the question (default: none)"),
  /** Answers to choose from. */
  options: z
    .array(
      z.object({
        /** The answer itself; no other option of the question has the same. */
        label: text,
        /** What the answer means. Default: none. */
        description: z.string().max(TEXT_CHARS).optional(),
      }),
    )
    .max(MOST_OPTIONS)
    .refine((options) => new Set(options.map(({ label }) => label)).size === options.length, {
      message: "two options have the same label",
    })
    .describe("Answers to choose from; an empty array for a free-form question"),
  /** Whether several answers can be chosen. */
  multiSelect: z.boolean().optional().describe("Allow several answers (default false)"),
});

const inputSchema = z.object({
  questions: z.array(questionSchema).min(1).max(MOST_QUESTIONS).describe("The questions, in order"),
});

/** A question to the user, with answers to choose from. Questions of the model have only the members of the tool's input. */
export type UserQuestion = Readonly<z.infer<typeof questionSchema>> & {
  /** Whether only the options are answers. Default: false: the user can also answer in their own words. */
  readonly onlyOptions?: boolean;
  /** Whether it must be answered: without an answer, all questions are declined. Default: false. */
  readonly isRequired?: boolean;
  /** The answer that is filled in at first. Default: none. */
  readonly draft?: UserAnswer;
};

/** The answer to one question. `skipped`: the user gave none. */
export type UserAnswer =
  | {
      readonly type: "chosen";
      /** Labels of the chosen options. */
      readonly labels: readonly string[];
    }
  | {
      readonly type: "said";
      /** The answer in the user's own words. */
      readonly text: string;
    }
  | { readonly type: "skipped" };

/** The answers to all questions. `declined`: the user does not want to answer. */
export type UserAnswers =
  | {
      readonly type: "answered";
      /** One for each question, in their order. */
      readonly answers: readonly UserAnswer[];
    }
  | {
      readonly type: "declined";
      /** Why, in the user's own words; can be empty. */
      readonly words: string;
    };

/** Shows questions to the user and resolves with the answers. Must settle when the signal is aborted. */
export type AskUser = (
  questions: readonly UserQuestion[],
  signal: AbortSignal,
) => UserAnswers | Promise<UserAnswers>;

/** Output of the AskUser tool. */
export interface AskUserOutput {
  /** The questions. */
  readonly questions: readonly UserQuestion[];
  /** The user's answers. */
  readonly answers: UserAnswers;
}

/**
 * Makes AskUser, with which the model asks the user questions. Without `askPerson`, every call fails with an error that
 * says that nobody can answer.
 *
 * @example
 * ```ts
 * const ask = askUserTool(async ([question]) => ({
 *   type: "answered",
 *   answers: [{ type: "chosen", labels: [question?.options[0]?.label ?? ""] }],
 * }));
 * ```
 */
export function askUserTool(askPerson?: AskUser) {
  return defineTool({
    name: "AskUser",
    aliases: ["AskUserQuestion"],
    description: `Asks the user up to ${MOST_QUESTIONS} questions, each with answers to choose from, and waits for the reply. Ask only what you cannot find out yourself and what changes how you continue. The user can always answer in their own words.`,
    inputSchema,
    // A message that the user writes instead is an answer too.
    interruptBehavior: () => "cancel",
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ questions }) => `Ask: ${questions.map(({ question }) => question).join(" / ")}`,
    call: (input, context) => ask(input.questions, context, askPerson),
    toResult,
  });
}

async function ask(
  questions: readonly UserQuestion[],
  { signal }: CallContext,
  askPerson: AskUser | undefined,
): Promise<AskUserOutput> {
  if (askPerson === undefined)
    throw new Refusal(
      "Nobody can answer questions in this run. Choose the most sensible option yourself and say what you assumed.",
    );
  // A dialog that stays open must not block the end of the call.
  const answers = await unlessStopped(askPerson(questions, signal), signal);
  if (answers.type === "answered" && answers.answers.length !== questions.length)
    throw new TypeError(
      `askPerson returned ${answers.answers.length} answers to ${questions.length} questions.`,
    );
  const isEmpty = answers.type === "answered" && answers.answers.every(({ type }) => type === "skipped");
  return { questions, answers: isEmpty ? { type: "declined", words: "" } : answers };
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

function inWords(answer: UserAnswer | undefined): string {
  if (answer?.type === "said") return answer.text;
  return answer?.type === "chosen" && answer.labels.length > 0 ? answer.labels.join(", ") : "(no answer)";
}
