/** Asks the user the model's questions with permission requests, for a client that has no forms. */

import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AskUser } from "@runahead/harness";
import { reveal } from "../shared/safe-text.ts";
import { textContent } from "./call.ts";
import type { Request } from "./permission.ts";

type Question = Parameters<AskUser>[0][number];
type Answer = Extract<Awaited<ReturnType<AskUser>>, { type: "answered" }>["answers"][number];

const SKIP = "skip";
const DONE = "done";
const NO_TEXT = "The editor can show only choices. Ask again with options, or ask in your answer.";

/** One request for each question; for one with several answers, one for each answer. */
export function askUserByPermission(request: Request): AskUser {
  let last = 0;
  const choose: Choose = async (question, options, signal) => {
    const toolCall = {
      toolCallId: `question-${++last}`,
      title: reveal(question.question),
      kind: "other" as const,
      status: "pending" as const,
      content: question.options.map(({ label, description }) =>
        textContent(reveal(description === undefined ? label : `${label}: ${description}`)),
      ),
    };
    return chosenIn(await request({ toolCall, options: [...options] }, signal));
  };
  return async (questions, signal) => {
    if (questions.every(({ options }) => options.length === 0)) return { type: "declined", words: NO_TEXT };
    const answers: Answer[] = [];
    for (const question of questions) {
      const labels = await labelsOf(question, choose, signal);
      if (labels === undefined) return { type: "declined", words: "" };
      answers.push(labels.length === 0 ? { type: "skipped" } : { type: "chosen", labels });
    }
    return { type: "answered", answers };
  };
}

type Choose = (
  question: Question,
  options: readonly PermissionOption[],
  signal: AbortSignal,
) => Promise<string | undefined>;

/** Undefined if the user cancelled; empty if the user skipped the question. */
async function labelsOf(
  question: Question,
  choose: Choose,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (question.options.length === 0) return [];
  const labels: string[] = [];
  do {
    const left = question.options.filter(({ label }) => !labels.includes(label));
    const options: PermissionOption[] = [
      ...left.map(
        ({ label }): PermissionOption => ({
          optionId: `option-${question.options.findIndex((one) => one.label === label) + 1}`,
          kind: "allow_once",
          name: reveal(label),
        }),
      ),
      labels.length === 0
        ? { optionId: SKIP, kind: "reject_once", name: "Skip this question" }
        : { optionId: DONE, kind: "reject_once", name: "No more answers" },
    ];
    const chosen = await choose(question, options, signal);
    if (chosen === undefined) return undefined;
    const [, at] = /^option-(\d+)$/.exec(chosen) ?? [];
    const label = question.options[Number(at) - 1]?.label;
    if (label === undefined) return labels;
    labels.push(label);
  } while (question.multiSelect === true && labels.length < question.options.length);
  return labels;
}

function chosenIn({ outcome }: RequestPermissionResponse): string | undefined {
  return outcome.outcome === "selected" ? outcome.optionId : undefined;
}
