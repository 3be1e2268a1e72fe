/** Questions as lines of text, and what a typed line answers. */

import type { AskUser, PersonAnswer, PersonQuestion } from "@runahead/harness";
import { reveal, strip } from "../../shared/safe-text.ts";
import { relativePaths } from "../../shared/words.ts";
import { Dialog } from "../panels/dialog.ts";
import type { Choosing } from "../panels/chooser.ts";

type Questions = Parameters<AskUser>[0];
type UserQuestion = Questions[number];
export type UserAnswer = Extract<Awaited<ReturnType<AskUser>>, { type: "answered" }>["answers"][number];

/** Everything is printed, however long it is. */
const ALL_ROWS = 1_000_000;

/** The question with the whole input and the answers, one per line. */
export function permissionLines(question: PersonQuestion, folder: string, width: number): string[] {
  const dialog = new Dialog(question, { place: 1, answer: () => {}, folder });
  const all = dialog.render(width, ALL_ROWS).map(strip);
  const first = all.findIndex((line) => line === "y allow once");
  const rules = question.choices.flatMap(({ label, rules: allowed, scopes }, at) => {
    const words = `${reveal(label)}: ${allowed.map((rule) => reveal(rule)).join(", ")}`;
    const letters = [
      ...(scopes.includes("session") ? [`s${at + 1}`] : []),
      ...(scopes.includes("always") ? [`a${at + 1}`] : []),
    ];
    return letters.map(
      (letter) => `${letter}  ${letter.startsWith("s") ? "for this session" : "always"}: ${words}`,
    );
  });
  return [
    ...all.slice(0, first).map((line) => relativePaths(line, folder)),
    "y   allow once",
    ...rules,
    "n   reject and end the turn",
    "n followed by text: reject and say what to do instead",
    "Type your answer and press Enter:",
  ];
}

/** Undefined if the line is not an answer. */
export function permissionAnswer(line: string, { choices }: PersonQuestion): PersonAnswer | undefined {
  const typed = line.trim();
  if (typed === "y" || typed === "yes") return { type: "once" };
  if (typed === "n" || typed === "no") return { type: "no" };
  const message = /^n\s+(\S.*)$/s.exec(typed)?.[1];
  if (message !== undefined) return { type: "no", message };
  const [, letter, digits = "1"] = /^([sa])(\d*)$/.exec(typed) ?? [];
  if (letter === undefined) return undefined;
  const choice = choices[Number(digits === "" ? 1 : digits) - 1];
  const type = letter === "s" ? "session" : "always";
  return choice?.scopes.includes(type) === true ? { type, rules: choice.rules } : undefined;
}

export function choiceLines({ title, lines = [], choices }: Choosing): string[] {
  const listed = choices.map(({ label, description = "" }, at) =>
    strip(`${at + 1}  ${label}${description === "" ? "" : ` (${description})`}`),
  );
  return [title, ...lines.map(strip), ...listed, "Type a number and press Enter; 0 cancels:"];
}

/** The value of the chosen item, null for none, and undefined if the line is not an answer. */
export function choiceAnswer(line: string, { choices }: Choosing): string | null | undefined {
  if (!/^\d+$/.test(line.trim())) return undefined;
  const number = Number(line.trim());
  return number === 0 ? null : choices[number - 1]?.value;
}

export function userLines({
  question,
  options,
  multiSelect,
  onlyOptions,
  isRequired,
}: UserQuestion): string[] {
  const listed = options.map(({ label, description = "" }, at) =>
    strip(`${at + 1}  ${label}${description === "" ? "" : `: ${description}`}`),
  );
  const number = multiSelect === true ? "numbers, such as 1,3," : "a number";
  const how =
    options.length === 0 ? "your answer" : onlyOptions === true ? number : `${number} or your own answer`;
  const empty = isRequired === true ? "cancels" : "skips";
  return [strip(question), ...listed, `Type ${how} and press Enter; an empty line ${empty}:`];
}

export function userAnswer(
  line: string,
  { options, multiSelect, onlyOptions }: UserQuestion,
): UserAnswer | undefined {
  const typed = line.trim();
  if (typed === "") return { type: "skipped" };
  const isNumbers = options.length > 0 && /^\d+(?:\s*,\s*\d+)*$/.test(typed);
  if (!isNumbers) {
    const label = options.find((option) => option.label.toLowerCase() === typed.toLowerCase())?.label;
    if (onlyOptions === true && options.length > 0)
      return label === undefined ? undefined : { type: "chosen", labels: [label] };
    return { type: "said", text: typed };
  }
  const labels = typed.split(",").map((number) => options[Number(number) - 1]?.label);
  const isValid =
    labels.every((label) => label !== undefined) && (labels.length === 1 || multiSelect === true);
  return isValid ? { type: "chosen", labels } : undefined;
}
