/** A resumed conversation as parts of the transcript: prompts, answers, and the calls in a line each. */

import { type Block, type Message, type Prompt, isReminder } from "@runahead/harness";
import { isPrompt } from "../input/prompt.ts";
import { arrivingWords, counted, membersOf, oneLine, relativePaths } from "../../shared/words.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, dim, green, red } from "../screen/style.ts";

export type Recalled =
  | { readonly type: "prompt"; readonly prompt: Prompt }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "lines"; readonly lines: readonly string[] };

/** Earlier prompts are counted, not shown. */
const MOST_PROMPTS = 20;

/** The last prompts and everything after them. Paths below the folder are relative. */
export function recalled(messages: readonly Message[], folder: string): Recalled[] {
  const said = messages.filter((message) => !isReminder(message));
  const prompts = said.flatMap((message, at) => (isPrompt(message) ? [at] : []));
  const hidden = Math.max(0, prompts.length - MOST_PROMPTS);
  const failed = failedCalls(said);
  const shown = said
    .slice(hidden === 0 ? 0 : prompts[hidden])
    .flatMap((message) => partsOf(message, failed, folder));
  const more = `… ${counted(hidden, "earlier prompt")} (/export writes the whole conversation)`;
  return joined(hidden === 0 ? shown : [{ type: "lines", lines: [dim(more)] }, ...shown]);
}

function partsOf(message: Message, failed: ReadonlySet<string>, folder: string): Recalled[] {
  const { role, content } = message;
  if (role === "user") return isPrompt(message) ? [{ type: "prompt", prompt: content }] : [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): Recalled[] => {
    if (block.type === "text") return [{ type: "text", text: String(block["text"]) }];
    return block.type === "tool_use" ? [{ type: "lines", lines: [callLine(block, failed, folder)] }] : [];
  });
}

function callLine(block: Block, failed: ReadonlySet<string>, folder: string): string {
  const { id, name, input } = block as {
    readonly id?: unknown;
    readonly name?: unknown;
    readonly input?: unknown;
  };
  const { description } = membersOf(input);
  const words = typeof description === "string" ? oneLine(description) : arrivingWords(String(name), input);
  const mark = failed.has(String(id)) ? red("✗") : green("✓");
  return `${mark} ${bold(strip(name === "Bash" ? words : relativePaths(words, folder)))}`;
}

/** The ids of the calls that ended with an error. */
function failedCalls(messages: readonly Message[]): ReadonlySet<string> {
  const results = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return new Set(
    results.flatMap((block) =>
      block.type === "tool_result" && block["is_error"] === true ? [String(block["tool_use_id"])] : [],
    ),
  );
}

/** Calls in a row are one entry, without empty lines between them. */
function joined(parts: readonly Recalled[]): Recalled[] {
  const all: Recalled[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === "lines" && last?.type === "lines")
      all[all.length - 1] = { type: "lines", lines: [...last.lines, ...part.lines] };
    else all.push(part);
  }
  return all;
}
