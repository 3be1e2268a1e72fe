/**
 * Sessions of Claude Code: one file per session in `~/.claude/projects/<folder>`. Its lines form a tree, because a session
 * can be rewound: the conversation is the path from the last message up. A response is written as one line per block.
 */

import type { Block } from "@runahead/agent";
import { type Shape, isShape } from "@runahead/base";
import type { HistoryMessage } from "@runahead/engine/history";
import {
  type ForeignHistory,
  type ForeignMessage,
  type NumberedLine,
  type SkippedLine,
  readLines,
  textIn,
  titleOf,
} from "./foreign.ts";
import { claudeSpending } from "./spending.ts";

interface Entry {
  readonly at: number;
  readonly line: number;
  readonly uuid: string;
  readonly parent: string;
  readonly kind: "user" | "assistant" | "boundary" | "other";
  readonly value: Shape;
  readonly blocks: readonly Block[];
}

export async function readClaude(path: string): Promise<ForeignHistory> {
  const { lines, skipped } = await readLines(path);
  const notes: string[] = [];
  const entries = entriesOf(lines, skipped);
  const sidechains = lines.filter(({ value }) => value["isSidechain"] === true).length;
  if (sidechains > 0) notes.push(`${sidechains} lines of sub-agents were left out.`);
  const taken = conversation(entries, skipped);
  const messages = joined(taken, notes);
  const facts = lines.map(({ value }) => value);
  return {
    id: textIn(facts.find(({ sessionId }) => textIn(sessionId) !== "")?.["sessionId"]),
    cwd: textIn(facts.find(({ cwd }) => textIn(cwd) !== "")?.["cwd"]),
    title: claudeTitle(facts),
    messages,
    skipped: skipped.toSorted((one, other) => one.line - other.line),
    notes,
    spending: claudeSpending(lines),
  };
}

/** The name that the user or the program gave it, or else the beginning of the first prompt. */
export function claudeTitle(facts: readonly Shape[]): string {
  const own = new Set(facts.map(({ uuid }) => uuid));
  const named = facts.flatMap(({ type, customTitle, aiTitle, summary, leafUuid }) => {
    if (type === "custom-title") return [{ rank: 0, text: textIn(customTitle) }];
    if (type === "ai-title") return [{ rank: 1, text: textIn(aiTitle) }];
    return type === "summary" && own.has(leafUuid) ? [{ rank: 2, text: textIn(summary) }] : [];
  });
  const best = named.findLast(({ rank }) => rank === Math.min(...named.map((one) => one.rank)));
  if (best !== undefined && best.text !== "") return titleOf(best.text);
  const first = facts.find(
    (fact) => fact["type"] === "user" && isPrompt(fact) && fact["isSidechain"] !== true,
  );
  return titleOf(first === undefined ? "" : promptText(first));
}

function entriesOf(lines: readonly NumberedLine[], skipped: SkippedLine[]): Entry[] {
  const known = new Set<string>();
  return lines.flatMap(({ line, value }, at): Entry[] => {
    const { type, uuid, parentUuid, isSidechain } = value;
    if (isSidechain === true || typeof uuid !== "string" || known.has(uuid)) return [];
    known.add(uuid);
    const base = { at, line, uuid, parent: textIn(parentUuid), value };
    if (type === "system" && value["subtype"] === "compact_boundary")
      return [{ ...base, kind: "boundary", blocks: [] }];
    if ((type !== "user" && type !== "assistant") || isLeftOut(value))
      return [{ ...base, kind: "other", blocks: [] }];
    const blocks = blocksIn(value["message"]);
    if (blocks !== undefined) return [{ ...base, kind: type, blocks }];
    skipped.push({ line, why: "its message has no content" });
    return [{ ...base, kind: "other", blocks: [] }];
  });
}

/** What the model never saw: error texts of the program, and lines for the screen only. */
function isLeftOut(value: Shape): boolean {
  const { message } = value;
  return (
    value["isVisibleInTranscriptOnly"] === true ||
    value["isApiErrorMessage"] === true ||
    (isShape(message) && message["model"] === "<synthetic>")
  );
}

function blocksIn(message: unknown): Block[] | undefined {
  const content = isShape(message) ? message["content"] : undefined;
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  return content.filter(
    (block: unknown): block is Block => isShape(block) && typeof block["type"] === "string",
  );
}

/** The lines of the conversation that the session ended with, in the order of the file. */
function conversation(entries: readonly Entry[], skipped: SkippedLine[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.uuid, entry]));
  const path = new Set<Entry>();
  let at = entries.findLast(isMessage);
  while (at !== undefined && at.kind !== "boundary" && !path.has(at)) {
    path.add(at);
    at = parentOf(at, { entries, byId, skipped });
  }
  // What is before the boundary is in the summary that follows it.
  const start = at?.kind === "boundary" ? at.at : -1;
  const responses = new Set([...path].filter(({ kind }) => kind === "assistant").map(responseOf));
  const after = entries.filter((entry) => entry.at > start);
  const said = after.filter((entry) => entry.kind === "assistant" && responses.has(responseOf(entry)));
  const saidOnes = new Set(said);
  const calls = new Set(said.flatMap(({ blocks }) => blocks.map((block) => block["id"])));
  // Results of calls that ran side by side are branches of the tree.
  const isAnswer = ({ blocks }: Entry): boolean =>
    blocks.length > 0 &&
    blocks.every((block) => block.type === "tool_result" && calls.has(block["tool_use_id"]));
  return after.filter(
    (entry) =>
      isMessage(entry) &&
      (path.has(entry) || saidOnes.has(entry) || (entry.kind === "user" && isAnswer(entry))),
  );
}

interface Tree {
  readonly entries: readonly Entry[];
  readonly byId: ReadonlyMap<string, Entry>;
  readonly skipped: SkippedLine[];
}

/** A line whose parent was lost continues the message before it in the file. */
function parentOf(entry: Entry, { entries, byId, skipped }: Tree): Entry | undefined {
  if (entry.parent === "") return undefined;
  const found = byId.get(entry.parent);
  if (found !== undefined) return found;
  skipped.push({ line: entry.line, why: "the line before it in the conversation is missing" });
  return entries.findLast((other) => other.at < entry.at && (isMessage(other) || other.kind === "boundary"));
}

function isMessage({ kind }: Entry): boolean {
  return kind === "user" || kind === "assistant";
}

/** Lines of one response have the same message id. */
function responseOf({ value, uuid }: Entry): string {
  const id = isShape(value["message"]) ? textIn(value["message"]["id"]) : "";
  return id === "" ? uuid : id;
}

/** Joins the lines of a response, and results that follow it. */
function joined(entries: readonly Entry[], notes: string[]): ForeignMessage[] {
  const made: { role: "user" | "assistant"; key: string; blocks: Block[]; isPrompt: boolean }[] = [];
  let dropped = 0;
  for (const entry of entries) {
    const isAssistant = entry.kind === "assistant";
    const kept = isAssistant ? entry.blocks.filter((block) => hasValidThinking(block, entry)) : entry.blocks;
    dropped += entry.blocks.length - kept.length;
    const isResult = !isAssistant && kept.length > 0 && kept.every(({ type }) => type === "tool_result");
    const key = isAssistant ? responseOf(entry) : isResult ? "results" : entry.uuid;
    const same = isAssistant ? made.findLast((one) => one.key === key) : made.at(-1);
    if (same !== undefined && same.key === key) same.blocks.push(...fresh(kept, same.blocks));
    else
      made.push({
        role: isAssistant ? "assistant" : "user",
        key,
        blocks: [...kept],
        isPrompt: !isAssistant && isPrompt(entry.value),
      });
  }
  if (dropped > 0) notes.push(`${dropped} thinking blocks without a valid signature were left out.`);
  return made
    .filter(({ blocks }) => blocks.length > 0)
    .map(({ role, blocks, isPrompt: isOne }) => ({
      message: { role, content: blocks } as HistoryMessage,
      isPrompt: isOne,
    }));
}

/** Some versions repeat the blocks before in each line of a response. */
function fresh(blocks: readonly Block[], known: readonly Block[]): Block[] {
  const texts = new Set(known.map((block) => JSON.stringify(block)));
  return blocks.filter((block) => !texts.has(JSON.stringify(block)));
}

const SIGNATURE = /^[A-Za-z0-9+/_-]{64,}={0,2}$/;

/** The API rejects thinking that it did not sign. */
function hasValidThinking(block: Block, { value }: Entry): boolean {
  if (block.type !== "thinking" && block.type !== "redacted_thinking") return true;
  const model = isShape(value["message"]) ? textIn(value["message"]["model"]) : "";
  if (model !== "" && !/claude/i.test(model)) return false;
  return SIGNATURE.test(textIn(block[block.type === "thinking" ? "signature" : "data"]));
}

function isPrompt(value: Shape): boolean {
  if (value["isMeta"] === true || value["isCompactSummary"] === true) return false;
  const blocks = blocksIn(value["message"]) ?? [];
  const text = promptText(value);
  return (
    blocks.length > 0 &&
    !blocks.some(({ type }) => type === "tool_result") &&
    (text !== "" || blocks.some(({ type }) => type === "image")) &&
    !/^<(?:local-command|command-|bash-|system-reminder|task-notification)/.test(text.trimStart())
  );
}

function promptText(value: Shape): string {
  const texts = (blocksIn(value["message"]) ?? []).map((block) => textIn(block["text"]));
  return texts.find((text) => text.trim() !== "") ?? "";
}
