/** A resumed conversation as parts of the transcript: prompts, answers, and the calls in a line each. */

import { type Block, type Message, type Prompt, isReminder } from "@runahead/harness";
import { isPrompt, typedText } from "../input/prompt.ts";
import { counted, recalledWords, relativePaths, summaryIn } from "../../shared/words.ts";
import { strip } from "../../shared/safe-text.ts";
import { bold, dim } from "../screen/style.ts";
import { contentText } from "../../shared/live/item.ts";
import { MARKS } from "./call-entry.ts";

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
  const ends = endsOf(said);
  const shown = said
    .slice(hidden === 0 ? 0 : prompts[hidden])
    .flatMap((message) => partsOf(message, ends, folder));
  const more = `… ${counted(hidden, "earlier prompt")} (/export writes the whole conversation)`;
  return joined(hidden === 0 ? shown : [{ type: "lines", lines: [dim(more)] }, ...shown]);
}

function partsOf(message: Message, ends: Ends, folder: string): Recalled[] {
  const { role, content } = message;
  if (role === "user") {
    const summary = summaryIn(typedText(content));
    if (summary !== undefined) return [{ type: "text", text: summary }];
    return isPrompt(message) ? [{ type: "prompt", prompt: content }] : [];
  }
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): Recalled[] => {
    if (block.type === "text") return [{ type: "text", text: String(block["text"]) }];
    return block.type === "tool_use" ? [{ type: "lines", lines: [callLine(block, ends, folder)] }] : [];
  });
}

function callLine(block: Block, ends: Ends, folder: string): string {
  const { id, name, input } = block as {
    readonly id?: unknown;
    readonly name?: unknown;
    readonly input?: unknown;
  };
  const words = recalledWords(String(name), input);
  const mark = MARKS[ends.get(String(id)) ?? "done"]();
  return `${mark} ${bold(strip(name === "Bash" ? words : relativePaths(words, folder)))}`;
}

/** What the model reads about a call that did not run begins with this. */
const NOT_RUN = "Not run: ";

/** How the calls ended that did not succeed, by id. */
type Ends = ReadonlyMap<string, "failed" | "denied">;

function endsOf(messages: readonly Message[]): Ends {
  const results = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return new Map(
    results.flatMap((block) => {
      if (block.type !== "tool_result" || block["is_error"] !== true) return [];
      const isDenied = contentText(block["content"]).startsWith(NOT_RUN);
      return [[String(block["tool_use_id"]), isDenied ? "denied" : "failed"] as const];
    }),
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
