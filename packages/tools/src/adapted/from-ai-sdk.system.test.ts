import { type AnyTool, type ExecutorOptions, StreamingToolExecutor, type ToolResult } from "@runahead/engine";
import { dynamicTool, jsonSchema, tool, zodSchema } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { pngBytes } from "../../test/support/image-bytes.ts";
import { toAnthropicTools } from "@runahead/engine";
import { fromAiSdk } from "./from-ai-sdk.ts";

interface Ran {
  readonly result: Pick<ToolResult, "content" | "is_error">;
  readonly progress: unknown[];
  readonly output: unknown;
}

/** One call through the real executor. */
async function calling(
  adapted: AnyTool,
  input: unknown,
  options: Partial<ExecutorOptions> = {},
): Promise<Ran> {
  const executor = new StreamingToolExecutor({ tools: [adapted], ...options });
  executor.add({ id: "call-1", name: adapted.name, input });
  executor.end();
  const progress: unknown[] = [];
  for await (const update of executor.remaining()) {
    if (update.type === "progress") progress.push(update.data);
    else
      return {
        result: { content: update.result.content, is_error: update.result.is_error },
        progress,
        output: update.output,
      };
  }
  throw new Error("the call has no result");
}

function text(words: string): Pick<ToolResult, "content" | "is_error"> {
  return { content: [{ type: "text", text: words }], is_error: false };
}

function fail(words: string): never {
  throw new Error(words);
}

const city = z.object({ city: z.string().describe("Where."), days: z.int().default(1) });

test("a tool with a Zod schema runs with its defaults filled in, and its output is read as JSON", async () => {
  const seen: unknown[] = [];
  const weather = tool({
    description: "The weather.",
    inputSchema: city,
    execute: (input, { toolCallId, abortSignal, messages }) => {
      seen.push(input, toolCallId, abortSignal instanceof AbortSignal, messages);
      return { degrees: 21, in: input.city };
    },
  });
  const adapted = fromAiSdk("weather", weather);
  const { result, output } = await calling(adapted, { city: "Bern" });
  expect(result).toEqual(text('{"degrees":21,"in":"Bern"}'));
  expect(output).toMatchObject({ output: { degrees: 21, in: "Bern" } });
  expect(seen).toEqual([{ city: "Bern", days: 1 }, "call-1", true, []]);
});

test("every kind of schema is sent to the model as JSON Schema and validated before the call", async () => {
  const forms = {
    zod: city,
    wrapped: zodSchema(city),
    lazy: () => zodSchema(city),
    plain: jsonSchema<{ city: string }>({
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
    }),
  };
  for (const [name, inputSchema] of Object.entries(forms)) {
    const adapted = fromAiSdk(name, dynamicTool({ inputSchema, execute: async (input) => input }));
    expect(toAnthropicTools([adapted])[0]).toMatchObject({
      name,
      description: "",
      input_schema: { type: "object", properties: { city: { type: "string" } } },
    });
    expect((await calling(adapted, { city: "Bern" })).result.is_error).toBe(false);
    const { result } = await calling(adapted, { city: 7 });
    expect(result.is_error).toBe(true);
    expect(result.content).toContain(`InputValidationError: ${name} cannot take this input:\n- \`city\`: `);
  }
});

test("what an execute yields is progress, and the last of it the result", async () => {
  const counting = tool({
    inputSchema: z.object({}),
    async *execute() {
      yield "one";
      yield { at: 2 };
      yield "three";
    },
  });
  const { result, progress } = await calling(fromAiSdk("counting", counting), {});
  expect(progress).toEqual([
    { type: "status", message: "one", output: "one" },
    { type: "status", message: "Intermediate result", output: { at: 2 } },
    { type: "status", message: "three", output: "three" },
  ]);
  expect(result).toEqual(text("three"));
});

test("C15: toModelOutput makes the result, and images in it are checked before they enter the history", async () => {
  const good = pngBytes(4, 4).toString("base64");
  const picture = tool({
    inputSchema: z.object({}),
    execute: async () => "done",
    toModelOutput: ({ output }) => ({
      type: "content",
      value: [
        { type: "text", text: `It is ${output}.` },
        { type: "image-data", data: good, mediaType: "image/jpeg" },
        { type: "image-data", data: "", mediaType: "image/png" },
        { type: "image-data", data: Buffer.from("no image").toString("base64"), mediaType: "image/png" },
        { type: "image-url", url: "https://example.com/a.png" },
        { type: "file-data", data: "JVBERi0=", mediaType: "application/pdf" },
        { type: "file-data", data: Buffer.from("words").toString("base64"), mediaType: "text/plain" },
        { type: "file-id", fileId: "file-1" },
      ],
    }),
  });
  const { result } = await calling(fromAiSdk("picture", picture), {});
  expect(result).toEqual({
    is_error: false,
    content: [
      { type: "text", text: "It is done." },
      { type: "image", source: { type: "base64", media_type: "image/png", data: good } },
      { type: "text", text: "[Cannot show the image in the result: the file is empty.]" },
      {
        type: "text",
        text: "[Cannot show the image in the result: its content is not PNG, JPEG, GIF or WebP, whatever its name says.]",
      },
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
      { type: "text", text: "words" },
      { type: "text", text: "[A part of the result (file-id) cannot be shown.]" },
    ],
  });
});

test("an output that means error or denial is not a success, nor is an error that execute throws", async () => {
  const saying = (value: object) =>
    tool({
      inputSchema: z.object({}),
      execute: async () => 1,
      toModelOutput: () => value as { type: "text"; value: string },
    });
  const said = async (value: object) => (await calling(fromAiSdk("x", saying(value)), {})).result;
  expect(await said({ type: "error-text", value: "no luck" })).toEqual({
    content: "Error: no luck",
    is_error: true,
  });
  expect(await said({ type: "error-json", value: { code: 7 } })).toEqual({
    content: 'Error: {"code":7}',
    is_error: true,
  });
  expect(await said({ type: "execution-denied", reason: "not today" })).toEqual({
    content: "Error: Not run: not today",
    is_error: true,
  });
  expect(await said({ type: "json", value: [1, 2] })).toEqual(text("[1,2]"));
  const throwing = tool({ inputSchema: z.object({}), execute: (): string => fail("broken") });
  const { result } = await calling(fromAiSdk("x", throwing), {});
  expect([result.is_error, String(result.content).split("\n")[0]]).toEqual([true, "Error: broken"]);
});

test("undefined, cyclic and bigint outputs are rendered as by the engine", async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const values: unknown[] = [undefined, "", circle, 12n, [{ type: "image" }]];
  const contents: unknown[] = [];
  for (const value of values) {
    const adapted = fromAiSdk("x", dynamicTool({ inputSchema: z.object({}), execute: async () => value }));
    contents.push((await calling(adapted, {})).result.content);
  }
  expect(contents).toEqual([
    "(x completed with no output)",
    "(x completed with no output)",
    [{ type: "text", text: '{"self":"[circular]"}' }],
    [{ type: "text", text: "12" }],
    [{ type: "text", text: '[{"type":"image"}]' }],
  ]);
});

test("a tool that needs approval asks, whatever the rules allow, and is not run without it", async () => {
  let runs = 0;
  const careful = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 10,
    execute: async () => ++runs,
  });
  const adapted = fromAiSdk("pay", careful);
  const reasons: string[] = [];
  const answering = (behavior: "allow" | "deny") => ({
    ask: ({ reason }: { reason: string }) => {
      reasons.push(reason);
      return behavior === "allow" ? { behavior } : { behavior, message: "too much" };
    },
  });
  expect((await calling(adapted, { amount: 1 })).result).toEqual(text("1"));
  expect((await calling(adapted, { amount: 11 })).result.is_error).toBe(true);
  expect((await calling(adapted, { amount: 11 }, answering("deny"))).result).toEqual({
    content: "Error: Not run: the user did not approve it. too much",
    is_error: true,
  });
  expect((await calling(adapted, { amount: 11 }, answering("allow"))).result).toEqual(text("2"));
  expect(reasons).toEqual(["The tool pay requires approval.", "The tool pay requires approval."]);
  expect(runs).toBe(2);
});

test("the signal reaches the tool, and a generator is closed when its call is stopped", async () => {
  const controller = new AbortController();
  let isClosed = false;
  const endless = tool({
    inputSchema: z.object({}),
    async *execute(_input, { abortSignal }) {
      try {
        for (let at = 0; ; at++) {
          yield at;
          if (at === 3) controller.abort("stop");
          if (abortSignal?.aborted === true) yield "late";
        }
      } finally {
        isClosed = true;
      }
    },
  });
  const { result } = await calling(fromAiSdk("endless", endless), {}, { signal: controller.signal });
  expect([String(result.content).startsWith("Stopped after"), isClosed]).toEqual([true, true]);
});

test("declarations can be added, and tools that cannot be run here are refused at once", async () => {
  const looking = fromAiSdk("look", tool({ inputSchema: z.object({}), execute: async () => "x" }), {
    isReadOnly: () => true,
    access: () => [],
    aliases: ["Look"],
  });
  expect([looking.isReadOnly?.({}), looking.access?.({}, { cwd: "/" }), looking.aliases]).toEqual([
    true,
    [],
    ["Look"],
  ]);
  expect(() => fromAiSdk("far", tool({ inputSchema: z.object({}), outputSchema: z.string() }))).toThrow(
    'fromAiSdk: the tool "far" has no execute function. Tools that run elsewhere cannot be adapted.',
  );
  const later = jsonSchema(Promise.resolve({ type: "object" as const }));
  expect(() => fromAiSdk("later", tool({ inputSchema: later, execute: async () => 1 }))).toThrow(
    'fromAiSdk: the input schema of the tool "later" has no JSON Schema, or only a promise of one.',
  );
});
