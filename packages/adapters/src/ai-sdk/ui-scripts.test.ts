import { type UIMessage, type UIMessageChunk, readUIMessageStream } from "ai";
import { expect, test } from "vitest";
import type { UiChunk } from "./ui-chunk.ts";
import type { UiCalls } from "./ui-scripts.ts";
import { toUIMessageStream } from "./ui-stream.ts";

interface Event {
  readonly type: string;
  readonly [name: string]: unknown;
}

const about = (callId: string, toolName: string, parentId?: string): object =>
  parentId === undefined ? { callId, toolName } : { callId, toolName, parentId };
const call = (type: string, id: string, more: object = {}): Event => ({
  type,
  ...about(id, "Price", "a"),
  ...more,
});
const arrived = (id: string): Event => call("call-arrived", id, { input: {}, description: `Price ${id}` });
const ended = (id: string, type: string): Event =>
  call("call-settled", id, { outcome: { type, content: "1" }, output: 1 });

const script: readonly Event[] = [
  { type: "message-started" },
  { type: "call-arrived", ...about("a", "Code"), input: {}, description: "Run a script" },
  { type: "call-started", ...about("a", "Code") },
];

async function* run(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

async function chunks(events: readonly Event[]): Promise<UiChunk[]> {
  const all: UiChunk[] = [];
  for await (const chunk of toUIMessageStream(run(events))) all.push(chunk);
  return all;
}

test("the calls of a script are one part of the message, and the client gets no calls that the model did not make", async () => {
  const events = [
    ...script,
    arrived("a.1"),
    call("call-queued", "a.1", { state: "waiting" }),
    call("call-started", "a.1"),
    call("call-progress", "a.1", { data: 1 }),
    ended("a.1", "failed"),
    arrived("a.2"),
  ];
  const stream = toUIMessageStream(run(events)) as ReadableStream<UIMessageChunk>;
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream })) message = next;
  const parts = message?.parts.filter(({ type }) => type !== "step-start") ?? [];
  expect(parts.map(({ type }) => type)).toEqual(["dynamic-tool", "data-calls"]);
  const expected: UiCalls = {
    callId: "a",
    made: 2,
    failed: 1,
    calls: [
      { id: "a.1", toolName: "Price", description: "Price a.1", state: "failed" },
      { id: "a.2", toolName: "Price", description: "Price a.2", state: "waiting" },
    ],
  };
  expect(parts[1]).toMatchObject({ id: "a", data: expected });
});

test("of a thousand calls of a script the last 20 are in the message", async () => {
  const events = Array.from({ length: 1_000 }, (_, at) => [
    arrived(`a.${at}`),
    ended(`a.${at}`, "succeeded"),
  ]);
  const last = (await chunks([...script, ...events.flat()])).at(-1) as { data: UiCalls };
  expect([last.data.made, last.data.failed, last.data.calls.length, last.data.calls.at(-1)?.id]).toEqual([
    1_000,
    0,
    20,
    "a.999",
  ]);
});

test("the script of a sub-agent has a part of its own", async () => {
  const wrapped = (event: Event): Event => ({
    type: "agent-event",
    ...about("agent", "Agent"),
    agentId: "agent-1",
    agentType: "explore",
    event,
  });
  const all = await chunks([{ type: "message-started" }, wrapped(arrived("a.1"))]);
  expect(all.at(-1)).toMatchObject({
    type: "data-calls",
    id: "agent-1 a",
    data: { agentId: "agent-1", made: 1 },
  });
});
