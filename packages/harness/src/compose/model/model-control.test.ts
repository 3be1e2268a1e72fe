import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { ExchangeableModel } from "./exchangeable-model.ts";
import { ModelControl } from "./model-control.ts";
import { chooseModel } from "./model.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that keeps the bodies of its requests and answers nothing useful. */
async function address(bodies: Record<string, unknown>[]): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      bodies.push(JSON.parse(text) as Record<string, unknown>);
      response.writeHead(400, { "content-type": "application/json" }).end("{}");
    });
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function controlled() {
  const bodies: Record<string, unknown>[] = [];
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: await address(bodies) };
  const world = { cwd: "/nowhere", home: "/nowhere", env };
  const flags = { model: "claude-haiku-4-5", effort: "low" } as const;
  const settings = { env: {}, other: new Map(), sources: [], model: undefined } as unknown as LoadedSettings;
  const wishes = { effort: "low", models: {} } as const;
  const exchangeable = new ExchangeableModel((await chooseModel(world, flags, { wishes })).model);
  const control = new ModelControl({ exchangeable, world, flags, settings });
  const next = async (): Promise<Record<string, unknown>> => {
    const request = {
      system: "",
      tools: [],
      messages: [{ role: "user", content: "go" }],
      maxTokens: 20_000,
    } as const;
    const read = async (): Promise<void> => {
      for await (const _ of exchangeable.stream(request, new AbortController().signal));
    };
    await expect(read()).rejects.toThrow();
    return bodies.at(-1) ?? {};
  };
  return { control, next };
}

test("a limit on thinking counts from the next request on, also for a model that is set later", async () => {
  const { control, next } = await controlled();
  expect(await next()).toMatchObject({ thinking: { type: "enabled", budget_tokens: 4_000 } });
  await control.setMaxThinkingTokens(2_000);
  expect(await next()).toMatchObject({ thinking: { type: "enabled", budget_tokens: 2_000 } });
  await control.setModel("claude-sonnet-4-5");
  expect(await next()).toMatchObject({
    model: "claude-sonnet-4-5",
    thinking: { type: "enabled", budget_tokens: 2_000 },
  });
  await control.setMaxThinkingTokens(0);
  expect(await next()).toMatchObject({ thinking: { type: "disabled" } });
});

test("without a limit and a name, the model of the start answers again, and another model keeps the effort", async () => {
  const { control, next } = await controlled();
  await control.setModel("claude-opus-4-5");
  expect(await next()).toMatchObject({ model: "claude-opus-4-5", output_config: { effort: "low" } });
  await control.setMaxThinkingTokens(1_500);
  await control.setModel(undefined);
  await control.setMaxThinkingTokens(undefined);
  expect(await next()).toMatchObject({
    model: "claude-haiku-4-5",
    thinking: { type: "enabled", budget_tokens: 4_000 },
  });
});
