/** Replays a past conversation as updates for the client. */

import type { SessionUpdate, ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import { type Block, type Message, isReminder } from "@runahead/harness";
import { keptPromptIn, membersOf, recalledWords, summaryIn } from "../shared/words.ts";
import { imageOf, kindOf, locationsOf, rawInputOf, resultContent, titleOf } from "./call.ts";

export function* historyUpdates(messages: readonly Message[], cwd: string): Generator<SessionUpdate> {
  const results = resultsIn(messages);
  for (const message of messages) {
    if (isReminder(message)) continue;
    const { role, content } = message;
    const blocks: readonly Block[] =
      typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of blocks) {
      const update = role === "user" ? said(block) : answered(block, results, cwd);
      if (update !== undefined) yield update;
    }
  }
}

type Results = ReadonlyMap<unknown, Block>;

function resultsIn(messages: readonly Message[]): Results {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return new Map(
    blocks.filter(({ type }) => type === "tool_result").map((block) => [block["tool_use_id"], block]),
  );
}

function said(block: Block): SessionUpdate | undefined {
  const image = imageOf(block);
  if (image !== undefined) return { sessionUpdate: "user_message_chunk", content: image };
  const text = typeof block["text"] === "string" ? block["text"] : "";
  const summary = summaryIn(text);
  if (summary !== undefined) return chunk("agent_message_chunk", `${summary}\n\n`);
  return chunk("user_message_chunk", keptPromptIn(text) ?? text);
}

function answered(block: Block, results: Results, cwd: string): SessionUpdate | undefined {
  if (block.type === "text") return chunk("agent_message_chunk", block["text"]);
  if (block.type === "thinking") return chunk("agent_thought_chunk", block["thinking"]);
  if (block.type !== "tool_use") return undefined;
  const { id, name, input } = block;
  const toolName = String(name);
  const result = results.get(id);
  const isFailed = result === undefined || result["is_error"] === true;
  const locations = locationsOf(toolName, input, cwd);
  return {
    sessionUpdate: "tool_call",
    toolCallId: String(id),
    title: titleOf(toolName, input, recalledWords(toolName, input)),
    kind: kindOf(toolName),
    status: isFailed ? "failed" : "completed",
    locations,
    content: (isFailed ? undefined : editIn(input, locations)) ?? contentOf(toolName, result?.["content"]),
    ...rawInputOf(input),
  };
}

/** The change of a past call that replaced text; undefined for other calls. */
function editIn(input: unknown, [location]: readonly ToolCallLocation[]): ToolCallContent[] | undefined {
  const { old_string: oldText, new_string: newText } = membersOf(input);
  if (location === undefined || typeof oldText !== "string" || typeof newText !== "string") return undefined;
  return [{ type: "diff", path: location.path, oldText: oldText === "" ? null : oldText, newText }];
}

function contentOf(toolName: string, content: unknown): ToolCallContent[] {
  const isContent = typeof content === "string" || Array.isArray(content);
  return isContent ? resultContent(toolName, content as Parameters<typeof resultContent>[1]) : [];
}

function chunk(
  sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
  text: unknown,
): SessionUpdate | undefined {
  return typeof text === "string" && text !== ""
    ? { sessionUpdate, content: { type: "text", text } }
    : undefined;
}
