import { expect, test } from "vitest";
import { play } from "../../test/support/wire.ts";
import { openaiCalls } from "./openai.ts";

test("An error as the first event of a Responses stream ends it", async () => {
  const { sink } = await play(openaiCalls, [{ type: "error", code: "server_error", message: "down" }]);
  expect(sink.endings).toEqual([{ ok: false, reason: "server_error: down" }]);
});

test("Unknown events pass through before and after the format is known", async () => {
  const entry = { index: 0, id: "call_a", function: { name: "Read", arguments: "{}" } };
  const chat = {
    choices: [{ index: 0, delta: { tool_calls: [entry] }, finish_reason: "tool_calls" }],
  };
  for (const odd of [[null, {}, 5], [{ choices: null }], [{ choices: [{ delta: { tool_calls: {} } }] }]]) {
    const { sink, passed } = await play(openaiCalls, [...odd, chat, ...odd]);
    expect(passed).toEqual([...odd, chat, ...odd]);
    expect(sink.ids).toEqual(["call_a"]);
  }
  const completed = { type: "response.completed", response: {} };
  const { sink } = await play(openaiCalls, [{ type: "ping" }, completed]);
  expect(sink.endings).toEqual([{ ok: true }]);
});

test("Of several choices, only the first one is read", async () => {
  const entry = { index: 0, id: "call_a", function: { name: "Read", arguments: "{}" } };
  const other = { choices: [{ index: 1, delta: { tool_calls: [entry] }, finish_reason: "tool_calls" }] };
  const { sink } = await play(openaiCalls, [other]);
  expect(sink.calls).toEqual([]);
});
