import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { type AnyTool, type ExecutorOptions, StreamingToolExecutor, type ToolResult } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { pngBytes } from "../../test/support/image-bytes.ts";
import { toAnthropicTools } from "@runahead/engine";
import { fromAnthropicTool } from "./from-anthropic.ts";

async function calling(
  adapted: AnyTool,
  input: unknown,
  options: Partial<ExecutorOptions> = {},
): Promise<ToolResult> {
  const executor = new StreamingToolExecutor({ tools: [adapted], ...options });
  executor.add({ id: "call-1", name: adapted.name, input });
  executor.end();
  for await (const update of executor.remaining()) if (update.type === "result") return update.result;
  throw new Error("the call has no result");
}

test("a Zod tool runs with parsed input and the context that the SDK gives, and its result is passed to the model unchanged", async () => {
  const seen: unknown[] = [];
  const weather = betaZodTool({
    name: "weather",
    description: "The weather.",
    inputSchema: z.object({ city: z.string(), days: z.int().default(1) }),
    run: (input, context) => {
      seen.push(input, context?.toolUse.id, context?.toolUse.name, context?.signal instanceof AbortSignal);
      return `${input.city}: 21`;
    },
  });
  const adapted = fromAnthropicTool(weather);
  expect(await calling(adapted, { city: "Bern" })).toMatchObject({
    content: [{ type: "text", text: "Bern: 21" }],
    is_error: false,
  });
  expect(seen).toEqual([{ city: "Bern", days: 1 }, "call-1", "weather", true]);
  const { $schema: _address, ...input_schema } = (weather as { input_schema: Record<string, unknown> })
    .input_schema;
  expect(toAnthropicTools([adapted])).toEqual([
    { name: "weather", description: "The weather.", input_schema },
  ]);
});

test("wrong input is said field by field, for Zod tools and for those with a JSON Schema", async () => {
  const zod = betaZodTool({
    name: "a",
    description: "",
    inputSchema: z.object({ city: z.string() }),
    run: () => "x",
  });
  const json = betaTool({
    name: "b",
    description: "",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: ({ city }) => `in ${city}`,
  });
  for (const one of [zod, json]) {
    const { content, is_error } = await calling(fromAnthropicTool(one), {});
    expect([is_error, String(content)]).toEqual([
      true,
      `<tool_use_error>InputValidationError: ${one.name} cannot take this input:\n- the required parameter \`city\` is missing</tool_use_error>`,
    ]);
  }
  expect((await calling(fromAnthropicTool(json), { city: "Bern" })).content).toEqual([
    { type: "text", text: "in Bern" },
  ]);
});

test("C15: blocks are passed on, images checked, and those that the engine does not know are said as text", async () => {
  const data = pngBytes(3, 3).toString("base64");
  const many = betaZodTool({
    name: "many",
    description: "",
    inputSchema: z.object({}),
    run: async () => [
      { type: "text", text: "see" },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] },
    ],
  });
  expect((await calling(fromAnthropicTool(many), {})).content).toEqual([
    { type: "text", text: "see" },
    { type: "image", source: { type: "base64", media_type: "image/png", data } },
    {
      type: "text",
      text: "[Cannot show the image in the result: its content is not PNG, JPEG, GIF or WebP, whatever its name says.]",
    },
    { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    {
      type: "text",
      text: '{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]}',
    },
  ]);
});

test("a ToolError shows its content, any other error its message, and an empty result is marked as empty", async () => {
  const failing = (error: Error) => {
    const run = async (): Promise<string> => {
      throw error;
    };
    return betaZodTool({ name: "f", description: "", inputSchema: z.object({}), run });
  };
  const blocks = new ToolError([
    { type: "text", text: "first" },
    { type: "image", source: { type: "url", url: "https://x.example/a.png" } },
  ]);
  expect(await calling(fromAnthropicTool(failing(blocks)), {})).toMatchObject({
    content: "Error: first\n[image]",
    is_error: true,
  });
  expect((await calling(fromAnthropicTool(failing(new ToolError("just so"))), {})).content).toBe(
    "Error: just so",
  );
  const { content, is_error } = await calling(fromAnthropicTool(failing(new Error("broken"))), {});
  expect([is_error, String(content).split("\n")[0]]).toEqual([true, "Error: broken"]);
  const silent = betaZodTool({ name: "s", description: "", inputSchema: z.object({}), run: () => "" });
  expect((await calling(fromAnthropicTool(silent), {})).content).toBe("(s completed with no output)");
});

test("the signal reaches the tool, declarations can be added, and tools that run elsewhere are refused", async () => {
  const controller = new AbortController();
  const waiting = betaZodTool({
    name: "w",
    description: "",
    inputSchema: z.object({}),
    run: (_input, context) =>
      new Promise((_resolve, reject) => {
        context?.signal?.addEventListener("abort", () => reject(new Error("heard")));
        controller.abort("stop");
      }),
  });
  const adapted = fromAnthropicTool(waiting, { isReadOnly: () => true });
  expect(adapted.isReadOnly?.({})).toBe(true);
  expect(String((await calling(adapted, {}, { signal: controller.signal })).content)).toMatch(
    /^Stopped after /,
  );
  const elsewhere = { type: "bash_20250124", name: "bash", run: () => "x" };
  expect(() => fromAnthropicTool(undefined as never)).toThrow("expected a tool of the Anthropic SDK");
  expect(() => fromAnthropicTool(elsewhere)).toThrow(
    'fromAnthropicTool: the tool "bash" has no run function or no input_schema. Tools that run on the server cannot be adapted.',
  );
});
