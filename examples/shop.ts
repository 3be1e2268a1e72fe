/** The tools of a small shop, and a scripted model that uses them, for the chat server. */

import { randomUUID } from "node:crypto";
import { type Block, type Model, type ModelRequest, scripted } from "@runahead/agent";
import { type AnyTool, defineTool } from "@runahead/engine";
import { z } from "zod";

const refunded = new Set<number>();

const orders = defineTool({
  name: "Orders",
  description: "Lists the orders and whether they were refunded.",
  inputSchema: z.object({}),
  isReadOnly: () => true,
  access: () => [{ mode: "read", place: "shop:/orders" }],
  describe: () => "List orders",
  call: () => [17, 18].map((order) => `${order}: ${refunded.has(order) ? "refunded" : "paid"}`).join(", "),
});

const refund = defineTool({
  name: "Refund",
  description: "Refunds an order.",
  inputSchema: z.object({ order: z.number() }),
  access: ({ order }) => [{ mode: "write", place: `shop:/orders/${order}` }],
  describe: ({ order }) => `Refund order ${order}`,
  call: ({ order }) => {
    refunded.add(order);
    return `Order ${order} is refunded.`;
  },
});

export const shopTools: readonly AnyTool[] = [orders, refund];

const TURNS = 1000;

/** Refunds the order that the user names, else lists the orders; then repeats the result. */
export function shopModel(): Model {
  return scripted(Array.from({ length: TURNS }, () => answer));
}

function answer({ messages }: ModelRequest): readonly Block[] {
  const content = messages.at(-1)?.content ?? "";
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const results = blocks.flatMap((block) => ("tool_use_id" in block ? [String(block["content"])] : []));
  if (results.length > 0) return [{ type: "text", text: results.join(" ") }];
  if (/how many messages/i.test(JSON.stringify(blocks)))
    return [{ type: "text", text: `I have read ${messages.length} messages.` }];
  const [, order] = /refund\D*(\d+)/i.exec(JSON.stringify(blocks)) ?? [];
  const call =
    order === undefined ? { name: "Orders", input: {} } : { name: "Refund", input: { order: Number(order) } };
  return [
    { type: "text", text: "One moment. " },
    { type: "tool_use", id: `toolu_${randomUUID()}`, ...call },
  ];
}
