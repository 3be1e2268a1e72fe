/** What "always" saves: the narrowest rules that are of use, one for each command, each proved to allow the call. */

import type { ShellCommand, ShellWord } from "../shell/script.ts";
import { isSharp } from "../shell/sharp.ts";
import { readCall } from "./bash.ts";
import { escapeBash } from "./bash-pattern.ts";
import { isFree, pathsOf } from "./command-files.ts";
import { allowForms } from "./command-text.ts";
import { hostOf } from "./domain.ts";
import { pathOfCall, printable } from "./file-tools.ts";
import { escapePath } from "./gitignore.ts";
import type { Judge } from "./judge.ts";
import { facesOf, readPath } from "./paths.ts";
import { permitCommand } from "./permit.ts";
import { shapeOf } from "../system/shape.ts";
import { canonicalTool, EDITORS, READERS } from "./tools.ts";
import type { Verdict } from "./verdict.ts";

const MAX_RULES = 5;
/** What is longer is not shown as a whole, and nobody says "always" to what they have not seen. */
const MAX_SHOWN_CHARS = 2_000;
const MAX_RULE_CHARS = 300;
const PLAIN = /^[\w@%+=:,./-]+$/;

/** How many words say what is done, where the rest is detail; all other commands are saved as they are. */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^git (?:add|commit|checkout|switch|restore|fetch|pull|stash|merge|branch|tag|cherry-pick|revert) /, 2],
  [/^(?:npm|pnpm|yarn|bun) run [\w:.-]+ /, 3],
  [/^(?:npm|pnpm|yarn|bun) (?:test|t) /, 2],
  [/^(?:cargo|go) (?:build|test|check|clippy|fmt|vet|bench|doc) /, 2],
  [/^(?:npx|pnpm|yarn|bunx) (?:eslint|prettier|tsc|vitest|jest|biome|oxlint) /, 2],
  [/^python3? -m (?:pytest|mypy|ruff|black|unittest) /, 3],
  [/^ruff (?:check|format) /, 2],
  [/^make [a-z][\w-]* /, 2],
  [/^(?:pytest|eslint|tsc|vitest|jest|mypy|prettier) /, 1],
];

export interface SuggestContext {
  readonly judge: Judge;
  /** The verdict on the same call if these were allowed, too. */
  readonly decideWith: (rules: readonly string[]) => Verdict;
}

export function suggestRules(
  toolName: string,
  input: unknown,
  { judge, decideWith }: SuggestContext,
): string[] {
  if (decideWith([]).behavior === "allow") return [];
  let rules = [...new Set(candidates(canonicalTool(toolName), input, judge))];
  const isEnough = (some: readonly string[]): boolean => decideWith(some).behavior === "allow";
  if (rules.length > 2 * MAX_RULES || !isEnough(rules)) return [];
  for (const rule of rules) {
    const others = rules.filter((other) => other !== rule);
    if (isEnough(others)) rules = others;
  }
  return rules.length <= MAX_RULES && rules.every(isShown) ? rules : [];
}

function isShown(rule: string): boolean {
  return (
    rule.length <= MAX_RULE_CHARS &&
    printable(rule.slice(0, 200)) === rule.slice(0, 200) &&
    !/\p{Cc}/u.test(rule)
  );
}

function candidates(tool: string, input: unknown, judge: Judge): string[] {
  const fields = shapeOf(input);
  if (tool === "Bash")
    return typeof fields["command"] === "string" ? forCommand(fields["command"], input, judge) : [];
  if (EDITORS.has(tool) || READERS.has(tool)) return forFile(tool, input, judge);
  if (tool === "WebFetch") {
    const host = hostOf(fields["url"]);
    return host === undefined ? [] : [`WebFetch(domain:${host})`];
  }
  const agent = fields["subagent_type"];
  if (tool === "Agent") return typeof agent === "string" && PLAIN.test(agent) ? [`Agent(${agent})`] : [];
  return /^[A-Za-z][\w.-]*$/.test(tool) ? [tool] : [];
}

function forFile(tool: string, input: unknown, { workspace }: Judge): string[] {
  const text = pathOfCall(tool, input, workspace.cwd);
  const file = text === undefined ? undefined : readPath(text, workspace);
  if (file?.type !== "path") return [];
  return facesOf(file.path, workspace).map((face) => fileRule(EDITORS.has(tool) ? "Edit" : "Read", face));
}

function fileRule(kind: "Edit" | "Read", path: string): string {
  return `${kind}(/${escapePath(path)})`;
}

function forCommand(text: string, input: unknown, judge: Judge): string[] {
  if (text.length > MAX_SHOWN_CHARS) return [];
  const { script, seen } = readCall(text, input, judge);
  if (script.isUnreadable || script.doubts.length > 0) return [];
  return seen
    .filter(({ command }) => !command.isInner)
    .flatMap((one) => {
      const alone = { ...one, command: { ...one.command, redirects: [] } };
      const isNeeded = permitCommand(alone, judge, "strict").type === "none";
      return [...(isNeeded ? commandRule(one.command) : []), ...redirectRules(one.command, judge)];
    });
}

function commandRule(command: ShellCommand): string[] {
  const form = allowForms(command).at(-1);
  if (form === undefined || command.words.length === 0) return [];
  const raw = form.words.map((word) => word.raw).join(" ");
  if (form.isAssigned) {
    const before = command.assignments.map((assignment) => assignment.raw);
    return [`Bash(${escapeBash([...before, ...command.words.map((word) => word.raw)].join(" "))})`];
  }
  const words = isSharp(form.words) ? undefined : FAMILIES.find(([family]) => family.test(`${raw} `))?.[1];
  if (words === undefined || !isPlain(form.words.slice(0, words))) return [`Bash(${escapeBash(raw)})`];
  return [`Bash(${raw.split(" ").slice(0, words).join(" ")}:*)`];
}

function isPlain(words: readonly ShellWord[]): boolean {
  return words.every(({ raw, type }) => type === "static" && PLAIN.test(raw));
}

function redirectRules({ redirects, folders }: ShellCommand, { workspace }: Judge): string[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === "descriptor" || isFree(redirect.target) || redirect.target.type !== "static")
      return [];
    const kinds =
      redirect.mode === "both"
        ? (["Read", "Edit"] as const)
        : ([redirect.mode === "read" ? "Read" : "Edit"] as const);
    return pathsOf(redirect.target, folders, workspace).flatMap((path) =>
      kinds.map((kind) => fileRule(kind, path)),
    );
  });
}
