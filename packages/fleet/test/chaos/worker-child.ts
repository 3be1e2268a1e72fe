/** An agent worker in a process of its own. Its agents append lines to a file, one per turn, here or on tool workers. */

import { type ModelRequest, scripted } from "@runahead/agent";
import { createAgentQueue, startAgentWorker } from "@runahead/fleet";
import { postgres } from "@runahead/postgres";
import { remote } from "@runahead/workers";
import { appendTool } from "./append.ts";

const [database = "", redis = "", file = "", turns = "4", leaseMs = "2000", slowMs = "20", place = "here"] =
  process.argv.slice(2);

const append = appendTool(file, Number(slowMs));
const tools = place === "here" ? [append] : remote([append], { connection: redis, queue: "tools" });

/** The next line of the session, according to what its history shows. */
function next(id: string) {
  return ({ messages }: ModelRequest) => {
    const made = messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_use"),
    );
    if (made.length >= Number(turns)) return [{ type: "text", text: "Done." }];
    const line = `${id}#${made.length}`;
    return [{ type: "tool_use", id: `c${made.length}`, name: "Append", input: { line } }];
  };
}

const queue = createAgentQueue({
  store: postgres(database, { leaseMs: Number(leaseMs) }),
  connection: redis,
});
const worker = await startAgentWorker({
  queue,
  concurrency: 8,
  sweepMs: 300,
  agent: ({ session }) => ({
    model: scripted(Array.from({ length: Number(turns) + 2 }, () => next(session.id))),
    tools,
    // One line of every fifth session needs the approval of a person.
    canUseTool: (_tool, input) =>
      /[05]#2$/.test((input as { line: string }).line)
        ? { behavior: "ask", reason: "it is the third line" }
        : { behavior: "allow" },
  }),
});
process.on("SIGTERM", () => void worker.drain().then(() => process.exit(0)));
process.send?.("ready");
// A test that was killed leaves no worker.
process.on("disconnect", () => process.exit(0));
