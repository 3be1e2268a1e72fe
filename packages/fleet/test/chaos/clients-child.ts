/** An agent worker in a process of its own, for clients that send whatever they like: `P3 write 2` writes two lines. */

import { type Block, type ModelRequest, scripted } from "@runahead/agent";
import { createAgentQueue, startAgentWorker } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { appendTool } from "./append.ts";

const [database = "", redis = "", file = "", leaseMs = "2000", slowMs = "150"] = process.argv.slice(2);
const MOST_TURNS = 200;

const blocksOf = ({ content }: ModelRequest["messages"][number]): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** The next lines of the session, one or two at a time, until the last prompt has its lines. */
function next(id: string) {
  return ({ messages }: ModelRequest): Block[] => {
    let [made, since, wanted] = [0, 0, 0];
    for (const block of messages.flatMap(blocksOf)) {
      const [, count] = /\bP\d+ write (\d)\b/.exec(String(block["text"] ?? "")) ?? [];
      if (count !== undefined) [since, wanted] = [0, Number(count)];
      if (block.type !== "tool_use") continue;
      made++;
      since++;
    }
    if (since >= wanted) return [{ type: "text", text: "Done." }];
    return Array.from({ length: 1 + (made % 2) }, (_, at) => ({
      type: "tool_use",
      id: `c${made + at}`,
      name: "Append",
      input: { line: `${id}#${made + at}` },
    }));
  };
}

const store = postgres(database, { leaseMs: Number(leaseMs) });
const worker = await startAgentWorker({
  queue: createAgentQueue({ store, connection: redis }),
  concurrency: 6,
  sweepMs: 300,
  tenantLimit: 10,
  agent: ({ session }) => ({
    model: scripted(Array.from({ length: MOST_TURNS }, () => next(session.id))),
    tools: [appendTool(file, Number(slowMs))],
    canUseTool: (_tool, input) =>
      /[27]$/.test((input as { line: string }).line)
        ? { behavior: "ask", reason: "its number" }
        : { behavior: "allow" },
  }),
});
process.on("SIGTERM", () => void worker.drain().then(() => process.exit(0)));
process.send?.("ready");
// A test that was killed leaves no worker.
process.on("disconnect", () => process.exit(0));
