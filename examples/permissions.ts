/** Verdicts, questions and hooks: only allowed calls run. */

import { type CanUseTool, StreamingToolExecutor } from "@runahead/engine";
import { fileTools } from "./file-tools.ts";

const canUseTool: CanUseTool = (tool, input) => {
  const { command = "" } = input as { command?: string };
  if (command.startsWith("rm ")) return { behavior: "deny", reason: "The rule Bash(rm *) denies it." };
  return tool.isReadOnly?.({}) === true
    ? { behavior: "allow" }
    : { behavior: "ask", reason: "It can change something." };
};

const executor = new StreamingToolExecutor({
  tools: fileTools,
  canUseTool,
  // Called for one question at a time. A real program waits for the user; this one denies with a message.
  ask: ({ tool, reason, waiting }) => {
    console.log(`${tool.name}? ${reason} (${waiting} more wait)`);
    return { behavior: "deny", message: "Only read for now." };
  },
  hooks: {
    matches: ({ tool }) => tool.name === "Read",
    preToolUse: ({ input }) => ({ input: { file_path: (input as { file_path: string }).file_path.trim() } }),
    postToolUse: () => ({ addition: "(seen by a hook)" }),
  },
});

executor.add({ id: "1", name: "Read", input: { file_path: " package.json " } });
executor.add({ id: "2", name: "Bash", input: { command: "rm -rf build" } });
executor.add({ id: "3", name: "Bash", input: { command: "npm install left-pad" } });
for await (const update of executor.remaining()) {
  if (update.type === "result")
    console.log(update.callId, update.outcome.type, JSON.stringify(update.result.content).slice(-60));
}
