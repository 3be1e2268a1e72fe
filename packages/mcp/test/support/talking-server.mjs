/** An MCP server over stdio with a prompt, a resource, and tools that ask back. */

import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const waiting = new Map();
let last = 0;

/** Sends a request to the client. */
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `server-${++last}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });

const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const FORM = {
  type: "object",
  properties: { city: { type: "string" }, cold: { type: "boolean" } },
  required: ["city"],
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: "talking", version: "1" },
  }),
  "tools/list": () => ({
    tools: ["elicit", "sample", "ask", "page"].map((name) => ({
      name,
      description: name,
      inputSchema: { type: "object" },
    })),
  }),
  "tools/call": async ({ name, arguments: given }) => {
    // Sends any request of the test.
    if (name === "ask") return text(await ask(given.method, given.params));
    if (name === "page") {
      const elicitations = [
        { mode: "url", elicitationId: "1", message: "Log in.", url: "https://a.test/in" },
      ];
      throw { code: -32042, message: "Visit the page first.", data: { elicitations } };
    }
    if (name === "elicit")
      return text(
        await ask("elicitation/create", { mode: "form", message: "Where?", requestedSchema: FORM }),
      );
    const messages = [{ role: "user", content: { type: "text", text: "Say hi." } }];
    return text(await ask("sampling/createMessage", { messages, maxTokens: 10 }));
  },
  "prompts/list": () => ({
    prompts: [
      {
        name: "review",
        description: "Reviews.",
        arguments: [{ name: "file", required: true }, { name: "focus" }],
      },
    ],
  }),
  "prompts/get": ({ arguments: given }) => ({
    messages: [
      {
        role: "user",
        content: { type: "text", text: `Review ${given.file}, mind ${given.focus ?? "all"}.` },
      },
    ],
  }),
  "resources/list": () => ({ resources: [{ uri: "note://1", name: "note" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: `content of ${uri}` }] }),
};

async function take(line) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? error);
  if (id === undefined) return;
  const answer = METHODS[method];
  if (answer === undefined) return send({ id, error: { code: -32601, message: "unknown method" } });
  try {
    send({ id, result: await answer(params) });
  } catch (refusal) {
    send({ id, error: refusal });
  }
}

createInterface({ input: process.stdin }).on("line", (line) => void take(line));
