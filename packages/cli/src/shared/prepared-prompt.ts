/** Expands `/name` and attaches `@file` in a prompt that a program sends. */

import type { CodingAgent, Prompt } from "@runahead/harness";
import { hasMentions, withMentions } from "./mentions.ts";

export interface Given {
  readonly prompt: Prompt;
  /** The part that the user wrote, if other text follows it. */
  readonly said?: string;
}

interface Ports {
  readonly signal: AbortSignal;
  readonly onNotice: (message: string) => void;
}

/** Text after the user's own part comes from another program, so it names neither commands nor files. */
export async function preparedPrompt(
  made: CodingAgent,
  given: Given,
  { signal, onNotice }: Ports,
): Promise<Given> {
  const { prompt, said } = given;
  if (typeof prompt !== "string") return given;
  const typed = said ?? prompt;
  const rest = prompt.slice(typed.length);
  const expanded = typed.startsWith("/") ? await made.prompts.expand(typed, signal) : undefined;
  if (expanded !== undefined && !expanded.file.isForked) await made.prompts.begin(expanded.file);
  const text = `${expanded?.text ?? typed}${rest}`;
  const { cwd } = made.settings;
  const decide = (path: string) => made.gate.permissions.decide("Read", { file_path: path }, cwd);
  const own = expanded?.text ?? typed;
  if (!hasMentions(own))
    return { prompt: text, ...(text === prompt && said === undefined ? {} : { said: typed }) };
  const attached = await withMentions(own, { cwd, decide, onNotice });
  if (typeof attached === "string") return { prompt: text, said: typed };
  const [, ...files] = attached;
  return { prompt: [{ type: "text", text }, ...files], said: typed };
}
