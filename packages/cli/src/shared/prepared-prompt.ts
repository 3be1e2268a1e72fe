/** Expands `/name`, and attaches `@file` and `@server:uri`, in a prompt that a program sends. */

import { existsSync } from "node:fs";
import { type CodingAgent, type Prompt, UsageError } from "@runahead/harness";
import { wordsOf } from "./failure.ts";
import { filledPrompt, isMcpPrompt, withResources } from "./mcp-text.ts";
import { hasMentions, withMentions } from "./mentions.ts";
import { nearest } from "./words.ts";

export interface Given {
  readonly prompt: Prompt;
  /** The part that the user wrote, if other text follows it. */
  readonly said?: string;
  /** The snapshot of the files before the prompt. */
  readonly snapshot?: string;
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
  const asking = { made, signal, onNotice };
  if (isMcpPrompt(prompt)) {
    const filled = await filledPrompt(prompt, asking).catch((error: unknown) => {
      throw new UsageError(wordsOf(error));
    });
    return { ...given, prompt: await withResources(filled, asking), said: said ?? prompt };
  }
  const own = await expandedPrompt(made, given, { signal, onNotice });
  const blocks = await withResources(said ?? prompt, asking);
  return typeof blocks === "string" ? own : { ...own, prompt: joined(own.prompt, blocks.slice(1)) };
}

type Blocks = Exclude<Prompt, string>;

function joined(prompt: Prompt, blocks: Blocks): Prompt {
  return [...(typeof prompt === "string" ? [{ type: "text", text: prompt } as const] : prompt), ...blocks];
}

/** A name that is not a path is meant as a command. */
async function noteUnknown(
  { prompts }: CodingAgent,
  typed: string,
  onNotice: (message: string) => void,
): Promise<void> {
  const [, name] = /^\/([\w:-]+)(?:\s|$)/.exec(typed) ?? [];
  if (name === undefined || existsSync(`/${name}`)) return;
  const files = await prompts.files();
  const known = files.filter(({ isForUser }) => isForUser).map((file) => file.name);
  const near = nearest(name, known);
  const hint = near === undefined ? "" : ` Did you mean /${near}?`;
  onNotice(`No command or skill is named /${name}, so the prompt is sent as it is.${hint}`);
}

async function expandedPrompt(
  made: CodingAgent,
  { prompt, said, ...others }: Given,
  { signal, onNotice }: Ports,
): Promise<Given> {
  if (typeof prompt !== "string") return { prompt, ...others };
  const typed = said ?? prompt;
  const rest = prompt.slice(typed.length);
  const expanded = typed.startsWith("/") ? await made.prompts.expand(typed, signal) : undefined;
  if (expanded !== undefined && !expanded.file.isForked) await made.prompts.begin(expanded.file);
  if (expanded === undefined) await noteUnknown(made, typed, onNotice);
  const text = `${expanded?.text ?? typed}${rest}`;
  const { cwd } = made.settings;
  const decide = (path: string) => made.gate.permissions.decide("Read", { file_path: path }, cwd);
  const own = expanded?.text ?? typed;
  if (!hasMentions(own))
    return { ...others, prompt: text, ...(text === prompt && said === undefined ? {} : { said: typed }) };
  const attached = await withMentions(own, { cwd, decide, onNotice });
  if (typeof attached === "string") return { ...others, prompt: text, said: typed };
  const [, ...files] = attached;
  return { ...others, prompt: [{ type: "text", text }, ...files], said: typed };
}
