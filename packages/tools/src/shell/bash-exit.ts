/** Recognises exit codes that are an answer rather than a failure, by the last command of a command line. */

import type { AndOr, Command, PipelineNode } from "unbash";
import { parseShell } from "@runahead/permissions";

type ShellNode = AndOr | PipelineNode;

const NO_MATCH = "no matches";
const DIFFERENT = "the inputs differ";
const FALSE = "the condition is false";
const NOT_FOUND = "not found";

const ANSWERS = new Map<string, string>([
  ...["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "pgrep", "pidof"].map(
    (name) => [name, NO_MATCH] as const,
  ),
  ...["diff", "cmp", "colordiff", "sdiff"].map((name) => [name, DIFFERENT] as const),
  ...["test", "["].map((name) => [name, FALSE] as const),
  ...["which", "type"].map((name) => [name, NOT_FOUND] as const),
  ["find", "some places could not be searched"],
]);

/** With these in a command line it is unclear which command the exit code comes from. */
const UNCLEAR = /\bset\s+-\w*e|errexit|pipefail|\bexit\b|\btrap\b/;

/** Says what exit code 1 means; undefined if the code is a failure. */
export function answerOf(command: string, code: number, output: string): string | undefined {
  if (code !== 1 || UNCLEAR.test(command)) return undefined;
  const parsed = parseShell(command);
  if (parsed.type === "unreadable") return undefined;
  const last = parsed.script.commands.at(-1)?.command;
  return last === undefined ? undefined : answerIn(last, output);
}

function answerIn(node: ShellNode, output: string): string | undefined {
  switch (node.type) {
    case "AndOr":
      return isAfterMoves(node.commands, node.operators, output)
        ? answerIn(node.commands.at(-1) as ShellNode, output)
        : undefined;
    case "Pipeline":
      return node.prefixes.some(({ type }) => type === "Negation")
        ? undefined
        : answerIn(node.commands.at(-1) as ShellNode, output);
    case "TestCommand":
      return FALSE;
    case "Command":
      return answerBy(node);
    default:
      return undefined;
  }
}

/** For `cd … && grep …`: a failed `cd` would have printed an error. */
function isAfterMoves(nodes: readonly ShellNode[], operators: readonly string[], output: string): boolean {
  const before = nodes.slice(0, -1);
  const isMove = (node: ShellNode): boolean => node.type === "Command" && node.name?.value === "cd";
  return operators.every((operator) => operator === "&&") && before.every(isMove) && !output.includes("cd: ");
}

function answerBy({ name, args }: Command): string | undefined {
  const [first] = args.flatMap((word) => (word.type === "Word" ? [word.value] : []));
  if (name?.value === "git")
    return gitAnswer(
      first,
      args.map(({ text }) => text),
    );
  if (name?.value === "command") return first === "-v" || first === "-V" ? NOT_FOUND : undefined;
  return name === undefined ? undefined : ANSWERS.get(name.value.slice(name.value.lastIndexOf("/") + 1));
}

function gitAnswer(first: string | undefined, words: readonly string[]): string | undefined {
  if (first === "grep") return NO_MATCH;
  const compares = words.some((word) => ["--no-index", "--exit-code", "--quiet"].includes(word));
  return first === "diff" && compares ? DIFFERENT : undefined;
}
