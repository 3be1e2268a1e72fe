import { setImmediate as nextTick } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { jsonSchema, streamText, tool, wrapLanguageModel } from "ai";
import { expect, test } from "vitest";
import { LiveStream } from "./early-middleware.ts";
import { early, earlyMiddleware } from "./early.ts";

const RESPONSES = 20;
/** Each look collects the garbage of the whole process. */
const SELDOM = { interval: 500 };

type Wrapped = Parameters<typeof wrapLanguageModel>[0]["model"];

/** A model whose responses make one call each, and never the same one twice. */
function callingModel(toolName: string): Wrapped {
  let made = 0;
  const parts = (): object[] => {
    const toolCallId = `call-${++made}`;
    const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
    return [
      { type: "stream-start", warnings: [] },
      { type: "tool-input-start", id: toolCallId, toolName },
      { type: "tool-input-end", id: toolCallId },
      { type: "tool-call", toolCallId, toolName, input: `{"at":${made}}` },
      {
        type: "finish",
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: 0 } },
      },
    ];
  };
  return {
    specificationVersion: "v3",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  } as unknown as Wrapped;
}

/** How many of these are still in memory, after the garbage was collected. */
function kept(kind: new (...given: never[]) => object): number {
  return queryObjects(kind, { format: "count" });
}

const inputSchema = jsonSchema<{ at: number }>({ type: "object", properties: { at: { type: "number" } } });

test("with the middleware, responses that have ended are not kept", async () => {
  const look = tool({ inputSchema, execute: async ({ at }) => at });
  const tools = early({ look }, { declare: { look: { isReadOnly: () => true } } });
  const model = wrapLanguageModel({ model: callingModel("look"), middleware: earlyMiddleware(tools) });
  const before = kept(LiveStream);
  for (let left = RESPONSES; left > 0; left--)
    await streamText({ model, tools, prompt: "go", maxRetries: 0 }).consumeStream();
  await nextTick();
  // A stream that is kept keeps its response, and the other way round.
  await expect.poll(() => kept(LiveStream) - before, SELDOM).toBeLessThan(RESPONSES / 4);
  // The tools are used here, so that what they keep was counted.
  expect(Object.keys(tools)).toEqual(["look"]);
});

test("with the middleware, calls that the SDK never asks for are kept up to a limit", async () => {
  const tools = early({ look: tool({ inputSchema, execute: async ({ at }) => at }) });
  const model = callingModel("look") as unknown as { doStream: () => PromiseLike<{ stream: unknown }> };
  const middleware = earlyMiddleware(tools);
  const before = kept(LiveStream);
  for (let left = 1_500; left > 0; left--) {
    const { stream } = (await middleware.wrapStream({ doStream: () => model.doStream() } as never)) as {
      stream: AsyncIterable<unknown>;
    };
    for await (const _part of stream);
  }
  await nextTick();
  await expect.poll(() => kept(LiveStream) - before, SELDOM).toBeLessThanOrEqual(1_000);
  expect(Object.keys(tools)).toEqual(["look"]);
});
