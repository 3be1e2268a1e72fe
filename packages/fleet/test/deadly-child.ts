/** A worker in a process of its own. One of its sessions ends it. */

import { fileStore, scripted } from "@runahead/agent";
import { createAgentQueue, startAgentWorker } from "@runahead/fleet";

const [home = "", since = "0"] = process.argv.slice(2);
// Time passes faster, so that the test does not wait as long as a session does.
const now = Date.now.bind(Date);
Date.now = () => Number(since) + (now() - Number(since)) * 20;

const queue = createAgentQueue({ store: fileStore({ home }) });
await startAgentWorker({
  queue,
  sweepMs: 20,
  onRunEnded: ({ id }, { type }) => {
    if (id === "deadly" && type === "done") process.send?.("failed");
  },
  agent: ({ session }) => {
    if (session.id === "deadly") process.kill(process.pid, "SIGKILL");
    return { model: scripted([[{ type: "text", text: "Done." }]]), tools: [] };
  },
});
process.on("disconnect", () => process.exit(0));
