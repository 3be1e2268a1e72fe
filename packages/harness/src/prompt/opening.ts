/** The message before the first prompt: the state of the repository and the instructions. */

import type { Instruction } from "../instructions/instructions.ts";
import type { GitState } from "./git-state.ts";

const BINDING =
  "Project instructions follow. They are binding: follow them exactly, they override the defaults. Where two disagree, the later one wins.";

/** The first line of the opening, by which it is found in a resumed or summarised conversation. */
export const OPENING = "Context at the start of this conversation.";

/** Returns undefined if there is nothing to say. */
export function openingText(git: GitState | undefined, files: readonly Instruction[]): string | undefined {
  const parts = [...(git === undefined ? [] : [gitText(git)]), ...instructionParts(files)];
  return parts.length === 0 ? undefined : [OPENING, ...parts].join("\n\n");
}

function gitText({ status, commits }: GitState): string {
  const last = commits.length === 0 ? "No commits yet." : `Last commits:\n${commits.join("\n")}`;
  return `Git status now (it is not updated later):\n${status}\n\n${last}`;
}

function instructionParts(files: readonly Instruction[]): string[] {
  return files.length === 0 ? [] : [BINDING, ...files.map(instructionText)];
}

/** Returns one file with a heading that says where it comes from. */
export function instructionText({ path, text, scope }: Instruction): string {
  const whose = scope === "user" ? "The user's own instructions" : "Project instructions";
  return `${whose} from ${path}:\n${text.trim()}`;
}
