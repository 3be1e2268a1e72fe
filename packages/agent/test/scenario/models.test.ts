/** The real loop over real HTTP, with every kind of model; the server refuses what the real one would refuse. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { afterEach, expect, test } from "vitest";
import type { QueryOptions } from "../../src/loop/options.ts";
import { aiSdk } from "../../src/model/ai-sdk.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import type { Model } from "../../src/model/event.ts";
import { openai } from "../../src/model/openai.ts";
import { type RecordedEvent, record, replay } from "../../src/model/scripted.ts";
import { read } from "../support/read-tool.ts";
import { type ModelServer, type ScriptedAnswer, modelServer } from "../support/model-server.ts";
import { runQuery } from "../support/run-query.ts";
import { type Wire, chatWire, messagesWire, responsesWire } from "../support/wires.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

interface Kind {
  readonly name: string;
  readonly wire: Wire;
  model(url: string): Model;
}

const apiKey = "key";
const KINDS: readonly Kind[] = [
  {
    name: "Anthropic",
    wire: messagesWire,
    model: (baseURL) => anthropic({ model: "claude-test", apiKey, baseURL }),
  },
  {
    name: "OpenAI Chat Completions",
    wire: chatWire,
    model: (url) => openai({ model: "gpt-test", apiKey, baseURL: `${url}/v1`, api: "chat" }),
  },
  {
    name: "OpenAI Responses",
    wire: responsesWire,
    model: (url) => openai({ model: "gpt-test", apiKey, baseURL: `${url}/v1`, api: "responses" }),
  },
  {
    name: "AI SDK on Anthropic",
    wire: messagesWire,
    model: (url) => aiSdk(createAnthropic({ apiKey, baseURL: `${url}/v1` })("claude-test")),
  },
  {
    name: "AI SDK on OpenAI Chat Completions",
    wire: chatWire,
    model: (url) => aiSdk(createOpenAI({ apiKey, baseURL: `${url}/v1` }).chat("gpt-test")),
  },
  {
    name: "AI SDK on OpenAI Responses",
    wire: responsesWire,
    model: (url) => aiSdk(createOpenAI({ apiKey, baseURL: `${url}/v1` }).responses("gpt-test")),
  },
];

async function served(kind: Kind, ...answers: readonly ScriptedAnswer[]) {
  const server = await modelServer(...answers);
  servers.push(server);
  return { server, model: kind.model(server.url) };
}

const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 2, random: Math.random };
const run = (options: Omit<QueryOptions, "prompt" | "tools">) =>
  runQuery({ prompt: "go", tools: [read], retry, ...options });

const resultsOf = (messages: readonly { content: unknown }[]): unknown[] =>
  messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? (content as { type: string; content: unknown }[]).flatMap((block) =>
          block.type === "tool_result" ? [block.content] : [],
        )
      : [],
  );

for (const kind of KINDS) {
  const { name, wire } = kind;

  test(`${name}: calls run while the response streams, and the server accepts every history`, async () => {
    const { server, model } = await served(
      kind,
      { pieces: [wire({ text: "Let me look. ", calls: ["a", "b"] }).whole] },
      { pieces: [wire({ text: "And there. ", calls: ["c"] }).whole] },
      { pieces: [wire({ text: "All is well.", calls: [] }).whole] },
    );
    const { events, result } = await run({ model, system: "Be brief." });
    expect(result).toMatchObject({ reason: "completed", text: "All is well.", turns: 3 });
    expect(resultsOf(result.messages)).toEqual(["content of a", "content of b", "content of c"]);
    expect(server.requests).toHaveLength(3);
    const first = events.findIndex((event) => event.type === "call-started" && event.callId === "a");
    const second = events.findIndex((event) => event.type === "call-arrived" && event.callId === "b");
    expect([first > 0, first < second]).toEqual([true, true]);
  });

  test(`A06, ${name}: a response that breaks off after a complete call is not requested again`, async () => {
    const { server, model } = await served(
      kind,
      { pieces: [wire({ text: "Let me look. ", calls: ["a", "b"] }).withoutEnd], after: "break" },
      { pieces: [wire({ text: "Done.", calls: [] }).whole] },
    );
    const { events, result } = await run({ model });
    expect(result).toMatchObject({ reason: "completed", text: "Done." });
    expect(resultsOf(result.messages).slice(0, 1)).toEqual(["content of a"]);
    expect(events.filter(({ type }) => type === "call-started").length).toBe(
      resultsOf(result.messages).length,
    );
    expect(server.requests).toHaveLength(2);
  });

  test(`A05, A10, ${name}: a response that breaks off before is requested again, a bad key is not retried`, async () => {
    const { server, model } = await served(
      kind,
      { pieces: [], after: "break" },
      { status: 529, pieces: ['{"error": {"message": "overloaded"}}'] },
      { pieces: [wire({ text: "Done.", calls: [] }).whole] },
    );
    const { result } = await run({ model });
    expect([result.text, server.requests.length]).toEqual(["Done.", 3]);
    const locked = await served(kind, { status: 401, pieces: ['{"error": {"message": "invalid key"}}'] });
    const refused = await run({ model: locked.model });
    expect(refused.result).toMatchObject({ reason: "model_error" });
    expect([refused.result.detail.includes("invalid key"), locked.server.requests.length]).toEqual([true, 1]);
  });
}

test("a recording of a live model replays the same answer", async () => {
  const kind = KINDS[0] as Kind;
  const { model } = await served(
    kind,
    { pieces: [kind.wire({ text: "Let me look. ", calls: ["a"] }).whole] },
    { pieces: [kind.wire({ text: "Done.", calls: [] }).whole] },
  );
  const recording: (readonly RecordedEvent[])[] = [];
  const live = await run({ model: record(model, (events) => recording.push(events)) });
  const written = JSON.parse(JSON.stringify(recording)) as typeof recording;
  const played = await run({ model: replay(written, 10) });
  expect(played.result.messages).toEqual(live.result.messages);
});
