/** The model's own questions as viewers see them, and what their answers mean. */

import type { AskUser } from "@runahead/harness";
import { reveal } from "../safe-text.ts";
import type { LiveAnswer, LiveQuestion } from "./protocol.ts";

type Questions = Parameters<AskUser>[0];
type Answers = Awaited<ReturnType<AskUser>>;
type Answer = Extract<Answers, { type: "answered" }>["answers"][number];

export function liveAsked(callId: string, questions: Questions): LiveQuestion {
  return {
    callId,
    toolName: "AskUser",
    description: questions.map(({ question }) => reveal(question)).join(" / "),
    reason: "",
    input: "",
    shown: "",
    plan: undefined,
    choices: [],
    asked: questions.map(({ question, header = "", options, multiSelect = false }) => ({
      question: reveal(question),
      header: reveal(header),
      options: options.map(({ label, description = "" }) => ({
        label: reveal(label),
        description: reveal(description),
      })),
      isSeveral: multiSelect,
    })),
  };
}

/** Undefined if the answer does not fit the questions. */
export function answersOf(given: LiveAnswer, questions: Questions): Answers | undefined {
  if (given.type === "no") return { type: "declined", words: given.comment.trim() };
  if (given.type !== "answers" || given.answers.length !== questions.length) return undefined;
  const answers: Answer[] = [];
  for (const [at, question] of questions.entries()) {
    const answer = answerOf(given.answers[at] ?? { options: [], text: "" }, question);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  if (answers.some(({ type }, at) => type === "skipped" && questions[at]?.isRequired === true))
    return undefined;
  return { type: "answered", answers };
}

type Given = Extract<LiveAnswer, { type: "answers" }>["answers"][number];

/** Text replaces the options, as in the terminal. */
function answerOf({ options, text }: Given, question: Questions[number]): Answer | undefined {
  const isClosed = question.onlyOptions === true && question.options.length > 0;
  if (text.trim() !== "") return isClosed ? undefined : { type: "said", text: text.trim() };
  const labels = [...new Set(options)]
    .toSorted((one, other) => one - other)
    .map((at) => question.options[at]?.label);
  const known = labels.filter((label) => label !== undefined);
  if (known.length !== labels.length || (known.length > 1 && question.multiSelect !== true)) return undefined;
  return known.length === 0 ? { type: "skipped" } : { type: "chosen", labels: known };
}
