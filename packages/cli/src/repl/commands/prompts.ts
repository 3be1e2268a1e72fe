/** `/init` and `/review`: prompts of the program itself. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CommandPorts, Ending } from "./ports.ts";

/** Asks the model to write the instruction file of the project. */
export function init({ made }: CommandPorts, words: string): Ending {
  const { root } = made().settings;
  const path = join(root, "AGENTS.md");
  const isThere = existsSync(path);
  const others = ["CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md", "README.md"].filter(
    (name) => existsSync(join(root, name)),
  );
  const text = [
    isThere
      ? `Improve ${path}, the instruction file that coding agents read at the start of every session in this project. Keep what is right, correct what is not, and add what is missing.`
      : `Write ${path}, the instruction file that coding agents read at the start of every session in this project.`,
    "Read the project first: its manifest and build files, its CI, its tests and the main folders." +
      (others.length === 0 ? "" : ` Use what is already written in ${others.join(", ")}.`),
    "The file has, in this order: what the project is, in one or two sentences; the commands to install, build, run, lint and test it, also for a single test; how the code is organised, as far as it takes several files to see it; the rules and conventions that the code really follows.",
    "Keep it under 60 lines. Leave out what every engineer knows, what a look at the folder shows, and anything that you did not see in the project. Verify each command that only reads or tests by running it.",
    ...(words === "" ? [] : [`The user adds: ${words}`]),
  ].join("\n\n");
  return { type: "prompt", text, isOwn: true };
}

/** Asks the model to review changes: those of the working tree, a branch or a pull request. */
export function review(_ports: CommandPorts, words: string): Ending {
  const isNumber = /^#?\d+$/.test(words);
  const what =
    words === ""
      ? "the changes of the working tree: `git diff HEAD` and untracked files. If there are none, review the commits of this branch that the default branch does not have"
      : isNumber
        ? `pull request ${words.replace("#", "")}, which \`gh pr view\` and \`gh pr diff\` show`
        : `this: ${words}`;
  const text = [
    `Review ${what}. Change nothing.`,
    "Read the code around each change, not only the diff. Look for bugs first: wrong results, missing cases, races, resources that are not released, security holes, broken callers. Then for missing tests and for what makes the code harder to read. Leave out matters of taste.",
    "Report each finding with the file and line, what goes wrong and in which case, and how to fix it, the most serious first. Say what you checked by running it and what you only read. If you find nothing, say so.",
  ].join("\n\n");
  return { type: "prompt", text, isOwn: true };
}
