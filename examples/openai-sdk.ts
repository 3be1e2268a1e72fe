/** The OpenAI SDK with Chat Completions. For Responses, pass `input` instead of `messages`. */

import { runWith } from "@runahead/adapters/sdk";
import OpenAI from "openai";
import { fileTools } from "./file-tools.ts";
import { scriptedServer } from "./scripted-server.ts";

const server = await scriptedServer(
  [{ text: "Let me look. " }, { call: "Read", input: { file_path: "package.json" } }],
  [{ text: "It is a monorepo.\n" }],
);
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none" });

const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "What is in package.json?" }];
const run = runWith(client, { model: "gpt-5.2", messages }, fileTools);
for await (const chunk of run) process.stdout.write(chunk.choices[0]?.delta.content ?? "");
const { messages: whole, reason } = await run.result();

console.log(`${reason}: ${whole.map(({ role }) => role).join(", ")}`);
server.close();
