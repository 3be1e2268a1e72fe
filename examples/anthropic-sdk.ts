/** The Anthropic SDK with its own client, parameters, events and messages. */

import Anthropic from "@anthropic-ai/sdk";
import { runWith } from "@runahead/adapters/sdk";
import { fileTools } from "./file-tools.ts";
import { scriptedServer } from "./scripted-server.ts";

const server = await scriptedServer(
  [
    { text: "Let me look. " },
    { call: "Read", input: { file_path: "package.json" } },
    { text: "One moment." },
  ],
  [{ text: " It is a monorepo.\n" }],
);
const client = new Anthropic({ baseURL: server.url, apiKey: "none" });

const messages: Anthropic.MessageParam[] = [{ role: "user", content: "What is in package.json?" }];
const run = runWith(client, { model: "claude-sonnet-4-6", max_tokens: 1024, messages }, fileTools);
for await (const event of run)
  if (event.type === "content_block_delta" && event.delta.type === "text_delta")
    process.stdout.write(event.delta.text);
const { messages: whole, reason } = await run.result();

console.log(`${reason}: ${whole.map(({ role }) => role).join(", ")}`);
server.close();
