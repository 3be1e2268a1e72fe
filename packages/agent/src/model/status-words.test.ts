import { afterEach, expect, test, vi } from "vitest";
import { collect } from "../../test/support/collect.ts";
import { type ModelServer, type ScriptedAnswer, modelServer, sse } from "../../test/support/model-server.ts";
import { anthropic } from "./anthropic.ts";
import type { ModelError } from "./error.ts";
import type { Model } from "./event.ts";
import { openai } from "./openai.ts";

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;
const servers: ModelServer[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function errorOf(answer: ScriptedAnswer, modelAt: (url: string) => Model): Promise<ModelError> {
  const server = await modelServer({ headers: { "content-type": "application/json" }, ...answer });
  servers.push(server);
  const { error } = await collect(modelAt(server.url).stream(REQUEST, new AbortController().signal));
  if (error === undefined) throw new Error("no error");
  error.message = error.message.replaceAll(new URL(server.url).host, "HOST");
  return error;
}

const claude = (baseURL: string): Model => anthropic({ model: "claude-test", apiKey: "key", baseURL });
const saying = (message: string): string => JSON.stringify({ type: "error", error: { type: "x", message } });

test("each status says what happened, what to do, and what the server said", async () => {
  for (const [status, said, headers, words] of [
    [401, "invalid x-api-key", {}, "The API key was refused by HOST (401). Check the apiKey option."],
    [
      403,
      "no",
      {},
      'Access to "claude-test" was denied by HOST (403). Check that the apiKey option has access to it.',
    ],
    [
      404,
      "model: claude-test",
      {},
      'The model "claude-test" was not found at HOST (404). Check the model name.',
    ],
    [404, "Not Found", {}, "http://HOST/v1/messages was not found (404). Check the baseURL option."],
    [
      413,
      "too big",
      {},
      "The request is too large for HOST (413). Compact the conversation, or attach less.",
    ],
    [
      400,
      "prompt is too long: 2 > 1",
      {},
      "The conversation is too long for the model (400). Compact it, or start a new one.",
    ],
    [
      400,
      "max_tokens: too low",
      {},
      "HOST rejected the request (400). Correct what the server message names.",
    ],
    [
      429,
      "slow",
      { "retry-after": "3" },
      "The rate limit of HOST is reached (429). Wait 3 s before the next request.",
    ],
    [429, "slow", {}, "The rate limit of HOST is reached (429). Send fewer requests at a time."],
    [
      429,
      "You exceeded your current quota",
      {},
      "A spending limit of your account at HOST is reached (429). Raise the limit, or use another key.",
    ],
    [
      429,
      "slow",
      { "retry-after": "2592000" },
      "The rate limit of HOST is reached (429). The server asks to wait 30 days: check the limits of your account, or use another model.",
    ],
    [500, "oops", {}, "HOST failed to process the request (500). This is a server error: try again later."],
    [529, "Overloaded", {}, "HOST is overloaded (529). Try again later, or use another model."],
    [503, "busy", {}, "HOST is overloaded (503). Try again later, or use another model."],
  ] as const) {
    const json = { "content-type": "application/json" };
    const error = await errorOf({ status, headers: { ...json, ...headers }, pieces: [saying(said)] }, claude);
    expect(error.message).toBe(`${words} Server message: ${said}`);
  }
});

test("the variable that the key and the address came from is named, also if its value was passed on", async () => {
  const refused = { status: 401, pieces: [""] };
  const fromVariables = await errorOf(refused, (url) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "wrong");
    vi.stubEnv("ANTHROPIC_BASE_URL", url);
    return anthropic({ model: "claude-test" });
  });
  expect(fromVariables.message).toBe("The API key was refused by HOST (401). Check ANTHROPIC_API_KEY.");
  const passedOn = await errorOf(refused, (baseURL) => {
    vi.stubEnv("OPENAI_API_KEY", "wrong");
    return openai({ model: "gpt", apiKey: "wrong", baseURL });
  });
  expect(passedOn.message).toBe("The API key was refused by HOST (401). Check OPENAI_API_KEY.");
  for (const apiKey of ["", "none"]) {
    const without = await errorOf(refused, (baseURL) => openai({ model: "gpt", apiKey, baseURL }));
    expect(without.message).toBe("HOST requires an API key (401). Set OPENAI_API_KEY.");
  }
});

test("of a page, only the title is shown", async () => {
  const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>";
  const { message } = await errorOf({ status: 502, pieces: [page] }, claude);
  expect(message).toMatch(
    /^HOST failed to process the request \(502\)\. .* Server message: 502 Bad Gateway$/,
  );
  const silent = await errorOf({ status: 502, pieces: ["<html></html>"] }, claude);
  expect(silent.message).toMatch(/try again later\.$/);
});

test("an error inside a stream is reported in the same words, without its internal type", async () => {
  const stream = { "content-type": "text/event-stream" };
  const inStream = async (type: string, message: string): Promise<string> =>
    (await errorOf({ headers: stream, pieces: [sse([{ type: "error", error: { type, message } }])] }, claude))
      .message;
  expect(await inStream("overloaded_error", "Overloaded")).toBe(
    "HOST is overloaded. Try again later, or use another model. Server message: Overloaded",
  );
  expect(await inStream("api_error", "oops")).toBe(
    "HOST failed to process the request. This is a server error: try again later. Server message: oops",
  );
  expect(await inStream("authentication_error", "expired")).toBe(
    "The API key was refused by HOST. Check the apiKey option. Server message: expired",
  );
});
