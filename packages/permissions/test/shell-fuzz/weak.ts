/** Judges with one weakness each: the fuzzer must find what comes of it, or it proves nothing. */

import { confinedJudge, productJudge, type Judge } from "./fuzz.ts";

/** As the product judges, but of a text from which something was taken. */
const without =
  (pattern: RegExp, put: string): Judge =>
  (command, rules) => {
    const text = command.replaceAll(pattern, put);
    return text.trim() !== "" && productJudge(text, rules);
  };

export const WEAK: Readonly<Record<string, Judge>> = {
  "ignores redirections": without(/(?:\d|&)?>[>|&]?\s*[\w./~$'"-]+/g, " "),
  "does not look into $(…)": without(/\$\([^()]*\)|`[^`]*`/g, "x"),
  "matches by prefix of the raw text": (command, { settings }) =>
    [...settings.allow, "Bash(ls:*)", "Bash(cat:*)", "Bash(echo:*)"].some((rule) => {
      const prefix = /^Bash\((.*?)(?::\*| \*)?\)$/.exec(rule)?.[1];
      return prefix !== undefined && command.startsWith(prefix);
    }),
  "looks at the first line only": (command, rules) => productJudge(command.split("\n")[0] as string, rules),
  "looks at what stands before the first operator only": (command, rules) =>
    productJudge(command.split(/[;&|\n]/)[0] as string, rules),
  "ignores variables before a command": without(/(?:^|(?<=[;&|(\s]))[A-Z_]+=\S*\s/g, ""),
  "does not look at arguments": (command, rules) =>
    productJudge(
      command.replaceAll(/(\b(?:git|sed|awk|find|sort|tar|cp|mv|rm|touch|cat)) [^;&|<>()\n`]*/g, "ls "),
      rules,
    ),
  "evaluates names in arithmetic": without(
    /\$\(\([^()]*\)\)|\$\[[^\]]*\]|\(\([^()]*\)\)|\[\[ [^\]]*-(?:eq|gt|lt) [^\]]*\]\]|\$\{PWD:[^}]*\}/g,
    "1",
  ),
  "decodes escapes otherwise than bash": without(/\\x\{[^}]*\}|\\\n|\\0/g, "x"),
  "lets git load the repository's configuration": (command, rules) =>
    command.startsWith("git ") && confinedJudge(command, rules),
  "takes the next word for an optional value": (command, rules) =>
    !confinedJudge(command, rules) &&
    confinedJudge(
      command.replaceAll(/(--(?:column|color|unified|stat|abbrev)|-n) ((?!--)[\w./]+)/g, "$1=$2"),
      rules,
    ),
  "does not expand patterns": (command, rules) =>
    productJudge(command.replaceAll(/(?:\bl|\bg|\[l\])[*?f][\w/]*|\*\/f\.txt|lk\/?\*?/g, "out"), rules),
  "lets folders be searched in spite of denies": (command, rules) =>
    productJudge(command, { ...rules, settings: { ...rules.settings, deny: [] } }) &&
    !/\b(?:rm|touch|curl|push)\b/.test(command),
  "does not look for denied names in what runs others": (command, rules) =>
    productJudge(command.replaceAll(/\b(?:rm|touch)\b/g, "ls"), rules),
  "lets a wildcard rule cover every argument": (command, rules) =>
    productJudge(command.replaceAll(/\b(git|tar|sed|awk|sort|find)\b[^;]*/g, "$1 --version"), rules) ||
    rules.settings.allow.some((rule) => command.startsWith(`${rule.slice(5, -3)} `)),
  "does not know of links": (command, rules) =>
    productJudge(command.replaceAll(/\.?\b(?:link|filelink|gitlink)\b/g, "out"), rules),
};
