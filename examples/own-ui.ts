/** A custom user interface: one view, updated by every event, drawn whenever you like. */

import {
  type AgentView,
  type CallView,
  agentTool,
  initialView,
  query,
  reduce,
  scripted,
} from "@runahead/agent";
import { fileTools } from "./file-tools.ts";

// In your program: anthropic({ model: "claude-sonnet-4-6" }) or openai({ model: "gpt-5.2" }).
const model = scripted([
  [
    { type: "text", text: "Let me look." },
    {
      type: "tool_use",
      id: "1",
      name: "Agent",
      input: { description: "find the name", prompt: "What is it called?", subagent_type: "reader" },
    },
    { type: "tool_use", id: "2", name: "Search", input: { path: "docs", text: "promise" } },
  ],
  [{ type: "text", text: "All is well." }],
]);
const reader = {
  name: "reader",
  description: "Reads files.",
  prompt: "Read what is needed, then answer.",
  tools: ["Read"],
  model: scripted([
    [{ type: "tool_use", id: "1", name: "Read", input: { file_path: "package.json" } }],
    [{ type: "text", text: "It is runahead." }],
  ]),
};

const view = initialView();

function draw(agent: AgentView, indent = ""): string[] {
  const { text = "", calls = new Map<string, CallView>() } = agent.turn ?? {};
  const lines = [...calls.values()].flatMap((call) => [
    `${indent}${call.end?.how ?? call.state}: ${call.description || call.toolName}`,
    ...[...call.agents.values()].flatMap((inner) => draw(inner, `${indent}  `)),
  ]);
  return text === "" ? lines : [`${indent}${text}`, ...lines];
}

const tools = [...fileTools, agentTool({ options: { model, tools: fileTools }, definitions: [reader] })];
for await (const event of query({ model, tools, prompt: "Check the project." })) {
  const step = reduce(view, event);
  // Draw as often as your screen can show it: here, when a call has changed its state.
  if (step?.calls.some(({ what }) => what === "state" || what === "ended"))
    console.log(["", ...draw(view)].join("\n"));
}
console.log(`\n${view.result?.text} ${view.settledCalls} calls, ${view.usage.outputTokens} tokens`);
