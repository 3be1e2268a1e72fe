/** Judges with one weakness each: the fuzzer must find what comes of it, or it proves nothing. */

import { productJudge, type Judge } from "./fuzz.ts";

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
  "does not know of links": (command, rules) =>
    productJudge(command.replaceAll(/\.?\b(?:link|filelink|gitlink)\b/g, "out"), rules),
};
