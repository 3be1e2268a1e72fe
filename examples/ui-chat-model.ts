/** The tools of the chat, and a scripted model that uses them. */

import { randomUUID } from "node:crypto";
import { type Block, type Model, type ModelRequest, agentTool, scripted } from "@runahead/agent";
import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";
import { shopTools } from "./shop.ts";

const count = defineTool({
  name: "Count",
  description: "Counts the parcels in the warehouse.",
  inputSchema: z.object({}),
  isReadOnly: () => true,
  describe: () => "Count parcels",
  async call(_input, { progress }) {
    for (const done of [50, 100]) {
      progress({ type: "status", text: `${done} % counted` });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return "12 parcels";
  },
});

const TURNS = 1000;

/** Refunds, counts, or asks a sub-agent to count; then repeats the result. */
export function chatModel(): Model {
  return scripted(Array.from({ length: TURNS }, () => answer));
}

const call = (name: string, input: object): readonly Block[] => [
  { type: "text", text: "One moment. " },
  { type: "tool_use", id: `toolu_${randomUUID()}`, name, input },
];

function answer({ messages }: ModelRequest): readonly Block[] {
  const content = messages.at(-1)?.content ?? "";
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const results = blocks.flatMap((block) => ("tool_use_id" in block ? [String(block["content"])] : []));
  if (results.length > 0) return [{ type: "text", text: results.join(" ") }];
  const asked = JSON.stringify(blocks);
  const [, order] = /refund\D*(\d+)/i.exec(asked) ?? [];
  if (order !== undefined) return call("Refund", { order: Number(order) });
  if (/delegate/i.test(asked))
    return call("Agent", { description: "count parcels", prompt: "Count the parcels." });
  return call("Count", {});
}

const tools: readonly AnyTool[] = [...shopTools, count];
export const chatTools: readonly AnyTool[] = [
  ...tools,
  agentTool({ options: { model: chatModel(), tools } }),
];
