/** Summarises a conversation: the old part becomes one message in the model's words, the new part stays unchanged. */

import { repairHistory } from "@runahead/engine/history";
import type { ModelError } from "../model/error.ts";
import type { Model, StopReason, Usage } from "../model/event.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import { stringOf } from "@runahead/base";
import { NO_USAGE, addUsage } from "../model/token-usage.ts";
import { isNote, isReminder } from "./notes.ts";
import { DEFAULT_RETRY, type RetryPolicy, asksTooLong, sleep, waitBefore } from "./retry.ts";
import { stripRejected } from "./strip-rejected.ts";
import { estimateTokens } from "./tokens.ts";

export interface SummaryPorts extends Pick<ModelRequest, "system" | "tools" | "maxTokens"> {
  readonly model: Model;
  readonly signal: AbortSignal;
  /** How much of the newest conversation stays unchanged. A call without its result always stays. */
  readonly keepTokens: number;
  /** The same messages with shorter results, of which the new part stays. Default: the messages. */
  readonly tail?: readonly Message[];
  /** How many tokens of the conversation the request for a summary has room for. Default: no limit. */
  readonly roomTokens?: number;
  /** How much of the user's prompts is kept word for word. The latest prompt is always kept. Default: 20,000 characters. */
  readonly promptChars?: number;
  /** What the user wants the summary to focus on. */
  readonly instructions?: string | undefined;
  /** Attempts and waits for a summary, whatever the error. Default: 4 attempts. */
  readonly retry?: RetryPolicy;
}

export type SummaryResult =
  | { readonly type: "summarised"; readonly messages: readonly Message[]; readonly usage: Usage }
  | { readonly type: "failed"; readonly reason: string; readonly usage: Usage };

const RETRY: RetryPolicy = { ...DEFAULT_RETRY, attempts: 4 };
/** Enough for a long summary and the thinking before it. */
export const SUMMARY_TOKENS = 16_000;
export const PROMPT_CHARS = 20_000;

/** What it calls open was open when it was written; with a prepared summary, newer messages follow. */
const LABEL =
  "[Summary of the earlier conversation. It replaces those messages. What it calls open may already be done in the messages below.]\n";
/** Also matches the label of earlier versions. */
const LABELLED = /^\[Summary of the (?:earlier conversation|conversation so far)\./;
const SAID = "[The user wrote, word for word:]\n";
const CUT = "\n[The summary was cut off by the output limit.]";
const LEFT_OUT = "[The beginning of the conversation is omitted: it does not fit.]";
const ASK = `Write a summary of the conversation up to this point. It replaces the messages above, so include everything from them that is needed to go on:
- what the user asked for, and every limit or preference that they stated, word for word;
- what was decided, and why;
- the files that matter, with their paths and the signatures, types and values that are needed to go on;
- what was done and verified, with the commands that work;
- what failed, and how it was solved;
- what was still open at this point.
Do not propose a next step. Answer with the summary as plain text, and do not call tools.`;
const NEWER =
  "Newer messages exist. They are not shown here, and stay word for word after your summary, so describe only what is above.";

/**
 * Asks the model to summarise everything before the tail. Errors of the model are returned; an abort is thrown. The
 * user's prompts are kept word for word.
 */
export async function summarise(messages: readonly Message[], ports: SummaryPorts): Promise<SummaryResult> {
  const boundary = boundaryOf(messages, ports.keepTokens);
  if (boundary === undefined)
    return { type: "failed", reason: "there is nothing to summarise before the last turn", usage: NO_USAGE };
  const old = messages.slice(0, boundary);
  const { tail = messages } = ports;
  const { answer, usage } = await answerTo(old, ports, boundary < messages.length);
  if (answer.type !== "text") return { type: "failed", reason: answer.reason, usage };
  const summary: Block = { type: "text", text: `${LABEL}${answer.text}` };
  const { promptChars = PROMPT_CHARS } = ports;
  const said = latestOf(old.flatMap(promptsIn), promptChars);
  const prompts = said.map((text) => ({ type: "text", text: `${SAID}${text}` }));
  const first: Message = { role: "user", content: [summary, ...prompts] };
  return { type: "summarised", messages: [first, ...tail.slice(boundary)], usage };
}

/** Returns whether a message is the summary that a compaction put in place of earlier messages. */
export function isSummary({ role, content }: Message): boolean {
  const [first] = typeof content === "string" ? [] : content;
  return role === "user" && LABELLED.test(stringOf(first?.["text"]));
}

/** Returns where the tail begins: the longest that fits into `keepTokens`, else the shortest possible. */
function boundaryOf(messages: readonly Message[], keepTokens: number): number | undefined {
  let found: number | undefined;
  let tokens = 0;
  // What the program adds at the start is not worth a summary: it would be added again.
  const first = messages.findIndex((message) => !isReminder(message));
  if (first < 0) return undefined;
  for (let index = messages.length; index > first; index--) {
    if (index < messages.length) tokens += estimateTokens(messages[index]);
    if (tokens > keepTokens && found !== undefined) break;
    if (isBoundary(messages, index)) found = index;
  }
  return found;
}

/** A call and its result must be on the same side of the boundary. */
function isBoundary(messages: readonly Message[], index: number): boolean {
  const before = messages[index - 1];
  const after = messages[index];
  if (before === undefined || has(before, "tool_use")) return false;
  // An unanswered prompt stays.
  if (after === undefined) return before.role === "assistant";
  // Two assistant messages in a row are one paused response.
  return after.role === "assistant" ? before.role === "user" : !has(after, "tool_result");
}

function has({ content }: Message, type: string): boolean {
  return typeof content !== "string" && content.some((block) => block.type === type);
}

/** Returns the user's prompt in a message, or the prompts that an earlier summary kept. */
function promptsIn({ role, content }: Message): string[] {
  if (role !== "user") return [];
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap((block) => (block.type === "text" ? [stringOf(block["text"])] : []));
  const isLabelled = LABELLED.test(texts[0] ?? "");
  const said = texts.join("\n\n");
  if (!isLabelled) return said.trim() === "" || isNote(said) ? [] : [said];
  return texts.filter((text) => text.startsWith(SAID)).map((text) => text.slice(SAID.length));
}

/** Keeps the latest prompt, and earlier ones from new to old as long as they fit. */
function latestOf(prompts: readonly string[], mostChars: number): string[] {
  const kept: string[] = [];
  let chars = 0;
  for (const prompt of prompts.toReversed()) {
    const size = SAID.length + prompt.length;
    if (kept.length > 0 && chars + size > mostChars) continue;
    kept.push(prompt);
    chars += size;
  }
  return kept.toReversed();
}

type Answer =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "overflow"; readonly reason: string }
  | { readonly type: "failed"; readonly reason: string; readonly error: ModelError | undefined };

/** Tries until there is a summary, until another attempt cannot help, or until the attempts are used up. */
async function answerTo(
  old: readonly Message[],
  ports: SummaryPorts,
  hasNewer: boolean,
): Promise<{ answer: Answer; usage: Usage }> {
  const { retry = RETRY, signal, tail, roomTokens = Infinity } = ports;
  const shorter = tail?.slice(0, old.length);
  let usage = NO_USAGE;
  // The model sees what it summarises in full if that fits, which is also what the prompt cache has.
  let sent = estimateTokens(old) <= roomTokens ? old : (shorter ?? old);
  for (let attempt = 1; ; attempt++) {
    const given = await askOnce(sent, ports, hasNewer);
    const { answer } = given;
    usage = addUsage(usage, given.usage);
    if (answer.type === "text" || attempt >= retry.attempts) return { answer, usage };
    const isWhole = sent === old && shorter !== undefined;
    const next = isWhole && answer.type === "overflow" ? shorter : nextTry(answer, sent);
    if (next === undefined) return { answer, usage };
    if (next === sent && answer.type === "failed" && answer.error !== undefined) {
      if (asksTooLong(answer.error, retry)) return { answer, usage };
      await sleep(waitBefore(attempt, answer.error, retry), signal);
    }
    sent = next;
  }
}

/** Returns what to send after a failure, or undefined if another attempt cannot help. */
function nextTry(answer: Answer, sent: readonly Message[]): readonly Message[] | undefined {
  if (answer.type === "overflow") return newerHalf(sent);
  if (answer.type !== "failed" || answer.error === undefined) return undefined;
  if (answer.error.isRetryable) return sent;
  // Newer models accept thinking only after the exact conversation that it came from.
  return answer.error.kind === "bad-history" ? stripRejected(sent, answer.reason) : undefined;
}

async function askOnce(
  sent: readonly Message[],
  ports: SummaryPorts,
  hasNewer: boolean,
): Promise<{ answer: Answer; usage: Usage }> {
  const { model, system, tools, maxTokens, signal, instructions = "" } = ports;
  const focus = instructions.trim() === "" ? "" : `\n\nThe user asks to focus on: ${instructions}`;
  const newer = hasNewer ? `\n\n${NEWER}` : "";
  // As before every request, the history can need repair.
  const { messages } = repairHistory([...sent, { role: "user", content: `${ASK}${newer}${focus}` }]);
  const request = { system, tools, messages, maxTokens: Math.min(maxTokens, SUMMARY_TOKENS) };
  let usage = NO_USAGE;
  const texts: string[] = [];
  let stop: StopReason | undefined;
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type === "block" && event.block.type === "text") texts.push(stringOf(event.block["text"]));
      if (event.type === "usage") usage = event.usage;
      if (event.type === "stopped") stop = event.reason;
    }
    return { answer: toAnswer(texts.join("").trim(), stop), usage };
  } catch (error) {
    if (signal.aborted || !isModelError(error)) throw error;
    const isOverflow = error.kind === "context-overflow";
    const reason = error.message;
    return { answer: isOverflow ? { type: "overflow", reason } : { type: "failed", reason, error }, usage };
  }
}

/** Calls in the response are not run: only its text counts. */
function toAnswer(text: string, stop: StopReason | undefined): Answer {
  if (stop === "model_context_window_exceeded")
    return { type: "overflow", reason: "the conversation does not fit into the context window" };
  if (stop === undefined || stop === "refusal" || text === "") {
    const reason = stop === "refusal" ? "the model refused" : "the model returned no summary";
    return { type: "failed", reason, error: undefined };
  }
  return { type: "text", text: stop === "max_tokens" ? `${text}${CUT}` : text };
}

/** Returns the newer half of the messages, or undefined if that is not shorter. */
function newerHalf(sent: readonly Message[]): readonly Message[] | undefined {
  const half = estimateTokens(sent) / 2;
  const boundary = boundaryOf(sent, half);
  if (boundary === undefined || boundary === sent.length) return undefined;
  const rest = sent.slice(boundary);
  return estimateTokens(rest) > half ? undefined : [{ role: "user", content: LEFT_OUT }, ...rest];
}

function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === "ModelError";
}
