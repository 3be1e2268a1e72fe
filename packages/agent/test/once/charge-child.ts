/**
 * A session that charges three orders. It is killed at any moment and started again until everything is done. The model
 * charges an order again only if it reads that the charge was not run.
 *
 * Usage: charge-child.ts HOME KIND WHERE [NAME] [FAULT], with KIND `http` (WHERE is a URL) or `postgres` (the folder of
 * its socket). The orders are NAME-a, NAME-b and NAME-c. FAULT `key` uses another key for every call, and `reconcile`
 * says that nothing happened without asking. Prints a line when it is ready, and for each start and end of a charge.
 */

import { randomUUID } from "node:crypto";
import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { createAgent } from "../../src/loop/agent.ts";
import type { Model } from "../../src/model/event.ts";
import type { Block, Message } from "../../src/model/message.ts";
import { sessions } from "../../src/session/sessions.ts";
import { httpLedger, postgresLedger } from "./ledger.ts";

const [home = "", kind = "", where = "", name = "order", fault = "none"] = process.argv.slice(2);
const ORDERS = ["a", "b", "c"].map((letter) => `${name}-${letter}`);
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const keyOf = (key: string): string => (fault === "key" ? randomUUID() : key);
const ledger = kind === "http" ? httpLedger(where) : postgresLedger(where);

const charge = defineTool({
  name: "Charge",
  description: "Charges an order.",
  inputSchema: z.object({ order: z.string() }),
  access: ({ order }) => [{ mode: "write", place: `orders:/${order}` }],
  async call({ order }, { idempotencyKey }) {
    print("started");
    const receipt = await ledger.charge(keyOf(idempotencyKey), order);
    print("ended");
    return receipt;
  },
  async reconcile(key, { order }) {
    const receipt = fault === "reconcile" ? undefined : await ledger.close(keyOf(key), order);
    print(receipt === undefined ? "had-not-charged" : "had-charged");
    return receipt === undefined ? { fate: "never-started" } : { fate: "finished", output: receipt };
  },
});

/** The orders whose last charge has no receipt. */
function open(messages: readonly Message[]): string[] {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const isDone = (order: string): boolean => {
    const ids = blocks.flatMap((block) =>
      block.type === "tool_use" && (block["input"] as { order: string }).order === order ? [block["id"]] : [],
    );
    const result = blocks.findLast(
      (block) => block.type === "tool_result" && block["tool_use_id"] === ids.at(-1),
    );
    return result !== undefined && !JSON.stringify(result["content"]).includes("Not run");
  };
  return ORDERS.filter((order) => !isDone(order));
}

const model: Model = {
  name: "careful",
  async *stream({ messages }) {
    yield { type: "message-started", id: "m", model: "careful" };
    const orders = open(messages);
    // Some servers number the calls of each response from 0.
    const blocks = orders.map(
      (order, at): Block => ({
        type: "tool_use",
        id: `call_${at}`,
        name: "Charge",
        input: { order },
      }),
    );
    for (const block of blocks) {
      yield {
        type: "call-complete",
        call: { id: String(block["id"]), name: "Charge", input: block["input"] },
      };
      yield { type: "block", block };
    }
    if (blocks.length === 0) yield { type: "block", block: { type: "text", text: "Done." } };
    yield { type: "stopped", reason: blocks.length > 0 ? "tool_use" : "end_turn", detail: "" };
  },
};

const store = sessions({ home, cwd: home });
const session = (await store.continue()) ?? (await store.create());
const agent = createAgent({ model, tools: [charge], session });
print("ready");
const { reason, messages } = session.messages.length === 0 ? await agent.send("go") : await agent.resume();
await agent.close();
const isUnknown = JSON.stringify(messages).includes("Outcome unknown");
print(`done: ${reason}${isUnknown ? ", with an unknown outcome" : ""}`);
