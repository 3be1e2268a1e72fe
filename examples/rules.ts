/** Rules, and a user who is asked about the rest. */

import { createPermissionGate, query, scripted } from "@runahead/agent";
import { fileTools } from "./file-tools.ts";

const gate = createPermissionGate({
  settings: {
    mode: "default",
    sources: [{ name: "mine", root: process.cwd(), allow: ["Search"], deny: ["Read(.env)"] }],
  },
  askPerson: ({ description, reason, choices }) => {
    console.log(`Allow this? ${description}\n  ${reason} (${choices.map(({ label }) => label).join(", ")})`);
    return { type: "no", message: "Leave it as it is." };
  },
});

const model = scripted([
  [
    { type: "tool_use", id: "1", name: "Read", input: { file_path: "package.json" } },
    { type: "tool_use", id: "2", name: "Read", input: { file_path: ".env" } },
    { type: "tool_use", id: "3", name: "Search", input: { path: "docs", text: "promise" } },
  ],
  [{ type: "text", text: "I see." }],
]);

for await (const event of query({ model, tools: fileTools, permissions: gate, prompt: "Look around." }))
  if (event.type === "call-settled") console.log(`${event.callId} ${event.toolName}: ${event.outcome.type}`);
