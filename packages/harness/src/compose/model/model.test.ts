import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { UsageError } from "../error.ts";
import { chooseModel } from "./model.ts";
import { listModels } from "./model-list.ts";
import { modelWishes } from "./model-wishes.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function homeFolder(): string {
  const home = mkdtempSync(join(tmpdir(), "runahead-model-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const choose = (model: string | undefined, env: Record<string, string>, home = "/nowhere") =>
  chooseModel({ cwd: "/nowhere", home, env }, model === undefined ? {} : { model });

/** A server that answers every request with these models, and notes what was asked. */
async function server(ids: readonly string[]) {
  const asked: { url: string; key: string; model: string }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { url = "", headers } = request;
    const { model = "" } = JSON.parse(body || "{}") as { model?: string };
    asked.push({ url, key: headers.authorization ?? "", model });
    response.setHeader("content-type", "application/json");
    response.writeHead(url.endsWith("/models") ? 200 : 401);
    response.end(JSON.stringify({ data: ids.map((id) => ({ id })), error: { message: "no" } }));
  };
  const http = createServer((request, response) => void answer(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  closing.push(() => http.close());
  return { asked, host: `127.0.0.1:${(http.address() as AddressInfo).port}` };
}

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;

async function failure(model: Awaited<ReturnType<typeof choose>>["model"]): Promise<string> {
  try {
    for await (const event of model.stream(REQUEST, new AbortController().signal)) void event;
    return "no error";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test("a server is chosen by the first part of the name, and its errors name its own key", async () => {
  for (const [provider, variable, key] of [
    ["openrouter", "OPENROUTER_BASE_URL", "OPENROUTER_API_KEY"],
    ["ollama", "OLLAMA_HOST", "OLLAMA_API_KEY"],
    ["llamacpp", "LLAMACPP_HOST", "LLAMACPP_API_KEY"],
  ] as const) {
    const { asked, host } = await server([]);
    const address = provider === "openrouter" ? `http://${host}/api/v1` : host;
    const { model } = await choose(`${provider}/vendor/name`, {
      [variable]: address,
      ANTHROPIC_API_KEY: "other",
    });
    expect(model.name).toBe("vendor/name");
    expect(await failure(model)).toContain(`requires an API key (401). Set ${key}.`);
    expect(asked[0]).toMatchObject({ model: "vendor/name" });
    expect(asked[0]?.url).toMatch(/\/v1\/chat\/completions$/);
  }
});

test("at an address of one's own, the name of a vendor is a part of the model's name", async () => {
  const { asked, host } = await server([]);
  const env = { OPENAI_BASE_URL: `http://${host}/v1`, OPENAI_API_KEY: "key" };
  await failure((await choose("google/gemini-3", env)).model);
  expect(asked[0]).toMatchObject({ model: "google/gemini-3", key: "Bearer key" });
});

test("with keys for both, a vendor's name decides between Anthropic and the server at OPENAI_BASE_URL", async () => {
  const own = await server([]);
  const anthropic = await server([]);
  const env = {
    OPENAI_BASE_URL: `http://${own.host}/v1`,
    OPENAI_API_KEY: "key",
    ANTHROPIC_BASE_URL: `http://${anthropic.host}`,
    ANTHROPIC_API_KEY: "other",
  };
  for (const name of ["google/gemini-3", "openai/gpt-5.2", "anthropic/claude-sonnet-5"])
    await failure((await choose(name, env)).model);
  expect(own.asked.map(({ model }) => model)).toEqual(["google/gemini-3", "openai/gpt-5.2"]);
  expect(anthropic.asked.map(({ model }) => model)).toEqual(["claude-sonnet-5"]);
});

test("with keys for both, a name without claude goes to OpenAI's API, unless Anthropic's address is a custom one", async () => {
  const own = await server([]);
  const other = await server([]);
  const env = { OPENAI_BASE_URL: `http://${own.host}/v1`, OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "other" };
  await failure((await choose("qwen3", env)).model);
  expect(own.asked).toMatchObject([{ model: "qwen3" }]);
  const both = { ...env, ANTHROPIC_BASE_URL: `http://${other.host}` };
  for (const name of ["qwen3", "claude-sonnet-5"]) await failure((await choose(name, both)).model);
  expect(other.asked.map(({ model }) => model)).toEqual(["qwen3", "claude-sonnet-5"]);
});

test("a provider that is not installed is named with the command that installs it", async () => {
  const home = homeFolder();
  await expect(choose("bedrock/claude", {}, home)).rejects.toThrow(
    `The model "bedrock/claude" needs the package @ai-sdk/amazon-bedrock, which is not installed. Install it: npm install --prefix ${home}/.runahead @ai-sdk/amazon-bedrock`,
  );
});

test("a provider is loaded from the user's folder, with the exports of an import", async () => {
  const home = homeFolder();
  const folder = join(home, ".runahead/node_modules/@ai-sdk/mistral");
  mkdirSync(join(folder, "dist"), { recursive: true });
  const exports = { ".": { types: "./x.d.ts", import: "./dist/index.mjs", require: "./dist/index.js" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "@ai-sdk/mistral", exports }));
  writeFileSync(
    join(folder, "dist/index.mjs"),
    'export const mistral = (modelId) => ({ specificationVersion: "v3", provider: "mistral.chat", modelId, doStream() {} });',
  );
  const { model } = await choose("mistral/large", {}, home);
  expect(model.name).toBe("large");
  writeFileSync(
    join(home, ".runahead/node_modules/@ai-sdk/mistral/package.json"),
    JSON.stringify({ main: "gone.mjs" }),
  );
  await expect(choose("mistral/large", {}, home)).rejects.toThrow("Cannot load the package @ai-sdk/mistral");
});

test("the models of every configured server are listed, and a server that fails is named", async () => {
  const { host } = await server(["b", "a"]);
  const lists = await listModels({ OLLAMA_HOST: host, LLAMACPP_HOST: "127.0.0.1:1" });
  expect(lists[0]).toEqual({ provider: "ollama", models: ["ollama/a", "ollama/b"], problem: undefined });
  expect(lists[1]).toMatchObject({ provider: "llamacpp", models: [] });
  expect(lists[1]?.problem).toContain("127.0.0.1:1");
});

const settings = (values: Readonly<Record<string, unknown>>, trusted = true): LoadedSettings =>
  ({
    env: {},
    other: new Map(Object.entries(values).map(([key, value]) => [key, [{ value, name: "x", trusted }]])),
  }) as unknown as LoadedSettings;

test("effort and thinking come from the flags, then the environment, then trusted settings", () => {
  const all = {
    effortLevel: "low",
    thinking: "adaptive",
    fallbackModel: "other",
    models: { m: { contextTokens: 9 } },
  };
  expect(modelWishes({}, {}, settings(all))).toEqual({
    effort: "low",
    thinking: "adaptive",
    fallback: ["other"],
    models: { m: { contextTokens: 9 } },
  });
  const env = { RUNAHEAD_EFFORT: "high", MAX_THINKING_TOKENS: "0" };
  expect(modelWishes(env, {}, settings(all))).toMatchObject({ effort: "high", thinking: "off" });
  expect(modelWishes(env, { effort: "max", maxThinkingTokens: 2_000 }, settings(all))).toMatchObject({
    effort: "max",
    thinking: { budgetTokens: 2_000 },
  });
  expect(modelWishes({}, {}, settings(all, false))).toEqual({ models: {} });
  // What is wrong in a file was said when it was read, and does not keep the program from starting.
  expect(modelWishes({}, {}, settings({ effortLevel: "extreme" }))).toEqual({ models: {} });
  expect(() => modelWishes({}, { effort: "extreme" }, settings({}))).toThrow(
    '--effort: expected low, medium, high, xhigh, max or auto, got "extreme".',
  );
});

test("facts about models that cannot be used are refused with the file and the member", () => {
  for (const [facts, words] of [
    [{ price: { input: 1, output: 2 } }, '"price": "cacheRead" is required.'],
    [{ price: null }, '"price" must be an object, got null.'],
    [{ contextTokens: "50k" }, '"contextTokens" must be a number above 0, got "50k".'],
    [
      { context: 1 },
      'unknown option "context". Known options: contextTokens, maxOutputTokens, price, efforts, thinking, structuredOutput.',
    ],
    [5, "must be an object, got 5."],
  ] as const)
    expect(() => modelWishes({}, {}, settings({ models: { mine: facts } }))).toThrow(
      new UsageError(`x: the setting models: "mine"${typeof facts === "number" ? "" : ":"} ${words}`),
    );
});

test("the models setting and a fallback reach the models", async () => {
  const wishes = {
    effort: "high",
    fallback: ["claude-haiku-4-5", "opus"],
    models: { qwen: { contextTokens: 32_000 } },
  } as const;
  const chosen = await chooseModel(
    { cwd: "/nowhere", home: "/nowhere", env: { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } },
    { model: "qwen" },
    { wishes },
  );
  expect(chosen.model.facts).toMatchObject({ contextTokens: 32_000 });
  expect(chosen.fallback?.map(({ name }) => name)).toEqual(["claude-haiku-4-5", "claude-opus-5"]);
  expect(chosen.fallback?.[0]?.facts).toMatchObject({ contextTokens: 200_000 });
});

test("an error of a server names the variable that holds its address", async () => {
  for (const [name, variable] of [
    ["ollama/m", "OLLAMA_HOST"],
    ["llamacpp/m", "LLAMACPP_HOST"],
    ["openrouter/m", "OPENROUTER_BASE_URL"],
  ] as const) {
    // fetch refuses this port.
    const env = { [variable]: "http://127.0.0.1:9" };
    const { model } = await chooseModel({ cwd: "/nowhere", home: "/nowhere", env }, { model: name });
    const request = { system: "", tools: [], messages: [], maxTokens: 9 };
    const read = async (): Promise<void> => {
      for await (const _event of model.stream(request, new AbortController().signal));
    };
    await expect(read()).rejects.toThrow(`bad port. Check ${variable}.`);
  }
});

test("a model is not its own fallback", async () => {
  const env = { ANTHROPIC_API_KEY: "key" };
  const wishes = { fallback: ["claude-opus-5", "opus", "haiku"], models: {} };
  const chosen = await chooseModel({ cwd: "/nowhere", home: "/nowhere", env }, { model: "opus" }, { wishes });
  expect(chosen.fallback?.map(({ name }) => name)).toEqual(["claude-haiku-4-5"]);
});

test("a list of fallback models keeps its order, as an array and with commas", () => {
  const listed = { fallbackModel: ["a", "b", "a", " "] };
  expect(modelWishes({}, {}, settings(listed)).fallback).toEqual(["a", "b"]);
  expect(modelWishes({}, { fallbackModel: "x, y" }, settings(listed)).fallback).toEqual(["x", "y"]);
});
