import { query, scripted } from "@runahead/agent";
import { fileTools } from "./file-tools.ts";

// In your program: anthropic({ model: "claude-sonnet-4-6" }) or openai({ model: "gpt-5.2" }).
const model = scripted([
  [
    { type: "text", text: "Let me look. " },
    { type: "tool_use", id: "1", name: "Read", input: { file_path: "package.json" } },
    { type: "tool_use", id: "2", name: "Search", input: { path: "docs", text: "promise" } },
  ],
  [{ type: "text", text: "All is well." }],
]);

for await (const event of query({ model, tools: fileTools, prompt: "Check the project.", maxTurns: 10 })) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "call-settled") console.log(`\n${event.toolName} ${event.outcome.type}`);
  if (event.type === "ended") console.log(`\n${event.result.reason} after ${event.result.turns} turns`);
}
