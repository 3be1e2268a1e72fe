import { createAnthropic } from "@ai-sdk/anthropic";
import { type LanguageModelMiddleware, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import {
  type SteppedAnswer,
  type SteppedServer,
  moment,
  steppedServer,
} from "../../../agent/test/support/stepped-server.ts";
import { until } from "../../../agent/test/support/until.ts";
import { early, earlyMiddleware } from "./early.ts";

const open: SteppedServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

const begin = sse([messageStart]);
const finish = (reason = "tool_use"): string => sse(messageEnd(reason));
const call = (index: number, name: string, input: object): string =>
  sse([
    {
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    },
    {
      type: "content_block_delta",
      index,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    },
    { type: "content_block_stop", index },
  ]);
const done: SteppedAnswer = () => [begin + sse(textBlock(0, "Done.")) + finish("end_turn")];

/** Two edits of one file, so that the second becomes free when the first ends. */
function world() {
  const log: string[] = [];
  const firstMayEnd = moment();
  const edit = tool({
    inputSchema: z.object({ path: z.string() }),
    execute: async ({ path }, { toolCallId, abortSignal }) => {
      log.push(`begin ${toolCallId}`);
      if (toolCallId === "toolu_0")
        await Promise.race([
          firstMayEnd.reached,
          new Promise<void>((resolve) => abortSignal?.addEventListener("abort", () => resolve())),
        ]);
      log.push(`${abortSignal?.aborted === true ? "stopped" : "end"} ${toolCallId}`);
      return path;
    },
  });
  const declare = {
    edit: { access: ({ path }: { path: string }) => [{ mode: "write" as const, place: `memory:/${path}` }] },
  };
  return { log, firstMayEnd, tools: early({ edit }, { declare }) };
}

async function talk(
  tools: ReturnType<typeof world>["tools"],
  ...answers: readonly SteppedAnswer[]
): Promise<void> {
  const server = await steppedServer(...answers);
  open.push(server);
  const claude = createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "none" })("claude-test");
  const model = wrapLanguageModel({ model: claude, middleware: earlyMiddleware(tools) });
  const result = streamText({
    model,
    tools,
    prompt: "go",
    stopWhen: stepCountIs(5),
    maxRetries: 0,
    onError: () => {},
  });
  try {
    await result.consumeStream({ onError: () => {} });
  } catch {
    // The response broke off.
  }
}

const TWO_EDITS = begin + call(0, "edit", { path: "a" }) + call(1, "edit", { path: "a" });

test("with the middleware, a call that becomes free while text streams starts at once", async () => {
  const { log, firstMayEnd, tools } = world();
  await talk(
    tools,
    async function* () {
      yield TWO_EDITS;
      await until(() => log.includes("begin toolu_0"));
      yield sse(textBlock(2, "Meanwhile"));
      firstMayEnd.reach();
      // Nothing is sent, and the SDK reports nothing: only the open stream says that the response is there.
      await until(() => log.includes("end toolu_1"));
      log.push("end of the response");
      yield finish();
    },
    done,
  );
  expect(log).toEqual([
    "begin toolu_0",
    "end toolu_0",
    "begin toolu_1",
    "end toolu_1",
    "end of the response",
  ]);
});

test("a response that breaks off stops what runs, and what waits does not start", async () => {
  const { log, firstMayEnd, tools } = world();
  await talk(tools, async function* () {
    yield TWO_EDITS;
    await until(() => log.includes("begin toolu_0"));
    throw new Error("the line is dead");
  });
  await until(() => log.length > 1);
  firstMayEnd.reach();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(log).toEqual(["begin toolu_0", "stopped toolu_0"]);
});

test("after a response that reached its length limit nothing starts any more", async () => {
  const { log, firstMayEnd, tools } = world();
  await talk(tools, async function* () {
    yield TWO_EDITS;
    await until(() => log.includes("begin toolu_0"));
    yield finish("max_tokens");
  });
  firstMayEnd.reach();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(log).toEqual(["begin toolu_0", "end toolu_0"]);
});

test("the SDK accepts it as middleware, and only with tools of early()", () => {
  const middleware: LanguageModelMiddleware = earlyMiddleware(early({}));
  expect(middleware.wrapStream).toBeTypeOf("function");
  expect(() => earlyMiddleware({})).toThrow("earlyMiddleware takes the tools that early() returned.");
});

test("the types of inputs are inferred from the tools", () => {
  const read = tool({
    inputSchema: z.object({ path: z.string(), lines: z.number() }),
    execute: async () => "",
  });
  const remote = tool({ inputSchema: z.object({ query: z.string() }) });
  early(
    { read, remote },
    {
      declare: {
        read: {
          access: ({ path }) => [{ mode: "read", place: `fs:/${path}` }],
          // @ts-expect-error The tool has no such input.
          isReadOnly: ({ pth }) => pth !== "",
          timeoutMs: ({ lines }) => lines * 10,
        },
      },
    },
  );
});

test("a warning says once that nothing is declared and calls run one by one", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", listen);
  const go = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => "x" });
  const calls = begin + [0, 1, 2].map((at) => call(at, "go", { path: `${at}` })).join("") + finish();
  for (const tools of [early({ go }), early({ go }, { declare: { go: { isReadOnly: () => true } } })])
    await talk(
      tools as never,
      () => [calls],
      () => [calls],
      done,
    );
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings.filter((message) => message.startsWith("early: no tool is declared"))).toHaveLength(1);
});
