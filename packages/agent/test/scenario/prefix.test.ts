/** Providers cache the prefix of a request, so each request must begin with the previous one, byte for byte. */

import { afterEach, expect, test } from "vitest";
import { createAgent } from "../../src/loop/agent.ts";
import type { Reminders } from "../../src/loop/reminders.ts";
import { anthropic } from "../../src/model/anthropic.ts";
import type { Model } from "../../src/model/event.ts";
import { openai } from "../../src/model/openai.ts";
import { type ModelServer, modelServer } from "../support/model-server.ts";
import { read } from "../support/read-tool.ts";
import { type Wire, chatWire, messagesWire, responsesWire } from "../support/wires.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

interface Api {
  readonly name: string;
  readonly wire: Wire;
  /** The member of the body that grows. */
  readonly list: string;
  readonly model: (url: string) => Model;
}

const apiKey = "key";
const APIS: readonly Api[] = [
  {
    name: "Messages",
    wire: messagesWire,
    list: "messages",
    model: (baseURL) => anthropic({ model: "claude-test", apiKey, baseURL }),
  },
  {
    name: "Chat Completions",
    wire: chatWire,
    list: "messages",
    model: (url) => openai({ model: "gpt-test", apiKey, baseURL: `${url}/v1`, api: "chat" }),
  },
  {
    name: "Responses",
    wire: responsesWire,
    list: "input",
    model: (url) => openai({ model: "gpt-test", apiKey, baseURL: `${url}/v1`, api: "responses" }),
  },
];

const MARK = /,"cache_control":\{"type":"ephemeral"\}/g;

/** The body without its cache marks: the list that grows, without its closing bracket, and everything else. */
function partsOf(text: string, list: string): { readonly grown: string; readonly rest: string } {
  const body = JSON.parse(text.replaceAll(MARK, "")) as Record<string, unknown>;
  const { [list]: items, ...rest } = body;
  return { grown: JSON.stringify(items).slice(0, -1), rest: JSON.stringify(rest) };
}

/** A fact for each of the first requests, and one before the first prompt. */
function facts(): Reminders {
  let next = 0;
  return { next: () => (next < 4 ? [`fact ${++next}`] : []) };
}

for (const { name, wire, list, model } of APIS) {
  test(`${name}: each request begins with the one before it, with tools, reminders and an interruption`, async () => {
    const server = await modelServer(
      { pieces: [wire({ text: "Let me look. ", calls: ["a", "b"] }).whole] },
      { pieces: [wire({ text: "And there. ", calls: ["c"] }).whole] },
      { pieces: [wire({ text: "So far", calls: [] }).withoutEnd], after: "hang" },
      { pieces: [wire({ text: "Once more. ", calls: ["d"] }).whole] },
      { pieces: [wire({ text: "Done.", calls: [] }).whole] },
    );
    servers.push(server);
    const agent = createAgent({
      model: model(server.url),
      tools: [read],
      system: "Be brief.",
      reminders: facts(),
      onEvent: (event) => {
        if (event.type === "text" && event.text === "So far") void agent.interrupt();
      },
    });
    expect((await agent.send("first")).reason).toBe("aborted_streaming");
    expect((await agent.send([{ type: "text", text: "second" }])).text).toBe("Done.");
    await agent.close();

    const bodies = server.requests.map(({ text }) => partsOf(text, list));
    expect(bodies).toHaveLength(5);
    for (const [at, later] of bodies.entries()) {
      const earlier = bodies[at - 1] ?? { grown: "[", rest: later.rest };
      expect(later.rest).toBe(earlier.rest);
      expect(later.grown.slice(0, earlier.grown.length)).toBe(earlier.grown);
      expect(later.grown.length).toBeGreaterThan(earlier.grown.length);
    }
    for (const fact of [1, 2, 3, 4]) expect(bodies.at(-1)?.grown.split(`fact ${fact}`)).toHaveLength(2);
  });
}

test("Messages: user messages are arrays of blocks, also without a cache mark", async () => {
  const said = { pieces: [messagesWire({ text: "Yes.", calls: [] }).whole] };
  const server = await modelServer(said, said, said, said);
  servers.push(server);
  const agent = createAgent({
    model: anthropic({ model: "claude-test", apiKey, baseURL: server.url }),
    tools: [],
  });
  for (const prompt of ["one", "two", "three", "four"]) await agent.send(prompt);
  const messages = server.requests.at(-1)?.body["messages"] as { role: string; content: unknown }[];
  const users = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const mark = { cache_control: { type: "ephemeral" } };
  expect(users).toEqual([
    [{ type: "text", text: "one" }],
    [{ type: "text", text: "two" }],
    [{ type: "text", text: "three", ...mark }],
    [{ type: "text", text: "four", ...mark }],
  ]);
});
