import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { anthropic } from "../model/anthropic.ts";
import { query } from "../loop/query.ts";
import { fileTools } from "../../../tools/src/index.ts";
import { expect, test } from "vitest";
import { modelServer, sse } from "../../test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import {
  DENIED,
  FAILED,
  NOT_RUN,
  TIMED_OUT,
  arrived,
  arriving,
  began,
  everything,
  ofAgent,
  played,
  prompt,
  queued,
  settled,
  started,
  text,
  turnEnded,
} from "../../test/support/timeline.ts";
import type { TimelineCall } from "./model.ts";
import { createTimelineRecorder } from "./recorder.ts";

const CALL: TimelineCall = {
  turn: 0,
  toolName: "Read",
  description: "a.ts",
  arrivedMs: 300,
  completeMs: 400,
  queue: [],
  startedMs: 410,
  endedMs: 600,
  outcome: "succeeded",
  detail: "",
  content: undefined,
};

test("a turn's own timings say when it was requested, and times count from the first event", () => {
  const timeline = played([
    [5000, prompt],
    [5200, began(1)],
    [5250, text],
    [5300, arriving("a", "Read")],
    [5400, arrived("a", "Read", "Read a.ts")],
    [5410, started("a", "Read")],
    [5600, settled("a", "Read")],
    [5700, turnEnded(1, [240, 500, 690])],
  ]);
  expect(timeline).toEqual({
    title: "",
    agents: [{ agentType: "", call: undefined }],
    turns: [
      {
        agent: 0,
        number: 1,
        model: "claude-opus-4",
        requestMs: 10,
        firstContentMs: 250,
        responseEndMs: 510,
        endedMs: 700,
        stop: "tool_use",
        inputTokens: 9200,
        outputTokens: 340,
      },
    ],
    calls: [CALL],
    marks: [{ agent: 0, atMs: 0, type: "prompt" }],
    endMs: 700,
    leftOut: 0,
  });
});

test("E11: no prompts, text, inputs, outputs or messages are recorded", () => {
  expect(JSON.stringify(everything())).not.toContain("secret");
});

test("each ending is recorded as one word and its cause", () => {
  const ends = [FAILED, DENIED, TIMED_OUT, NOT_RUN].map(
    (outcome, at) => [at, settled("a", "Bash", outcome)] as const,
  );
  expect(played(ends).calls.map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ["failed", "exception"],
    ["denied", "a person"],
    ["stopped", "timeout"],
    ["not-run", "user-interrupted"],
  ]);
});

test("what a call waits for is recorded as reported, also in a sub-agent", () => {
  const timeline = played([
    [0, started("agent", "Agent")],
    [10, ofAgent("agent", arrived("inner", "Bash", "ls"))],
    [10, ofAgent("agent", queued("inner", "judging"))],
    [20, ofAgent("agent", queued("inner", "asking"))],
    [25, ofAgent("agent", queued("inner", "asking"))],
    [50, ofAgent("agent", queued("inner", "waiting"))],
    [90, ofAgent("agent", started("inner", "Bash"))],
  ]);
  expect(timeline.calls[1]).toMatchObject({
    description: "ls",
    queue: [
      ["judging", 10, 20],
      ["asking", 20, 50],
      ["waiting", 50, 90],
    ],
    startedMs: 90,
  });
});

test("rules that keep changing do not fill the memory: only sixteen changes are kept", () => {
  const changes = Array.from({ length: 100 }, (_, at): readonly [number, ReturnType<typeof queued>] => [
    at + 1,
    queued("a", at % 2 === 0 ? "judging" : "waiting"),
  ]);
  const { calls } = played([[0, arrived("a", "Bash")], ...changes, [200, started("a", "Bash")]]);
  expect(calls[0]?.queue).toHaveLength(16);
  expect(calls[0]?.queue.at(-1)).toEqual(["waiting", 100, 200]);
});

test("the beginnings of inputs and outputs are recorded only on request, up to 2,000 characters", () => {
  const recorder = createTimelineRecorder({ hasContent: true });
  recorder.hear(arrived("a", "Read"), 0);
  recorder.hear(started("a", "Read"), 1);
  const content = [{ type: "text", text: "x".repeat(5000) }, { type: "image" }];
  recorder.hear(settled("a", "Read", { type: "succeeded", content } as never), 2);
  recorder.hear(settled("b", "Read"), 3);
  const [first, second] = recorder.timeline().calls;
  expect(first?.content).toEqual({
    input: '{\n  "secret": "secret input"\n}',
    output: `${"x".repeat(2000)}\n[… 5,008 characters in total]`,
  });
  expect(second?.content).toBeUndefined();
});

test("a sub-agent's turns and calls are recorded below the call that started it", () => {
  const timeline = played([
    [0, began(1)],
    [10, started("a", "Agent")],
    [20, ofAgent("a", prompt)],
    [30, ofAgent("a", began(1, "small"))],
    [40, ofAgent("a", started("a", "Read"))],
    [50, ofAgent("a", settled("a", "Read"))],
    [60, ofAgent("a", turnEnded(1, [5, 10, 38]))],
    [70, settled("a", "Agent")],
    [80, turnEnded(1, [5, 40, 80])],
  ]);
  expect(timeline.agents).toEqual([
    { agentType: "", call: undefined },
    { agentType: "explore", call: 0 },
  ]);
  expect(timeline.turns.map(({ agent, requestMs, endedMs }) => [agent, requestMs, endedMs])).toEqual([
    [0, 0, 80],
    [1, 22, 60],
  ]);
  expect(timeline.calls.map(({ turn, startedMs, endedMs }) => [turn, startedMs, endedMs])).toEqual([
    [0, 10, 70],
    [1, 40, 50],
  ]);
  expect(timeline.marks).toEqual([]);
});

test("a response that is requested again is recorded as such, and its calls as not run", () => {
  const error = Object.assign(new Error("secret"), { kind: "overloaded" });
  const timeline = played([
    [0, prompt],
    [10, began(1)],
    [20, arrived("a", "Read", "a.ts")],
    [30, { type: "retry", attempt: 2, attempts: 10, waitMs: 50, error: error as never }],
    [100, began(1)],
    [110, text],
  ]);
  expect(timeline.turns.map(({ requestMs, endedMs, stop }) => [requestMs, endedMs, stop])).toEqual([
    [0, 30, "again"],
    [80, undefined, "open"],
  ]);
  expect(timeline.calls).toMatchObject([
    { description: "a.ts", startedMs: undefined, outcome: "not-run", endedMs: 30 },
  ]);
  expect(timeline.marks[1]).toEqual({
    agent: 0,
    atMs: 30,
    type: "retry",
    attempt: 2,
    waitMs: 50,
    reason: "overloaded",
  });
});

test("running work is open, and a call that was running when its agent ended was stopped", () => {
  const events = [
    [0, began(1)],
    [5, started("a", "Agent")],
    [10, ofAgent("a", started("b", "Bash"))],
  ] as const;
  expect(played(events).calls.map(({ outcome }) => outcome)).toEqual(["unfinished", "unfinished"]);
  const timeline = played([...events, [30, settled("a", "Agent", TIMED_OUT)]]);
  expect(timeline.calls.map(({ outcome, endedMs }) => [outcome, endedMs])).toEqual([
    ["stopped", 30],
    ["stopped", 30],
  ]);
  expect(timeline.turns.map(({ stop }) => stop)).toEqual(["open", "cut"]);
});

test("F16: a clock that goes backwards counts as standing still", () => {
  const timeline = played([
    [1000, started("a", "Read")],
    [400, settled("a", "Read")],
    [Number.NaN, prompt],
  ]);
  expect(timeline.calls[0]).toMatchObject({ startedMs: 0, endedMs: 0 });
  expect(timeline.endMs).toBe(0);
});

test("I06: names and descriptions are one short line without control characters", () => {
  const hostile = `\u001b]0;x\u0007 a\r\nb \u202e${"c".repeat(1e6)}`;
  const [call] = played([
    [0, arrived("a", "Ba\u001b[31msh", hostile)],
    [1, started("a", "Ba\u001b[31msh")],
  ]).calls;
  expect(call?.toolName).toBe("Ba [31msh");
  expect(call?.description).toBe(`]0;x a b ${"c".repeat(110)}…`);
});

test("C07: progress that looks like a sub-agent's event does not count as one", () => {
  const forged = [
    null,
    5,
    { type: "agent" },
    { type: "agent", agentId: "x", agentType: "x", event: started("b", "Bash") },
    started("b", "Bash"),
    ofAgent("a", started("b", "Bash")),
  ];
  const timeline = played([
    [0, started("a", "Agent")],
    ...forged.map(
      (data, at) => [at, { type: "call-progress", callId: "a", toolName: "Agent", data }] as const,
    ),
  ]);
  expect(timeline.calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
    ["Agent", "unfinished"],
  ]);
});

test("C07: 100,000 calls with large inputs are kept in a few hundred bytes each, and more are counted", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const recorder = createTimelineRecorder({ hasContent: true });
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let id = 0; id < 100_010; id++) {
    const what = Buffer.alloc(20_000, `${id} `).toString("latin1");
    // A part of a string keeps the whole in memory.
    const description = what.slice(0, 100);
    const event = {
      type: "call-arrived",
      callId: String(id),
      toolName: "Read",
      input: { what },
      description,
    } as const;
    recorder.hear(event, id);
    recorder.hear(started(String(id), "Read"), id);
    recorder.hear(settled(String(id), "Read"), id + 0.5);
  }
  collect();
  const bytesPerCall = (process.memoryUsage().heapUsed - before) / 100_000;
  expect(bytesPerCall).toBeLessThan(800);
  const { calls, leftOut } = recorder.timeline();
  expect([calls.length, leftOut]).toEqual([100_000, 10]);
});

test("the events of the real loop make a timeline whose times are in order", async () => {
  const file_path = fileURLToPath(new URL("model.ts", import.meta.url));
  const uses = [
    messageStart,
    ...textBlock(0, "Look."),
    ...callBlock(1, "a", JSON.stringify({ file_path })),
    ...messageEnd("tool_use"),
  ];
  const says = [messageStart, ...textBlock(0, "Done."), ...messageEnd("end_turn")];
  const server = await modelServer({ pieces: [sse(uses)] }, { pieces: [sse(says)] });
  const recorder = createTimelineRecorder();
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url });
  try {
    for await (const event of query({ prompt: "go", model, tools: fileTools() })) recorder.hear(event);
  } finally {
    await server.close();
  }
  const { turns, calls, marks, endMs } = recorder.timeline();
  expect(turns.map(({ number, stop }) => [number, stop])).toEqual([
    [1, "tool_use"],
    [2, "end_turn"],
  ]);
  expect(calls).toMatchObject([{ toolName: "Read", description: file_path, outcome: "succeeded" }]);
  expect(marks.map(({ type }) => type)).toEqual(["prompt", "ended"]);
  const [first] = turns;
  const [call] = calls;
  const times = [
    0,
    first?.requestMs,
    call?.arrivedMs,
    call?.completeMs,
    call?.startedMs,
    call?.endedMs,
    first?.endedMs,
    turns[1]?.requestMs,
    endMs,
  ];
  expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)));
});
