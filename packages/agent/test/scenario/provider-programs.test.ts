/** Scripts that OpenAI runs on its servers, with calls of tools that run here. */

import { defineTool } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { openai } from "../../src/model/openai.ts";
import type { ProviderPrograms } from "../../src/model/provider-programs.ts";
import { type ScriptedAnswer, modelServer, sse } from "../support/model-server.ts";
import { runQuery } from "../support/run-query.ts";

const PROGRAM = {
  type: "program",
  id: "prog_1",
  call_id: "call_prog",
  code: `text(await Promise.all([tools.Price({ sku: "a" }), tools.Price({ sku: "bb" })]));`,
  fingerprint: "opaque",
};
const CALLER = { type: "program", caller_id: "call_prog" };
const call = (id: string, sku: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name: "Price",
  arguments: JSON.stringify({ sku }),
  caller: CALLER,
  status: "completed",
});
const OUTPUT = {
  type: "program_output",
  id: "out_1",
  call_id: "call_prog",
  result: "1,2",
  status: "completed",
};
const MESSAGE = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Done.", annotations: [] }],
};

function response(...output: readonly object[]): ScriptedAnswer {
  const items = output.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item },
    { type: "response.output_item.done", output_index, item },
  ]);
  const usage = { input_tokens: 1, output_tokens: 1 };
  const about = { id: "resp_1", model: "gpt-test" };
  return {
    pieces: [
      sse([
        { type: "response.created", response: about },
        ...items,
        { type: "response.completed", response: { ...about, status: "completed", output, usage } },
      ]),
    ],
  };
}

async function run(codeExecution: ProviderPrograms) {
  const server = await modelServer(
    response(PROGRAM, call("call_a", "a"), call("call_b", "bb")),
    response(OUTPUT, MESSAGE),
  );
  onTestFinished(() => server.close());
  const price = defineTool({
    name: "Price",
    description: "Looks up a price.",
    inputSchema: z.object({ sku: z.string() }),
    isReadOnly: () => true,
    call: ({ sku }) => String(sku.length),
  });
  const model = openai({
    model: "gpt-test",
    apiKey: "key",
    baseURL: `${server.url}/v1`,
    api: "responses",
    codeExecution,
  });
  const { result } = await runQuery({
    model,
    tools: [price, { ...price, name: "Other" }],
    prompt: "go",
    canUseTool: (_tool, input) => ({
      behavior: JSON.stringify(input).includes("bb") ? "deny" : "allow",
      reason: "no",
    }),
  });
  return { result, bodies: server.requests.map(({ body }) => body) };
}

test("the calls of OpenAI's scripts run here, judged like other calls, and their results name the script", async () => {
  const { result, bodies } = await run({ tools: ["Price"] });
  const tools = bodies[0]?.["tools"] as readonly Readonly<Record<string, unknown>>[];
  expect(tools.map(({ type, name, allowed_callers }) => [type, name, allowed_callers])).toEqual([
    ["programmatic_tool_calling", undefined, undefined],
    ["function", "Price", ["programmatic"]],
    ["function", "Other", undefined],
  ]);
  const input = bodies[1]?.["input"] as readonly Readonly<Record<string, unknown>>[];
  expect(input.slice(1, 2)).toEqual([PROGRAM]);
  expect(input.slice(2, 4)).toMatchObject([{ caller: CALLER }, { caller: CALLER }]);
  expect(input.slice(4)).toMatchObject([
    { type: "function_call_output", call_id: "call_a", output: "1", caller: CALLER },
    { type: "function_call_output", call_id: "call_b", caller: CALLER },
  ]);
  expect([result.text, String(input[5]?.["output"])]).toEqual(["Done.", expect.stringContaining("no")]);
});

test("with alsoDirect the model can call the tools itself, too; without such a tool nothing is added", async () => {
  const both = await run({ tools: ["Price"], alsoDirect: true });
  expect(JSON.stringify(both.bodies[0]?.["tools"])).toContain('"allowed_callers":["direct","programmatic"]');
  const none = await run({ tools: ["Nope"] });
  expect(JSON.stringify(none.bodies[0]?.["tools"])).not.toContain("programmatic");
});

test("the option is checked, and needs the Responses API", () => {
  const made = (options: object) => () => openai({ model: "m", apiKey: "key", ...options });
  expect(made({ codeExecution: { tools: [] } })).toThrow("the names of one or more tools");
  expect(made({ codeExecution: { tools: ["A"], version: "x" } })).toThrow('unknown option "version"');
  const chat = made({ api: "chat", codeExecution: { tools: ["A"] } })();
  const request = { system: "", tools: [], messages: [], maxTokens: 1 };
  expect(() => chat.stream(request, new AbortController().signal)).toThrow(
    'codeExecution needs the Responses API. Set api to "responses", or remove codeExecution.',
  );
});
