/**
 * The libraries that are measured. `sdk` marks other libraries, `adapter` Runahead inside one of them. All but one row run
 * on Node 24.
 */

export const peers = [
  { name: "runahead", title: "Runahead", file: "runahead.mjs", node: 24, role: "ours" },
  { name: "runahead-node20", title: "Runahead (Node 20)", file: "runahead.mjs", node: 20, role: "ours" },
  {
    name: "runahead-query",
    title: "Runahead, query()",
    file: "runahead-query.mjs",
    node: 24,
    role: "loop-of-ours",
  },
  {
    name: "runahead-agent",
    title: "Runahead, createAgent on disk",
    file: "runahead-agent.mjs",
    node: 24,
    role: "loop-of-ours",
  },
  {
    name: "runahead-run-with",
    title: "Anthropic SDK + runWith()",
    file: "runahead-run-with.mjs",
    node: 24,
    role: "adapter",
    uses: ["@anthropic-ai/sdk"],
  },
  {
    name: "handwritten",
    title: "hand-written, Promise.all",
    file: "handwritten.mjs",
    node: 24,
    role: "loop",
  },
  { name: "serial", title: "hand-written, serial", file: "serial.mjs", node: 24, role: "loop" },
  { name: "ai-sdk-7", title: "AI SDK 7", file: "ai-sdk-7.mjs", node: 24, role: "sdk", uses: ["ai"] },
  {
    name: "ai-sdk-7-early",
    title: "AI SDK 7 + early()",
    file: "ai-sdk-7-early.mjs",
    node: 24,
    role: "adapter",
    uses: ["ai"],
  },
  { name: "ai-sdk-6", title: "AI SDK 6.0.0", file: "ai-sdk-6.mjs", node: 24, role: "sdk", uses: ["ai6"] },
  {
    name: "anthropic",
    title: "Anthropic SDK toolRunner",
    file: "anthropic.mjs",
    node: 24,
    role: "sdk",
    uses: ["@anthropic-ai/sdk"],
  },
  {
    name: "anthropic-eager",
    title: "Anthropic SDK, runToolsEagerly",
    file: "anthropic-eager.mjs",
    node: 24,
    role: "sdk",
    uses: ["@anthropic-ai/sdk"],
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents",
    file: "openai-agents.mjs",
    node: 24,
    role: "sdk",
    uses: ["@openai/agents"],
  },
  {
    name: "langchain",
    title: "LangChain agents",
    file: "langchain.mjs",
    node: 24,
    role: "sdk",
    uses: ["langchain", "@langchain/anthropic"],
  },
  { name: "mastra", title: "Mastra", file: "mastra.mjs", node: 24, role: "sdk", uses: ["@mastra/core"] },
];
