import { type AgentEvent, initialView, reduce } from "@runahead/harness";
import { expect, test } from "vitest";
import { PartialMessages } from "./partial.ts";
import { nestedCallLines, subAgentLines } from "./sub-agents.ts";

type Outcome = Extract<AgentEvent, { type: "call-settled" }>["outcome"];

function heard(events: readonly AgentEvent[], isPartial = false): object[] {
  const view = initialView();
  const running: AgentEvent = { type: "call-started", callId: "toolu_main", toolName: "Agent" };
  return [running, ...events].flatMap((event) => {
    const step = reduce(view, event);
    return step === undefined || step.agent === view ? [] : subAgentLines(step, isPartial);
  });
}

const of = (event: AgentEvent, agentId = "one", callId = "toolu_main"): AgentEvent => ({
  type: "agent-event",
  callId,
  toolName: "Agent",
  agentId,
  agentType: "explore",
  event,
});
const text: AgentEvent = { type: "text", text: "Hm." };
const ended: AgentEvent = {
  type: "turn-ended",
  turn: 1,
  stop: "tool_use",
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  timings: { firstContentMs: 0, responseMs: 0, totalMs: 0 },
};
const call = (callId: string): AgentEvent => ({
  type: "call-arrived",
  callId,
  toolName: "Read",
  input: { a: 1 },
  description: "a",
});
const settled = (callId: string, outcome: Outcome): AgentEvent => ({
  type: "call-settled",
  callId,
  toolName: "Read",
  outcome,
  output: undefined,
});

test("a turn of a sub-agent becomes its message and the results of its calls", () => {
  const lines = heard(
    [
      { type: "message-started", turn: 1, model: "m" } as const,
      text,
      call("a"),
      call("b"),
      settled("b", { type: "denied", by: "a rule", reason: "No." }),
      settled("a", { type: "succeeded", content: "yes" }),
      ended,
    ].map((event) => of(event)),
  );
  const use = (id: string): object => ({ type: "tool_use", id, name: "Read", input: { a: 1 } });
  const result = (id: string, content: string, isError: boolean): object => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    is_error: isError,
  });
  expect(lines).toEqual([
    {
      type: "assistant",
      message: {
        id: "msg_toolu_main_one_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "Hm." }, use("a"), use("b")],
        stop_reason: "tool_use",
        stop_sequence: null,
        usage: {
          input_tokens: 1,
          output_tokens: 1,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
          service_tier: "standard",
        },
        stop_details: null,
        container: null,
        context_management: null,
      },
      parent_tool_use_id: "toolu_main",
      agent_id: "one",
      subagent_type: "explore",
    },
    {
      type: "user",
      message: { role: "user", content: [result("b", "No.", true), result("a", "yes", false)] },
      parent_tool_use_id: "toolu_main",
      agent_id: "one",
      subagent_type: "explore",
    },
  ]);
});

test("messages of parallel sub-agents are kept apart, and a retried response does not count", () => {
  const error = Object.assign(new Error("overloaded"), { kind: "overloaded" }) as never;
  const lines = heard([
    of(text, "one"),
    of({ type: "text", text: "Other." }, "two"),
    of({ type: "retry", attempt: 1, attempts: 10, waitMs: 1, error }, "one"),
    of({ type: "text", text: "Again." }, "one"),
    of(ended, "one"),
    of(ended, "two"),
  ]);
  const said = lines.map(
    (line) => (line as { message: { content: { text: string }[] } }).message.content[0]?.text,
  );
  expect(said).toEqual(["Again.", "Other."]);
});

test("a nested sub-agent has the call that started it as parent; text arrives in pieces on request", () => {
  const started: AgentEvent = { type: "call-started", callId: "toolu_inner", toolName: "Agent" };
  expect(heard([of(started), of(of(text, "below", "toolu_inner"))], true)).toEqual([
    {
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hm." } },
      parent_tool_use_id: "toolu_inner",
    },
  ]);
});

test("a call of a script is a line when it arrives and a line when it ends, with the call of the script", () => {
  const view = initialView();
  const inScript = (event: AgentEvent): AgentEvent => ({ ...event, parentId: "toolu_main" }) as AgentEvent;
  const events = [
    { type: "call-started", callId: "toolu_main", toolName: "Code" } as const,
    inScript(call("toolu_main.1")),
    inScript(settled("toolu_main.1", { type: "succeeded", content: "x".repeat(20_000) })),
  ];
  const lines = events.flatMap((event) => {
    const step = reduce(view, event);
    return step === undefined ? [] : nestedCallLines(step);
  });
  const use = { type: "tool_use", id: "toolu_main.1", name: "Read", input: { a: 1 } };
  const result = {
    type: "tool_result",
    tool_use_id: "toolu_main.1",
    content: `${"x".repeat(10_000)}… (10000 more characters)`,
    is_error: false,
  };
  const parent_tool_use_id = "toolu_main";
  expect(lines).toMatchObject([
    {
      type: "assistant",
      message: { id: "msg_toolu_main.1", role: "assistant", content: [use], stop_reason: "tool_use" },
      parent_tool_use_id,
    },
    { type: "user", message: { role: "user", content: [result] }, parent_tool_use_id },
  ]);
  // It is not part of the response that streams.
  const parts = new PartialMessages();
  expect(events.flatMap((event) => parts.of(event, "m"))).toEqual([]);
});
