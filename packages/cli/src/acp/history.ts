/** Replays a past conversation as updates for the client. */

import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { type Block, type Message, isReminder } from "@runahead/harness";
import { arrivingWords } from "../shared/words.ts";
import { imageOf, kindOf, locationsOf, rawInputOf, resultContent } from "./call.ts";

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
  return chunk("user_message_chunk", block["text"]);
}

function answered(block: Block, results: Results, cwd: string): SessionUpdate | undefined {
  if (block.type === "text") return chunk("agent_message_chunk", block["text"]);
  if (block.type === "thinking") return chunk("agent_thought_chunk", block["thinking"]);
  if (block.type !== "tool_use") return undefined;
  const { id, name, input } = block;
  const toolName = String(name);
  const result = results.get(id);
  return {
    sessionUpdate: "tool_call",
    toolCallId: String(id),
    title: arrivingWords(toolName, input),
    kind: kindOf(toolName),
    status: result === undefined || result["is_error"] === true ? "failed" : "completed",
    locations: locationsOf(toolName, input, cwd),
    content: result === undefined ? [] : contentOf(toolName, result["content"]),
    ...rawInputOf(input),
  };
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
