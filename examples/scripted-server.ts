/** A local model server, so that the examples that use an SDK run without a key. */

import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Part, scriptedResponse } from "./scripted-response.ts";

export interface ScriptedServer {
  readonly url: string;
  close(): void;
}

/** The events of a response of the Messages API, as they are sent. */
export interface RawResponse {
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** Answers each request with the next response, in the format of the Messages API or of Chat Completions. */
export async function scriptedServer(
  ...responses: readonly (readonly Part[] | RawResponse)[]
): Promise<ScriptedServer> {
  let answered = 0;
  const server = createServer((request, response) => {
    const next = responses[answered++] ?? [{ text: "There is nothing left to say." }];
    void answer(response, next, request.url?.endsWith("/chat/completions") === true);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function answer(
  response: ServerResponse,
  next: readonly Part[] | RawResponse,
  isChat: boolean,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = "events" in next ? next.events : isChat ? chatChunks(next) : messageEvents(next);
  for await (const event of events)
    response.write(
      `${isChat ? "" : `event: ${event["type"] as string}\n`}data: ${JSON.stringify(event)}\n\n`,
    );
  response.end(isChat ? "data: [DONE]\n\n" : "");
}

async function* messageEvents(parts: readonly Part[]): AsyncGenerator<Record<string, unknown>> {
  const hasCalls = parts.some((part) => "call" in part);
  for await (const event of scriptedResponse(parts)) {
    if (event["type"] === "message_start")
      Object.assign(event["message"] as object, { type: "message", model: "scripted", usage: USAGE });
    if (event["type"] === "message_delta" && !hasCalls) event["delta"] = { stop_reason: "end_turn" };
    yield event;
  }
}

const USAGE = { input_tokens: 100, output_tokens: 1 };

async function* chatChunks(parts: readonly Part[]): AsyncGenerator<Record<string, unknown>> {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "chatcmpl-demo",
    object: "chat.completion.chunk",
    created: 1,
    model: "scripted",
    choices: [{ index: 0, delta, finish_reason }],
  });
  let calls = 0;
  for (const part of parts) {
    await pause(50);
    if ("text" in part) yield chunk({ content: part.text });
    else {
      const call = { name: part.call, arguments: JSON.stringify(part.input) };
      yield chunk({
        tool_calls: [{ index: calls, id: `call_${calls++}`, type: "function", function: call }],
      });
    }
  }
  yield chunk({}, calls > 0 ? "tool_calls" : "stop");
}
