import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  type Model,
  type Session,
  agentTool,
  query,
  scripted,
  sessions,
} from "@runahead/agent";
import { type AnyTool, defineTool } from "@runahead/engine";
import { type UIMessage, type UIMessageChunk, readUIMessageStream } from "ai";
import { afterEach, beforeEach, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { UiChunk } from "./ui-chunk.ts";
import { type UiStreamOptions, toUIMessageStream, uiApprovals } from "./ui-stream.ts";

let home = "";
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "runahead-ui-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const use = (id: string, name: string, input: object = {}) =>
  ({ type: "tool_use", id, name, input }) as const;
const text = (said: string) => ({ type: "text", text: said }) as const;

const tools: AnyTool[] = [
  defineTool({
    name: "Look",
    description: "Looks.",
    inputSchema: z.object({}),
    isReadOnly: () => true,
    call: (_input, { progress }) => {
      progress({ type: "status", text: "half" });
      return { found: 3 };
    },
  }),
  defineTool({
    name: "Refund",
    description: "Refunds.",
    inputSchema: z.object({ order: z.number() }),
    describe: ({ order }) => `Refund order ${order}`,
    call: ({ order }) => {
      if (order === 13) throw new Error("no such order");
      return `order ${order} is refunded`;
    },
  }),
];

/** What the SDK's own reader makes of the chunks. */
async function read(
  run: AsyncIterable<AgentEvent>,
  { message, ...options }: UiStreamOptions & { message?: UIMessage | undefined } = {},
) {
  const chunks: UiChunk[] = [];
  const stream = toUIMessageStream(run, options).pipeThrough(
    new TransformStream<UiChunk, UIMessageChunk>({
      transform: (chunk, controller) => {
        chunks.push(chunk);
        controller.enqueue(chunk);
      },
    }),
  );
  const seen: UIMessage[] = [];
  const errors: unknown[] = [];
  const reader = readUIMessageStream({
    stream,
    ...(message === undefined ? {} : { message }),
    onError: (error) => errors.push(error),
  });
  for await (const state of reader) seen.push(structuredClone(state));
  return { last: seen.at(-1) as UIMessage, seen, errors, types: chunks.map(({ type }) => type) };
}

const callsOf = ({ parts }: UIMessage) =>
  parts.flatMap((part) =>
    part.type === "dynamic-tool"
      ? [[part.toolName, part.state, part.state === "output-error" ? part.errorText : part.output]]
      : [],
  );

test("the client gets what went wrong with a call, without the marks for the model", async () => {
  const model = scripted([[use("1", "Refund", { order: "x" }), use("2", "Nothing")], [text("Done.")]]);
  const { last } = await read(query({ model, tools, prompt: "go" }));
  expect(callsOf(last).map(([, , errorText]) => errorText)).toEqual([
    expect.stringMatching(/^InputValidationError: [^<]*$/),
    expect.stringMatching(/^Error: No such tool available: Nothing\.[^<]*$/),
  ]);
});

test("chunks have the types of the AI SDK", () => {
  expectTypeOf<UiChunk>().toExtend<UIMessageChunk>();
});

test("text, thinking, calls with progress, and the end become a message of the AI SDK", async () => {
  const model = scripted([
    [
      { type: "thinking", thinking: "Hm." },
      text("Let me look."),
      use("1", "Look"),
      use("2", "Refund", { order: 13 }),
    ],
    [text("There are 3.")],
  ]);
  const { last, seen, errors, types } = await read(query({ model, tools, prompt: "go" }));
  expect(errors).toEqual([]);
  expect(last.parts.map(({ type }) => type)).toEqual([
    "step-start",
    "reasoning",
    "text",
    "dynamic-tool",
    "dynamic-tool",
    "step-start",
    "text",
  ]);
  expect(callsOf(last)).toEqual([
    ["Look", "output-available", { found: 3 }],
    ["Refund", "output-error", "Error: no such order"],
  ]);
  const outputs = seen.flatMap((state) =>
    callsOf(state)
      .filter(([name]) => name === "Look")
      .map(([, , output]) => output),
  );
  expect(outputs).toContainEqual({ type: "status", text: "half" });
  expect(last.parts.flatMap((part) => (part.type === "text" ? [[part.text, part.state]] : []))).toEqual([
    ["Let me look.", "done"],
    ["There are 3.", "done"],
  ]);
  expect(last.metadata).toMatchObject({ reason: "completed", turns: 2 });
  expect([types[0], types.at(-1)]).toEqual(["start", "finish"]);
});

const ask = () => ({ behavior: "defer" }) as const;
const canUseTool = ({ name }: { readonly name: string }) =>
  name === "Refund" ? ({ behavior: "ask", reason: "money" } as const) : ({ behavior: "allow" } as const);

async function asked(session: Session) {
  const model = scripted([[use("1", "Look"), use("2", "Refund", { order: 17 })]]);
  const run = query({ model, tools, session, prompt: "go", ask, canUseTool });
  return read(run, { questions: () => session.questions });
}

/** What `addToolApprovalResponse` of `useChat` does. */
function responded(message: UIMessage, approved: boolean): UIMessage {
  const parts = message.parts.map((part) =>
    part.type === "dynamic-tool" && part.state === "approval-requested"
      ? { ...part, state: "approval-responded", approval: { ...part.approval, approved, reason: "no" } }
      : part,
  );
  return { ...message, parts: parts as UIMessage["parts"] };
}

test.each([
  [true, ["Refund", "output-available", "order 17 is refunded"]],
  [false, ["Refund", "output-denied", undefined]],
])(
  "a question becomes an approval request, and the answer %j continues the same message",
  async (approved, ended) => {
    const store = sessions({ home, cwd: home });
    const first = await store.create();
    const { last } = await asked(first);
    expect(callsOf(last)).toEqual([
      ["Look", "output-available", { found: 3 }],
      ["Refund", "approval-requested", undefined],
    ]);
    await first.close();
    // Another request, perhaps of another process.
    const session = await store.resume(first.id);
    expect(uiApprovals([last])).toEqual([]);
    const answered = responded(last, approved);
    const approvals = uiApprovals([{ role: "user", parts: [] }, answered]);
    expect(approvals).toEqual([{ id: session.questions[0]?.id, approved, reason: "no" }]);
    for (const { id, reason } of approvals)
      await session.answer(id, approved ? { behavior: "allow" } : { behavior: "deny", message: reason });
    const model = scripted([[text("Done.")]]);
    const more = await read(query({ model, tools, session, ask, canUseTool }), { message: answered });
    expect([more.errors, callsOf(more.last)[1]]).toEqual([[], ended]);
    expect(more.last.parts.at(-1)).toMatchObject({ type: "text", text: "Done." });
    await session.close();
  },
);

test("a sub-agent is one part that grows: its task, its text and its calls", async () => {
  const inner = { model: scripted([[text("Looking."), use("1", "Look")], [text("Found 3.")]]), tools };
  const model = scripted([
    [use("a", "Agent", { description: "count them", prompt: "count" })],
    [text("There are 3.")],
  ]);
  const run = query({ model, tools: [...tools, agentTool({ options: inner })], prompt: "go" });
  const { last, errors } = await read(run);
  expect(errors).toEqual([]);
  const agents = last.parts.filter(({ type }) => type === "data-agent");
  expect(agents).toEqual([
    {
      type: "data-agent",
      id: "agent-1",
      data: {
        callId: "a",
        agentType: "general-purpose",
        description: "count them",
        text: "Found 3.",
        calls: [{ id: "1", toolName: "Look", description: "Look {}", state: "succeeded" }],
      },
    },
  ]);
});

test("an error of the model is shown, and so is an error of the run itself", async () => {
  const broken: Model = {
    name: "broken",
    stream: () => {
      throw new Error("out of order");
    },
  };
  const { types, errors } = await read(query({ model: broken, tools, prompt: "go" }));
  expect([types.slice(-2), String(errors[0])]).toEqual([
    ["error", "finish"],
    expect.stringContaining("out of order"),
  ]);
  async function* failing(): AsyncGenerator<AgentEvent> {
    yield { type: "text", text: "Hm" };
    throw new Error("lost");
  }
  expect((await read(failing())).types.at(-1)).toBe("error");
});

test("a run that is stopped ends with abort", async () => {
  const stop = new AbortController();
  const model = scripted([
    () => {
      stop.abort();
      return [text("too late")];
    },
  ]);
  const { types } = await read(query({ model, tools, prompt: "go", signal: stop.signal }));
  expect(types.at(-1)).toBe("abort");
});

test("a client that leaves ends the reading of the run", async () => {
  let isLeft = false;
  async function* endless(): AsyncGenerator<AgentEvent> {
    try {
      for (;;) yield { type: "text", text: "more " };
    } finally {
      isLeft = true;
    }
  }
  const reader = toUIMessageStream(endless()).getReader();
  for (let left = 3; left > 0; left--) await reader.read();
  await reader.cancel();
  expect(isLeft).toBe(true);
});

test("outputs that are not JSON are sent as the text that the model reads, and typed tools have their own parts", async () => {
  const odd = defineTool({
    name: "Odd",
    description: "Odd.",
    inputSchema: z.object({}),
    call: () => ({ big: 10n }),
    toResult: () => "a big number",
  });
  const model = scripted([[use("1", "Odd")], [text("Done.")]]);
  const { last } = await read(query({ model, tools: [odd as AnyTool], prompt: "go" }), {
    dynamic: false,
    messageId: "m1",
  });
  expect(last.id).toBe("m1");
  expect(last.parts.find(({ type }) => type === "tool-Odd")).toMatchObject({
    state: "output-available",
    output: "a big number",
  });
});

test("what a client sends instead of answers is ignored, and wrong use is refused", () => {
  for (const messages of [undefined, "x", [], [null], [{ role: "assistant", parts: "x" }]])
    expect(uiApprovals(messages)).toEqual([]);
  const part = (approval: unknown) => ({ state: "approval-responded", approval });
  const parts = [part({ id: 1, approved: true }), part({ id: "q", approved: "yes" }), part(null), 7];
  expect(uiApprovals([{ role: "assistant", parts }])).toEqual([]);
  expect(() => toUIMessageStream({} as never)).toThrow("the run must be the events of query()");
  expect(() =>
    toUIMessageStream(query({ model: scripted([]), tools, prompt: "x" }), { question: 1 } as never),
  ).toThrow('Did you mean "questions"?');
});
