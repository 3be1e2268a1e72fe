/** A model of your own: an API that streams lines of JSON, as the events that the agent understands. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { type Block, type Model, ModelError, type ModelEvent, query } from "@runahead/agent";
import { fileTools } from "./file-tools.ts";

/** What the API of this example sends, one object per line. */
type Line =
  | { readonly text: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly input: unknown } }
  | { readonly done: { readonly inputTokens: number; readonly outputTokens: number } };

function ownModel(url: string): Model {
  return {
    name: "own",
    async *stream(request, signal) {
      const response = await post(url, request, signal);
      yield { type: "message-started", id: response.headers.get("x-request-id") ?? "", model: "own" };
      yield* eventsOf(linesOf(response));
    },
  };
}

/** Throws a `ModelError`, whose kind decides whether the agent tries again. */
async function post(url: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body), signal }).catch(
    (cause: unknown) => {
      signal.throwIfAborted();
      throw new ModelError("unreachable", `Cannot reach ${url}. Is the server running?`, { cause });
    },
  );
  if (response.ok) return response;
  const { status } = response;
  const kind = status === 401 ? "credentials" : status >= 500 ? "server" : "bad-request";
  throw new ModelError(kind, `${url} answered ${status}: ${await response.text()}`, { status });
}

async function* linesOf(response: Response): AsyncGenerator<Line> {
  if (response.body === null) return;
  for await (const line of createInterface({ input: Readable.fromWeb(response.body) }))
    yield JSON.parse(line) as Line;
}

/** Text goes out piece by piece, a call as soon as it is complete, and each block once as the history keeps it. */
async function* eventsOf(lines: AsyncIterable<Line>): AsyncGenerator<ModelEvent> {
  let text = "";
  let hasCalls = false;
  const textBlock = (): Block[] => {
    const blocks = text === "" ? [] : [{ type: "text", text }];
    text = "";
    return blocks;
  };
  for await (const line of lines) {
    if ("text" in line) {
      text += line.text;
      yield { type: "text", text: line.text };
    } else if ("call" in line) {
      for (const block of textBlock()) yield { type: "block", block };
      const { call } = line;
      hasCalls = true;
      yield { type: "call-begun", id: call.id, name: call.name };
      yield { type: "call-complete", call };
      yield { type: "block", block: { type: "tool_use", ...call } };
    } else {
      for (const block of textBlock()) yield { type: "block", block };
      yield { type: "usage", usage: { ...line.done, cacheReadTokens: 0, cacheWriteTokens: 0 } };
      yield { type: "stopped", reason: hasCalls ? "tool_use" : "end_turn", detail: "" };
      return;
    }
  }
  throw new ModelError("cut", "The stream ended before the response was complete.");
}

// A server that plays the API: a call first, and an answer when it has the result.
const server = createServer((request, response) => {
  void json(request).then((body) => {
    const isFirst = (body as { messages: unknown[] }).messages.length === 1;
    const call = { id: "call_1", name: "Read", input: { file_path: "package.json" } };
    const lines: Line[] = isFirst
      ? [{ text: "Let me " }, { text: "look." }, { call }]
      : [{ text: "It is called runahead-repo." }];
    lines.push({ done: { inputTokens: 100, outputTokens: 10 } });
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const model = ownModel(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const prompt = "What is this project called?";
for await (const event of query({ model, tools: fileTools, prompt })) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "call-settled") console.log(`\n(${event.toolName} ${event.outcome.type})`);
  if (event.type === "ended")
    console.log(`\n${event.result.reason}, ${event.result.usage.inputTokens} tokens in`);
}
server.close();
server.closeAllConnections();
