/**
 * Commands that a rule could cover because one of their words is unknown until they run: `git $X` could be `git push`.
 */

import { subcommandAt } from "../bash/git-content.ts";
import { baseName } from "../bash/inner.ts";
import type { ShellCommand, ShellWord } from "../bash/script.ts";
import type { RuleBook } from "./judge.ts";
import type { Rule } from "../rules/rule.ts";

const MAX_OPTIONS = 8;

/** Returns the first rule that restricts a command this one could turn out to be. */
export function mayBeRestricted(
  commands: readonly ShellCommand[],
  { deny, ask, ordered }: RuleBook,
): Rule | undefined {
  const unknown = commands.filter(({ words }) => words.some(({ type }) => type === "dynamic"));
  if (unknown.length === 0) return undefined;
  return [...deny, ...ask, ...ordered].find(
    (rule) => rule.action !== "allow" && unknown.some(({ words }) => mayMean(rule, words)),
  );
}

function mayMean(rule: Rule, [first, ...rest]: readonly ShellWord[]): boolean {
  if (rule.type !== "command" || first === undefined) return false;
  const [name, ...more] = rule.pattern.start.split(" ").filter((word) => word !== "");
  if (name === undefined || more.length === 0 || baseName(first.value) !== baseName(name)) return false;
  return startsOf(baseName(name), rest).some((words) => mayBegin(words, more));
}

/** Where the arguments that a rule names can begin: after the options and the values that these can take. */
function startsOf(name: string, words: readonly ShellWord[]): (readonly ShellWord[])[] {
  if (name === "git") return [words.slice(subcommandAt(words))];
  const starts = [words];
  for (let at = 1; at <= Math.min(MAX_OPTIONS, words.length); at++) {
    const isOption = [words[at - 1], words[at - 2]].some((word) => word?.value.startsWith("-") === true);
    if (!isOption) break;
    starts.push(words.slice(at));
  }
  return starts;
}

/** Whether these words could be the words of a rule, at least one of them being unknown. */
function mayBegin(words: readonly ShellWord[], wanted: readonly string[]): boolean {
  let isUnknown = false;
  for (const [at, text] of wanted.entries()) {
    const word = words[at];
    if (word === undefined) return false;
    if (word.type !== "dynamic") {
      if (word.value === text || (at === wanted.length - 1 && word.value.startsWith(text))) continue;
      return false;
    }
    if (!text.startsWith(knownStart(word).slice(0, text.length))) return false;
    if (word.splits) return true;
    isUnknown = true;
  }
  return isUnknown;
}

/** The text before the first expansion. */
function knownStart({ value }: ShellWord): string {
  const plain = value.replaceAll(/["'\\]/g, "");
  const at = plain.search(/[$`]/);
  return at < 0 ? "" : plain.slice(0, at);
}
