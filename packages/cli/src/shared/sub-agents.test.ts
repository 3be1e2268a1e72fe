import { expect, test } from "vitest";
import { SubAgents } from "./sub-agents.ts";

function heard(datas: readonly unknown[], isPartial = false): object[] {
  const lines: object[] = [];
  const agents = new SubAgents((line) => lines.push(line), isPartial);
  for (const data of datas) agents.hear("toolu_main", data);
  return lines;
}

const told = (event: unknown, agentId = "one"): object => ({
  type: "agent",
  agentId,
  agentType: "explore",
  event,
});
const text = { type: "text", text: "Hm." };
const ended = { type: "turn-ended", turn: 1 };

test("a turn of a sub-agent becomes its message and the results of its calls, whatever became of them", () => {
  const call = (callId: string): object => ({
    type: "call-arrived",
    callId,
    toolName: "Read",
    input: { a: 1 },
  });
  const settled = (callId: string, outcome: object): object => ({ type: "call-settled", callId, outcome });
  const lines = heard(
    [
      { type: "message-started" },
      text,
      call("a"),
      call("b"),
      settled("b", { type: "denied", by: "a rule", reason: "No." }),
      settled("a", { type: "succeeded", content: "yes" }),
      ended,
    ].map((event) => told(event)),
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
      message: { role: "assistant", content: [{ type: "text", text: "Hm." }, use("a"), use("b")] },
      parent_tool_use_id: "toolu_main",
    },
    {
      type: "user",
      message: { role: "user", content: [result("b", "No.", true), result("a", "yes", false)] },
      parent_tool_use_id: "toolu_main",
    },
  ]);
});

test("what sub-agents say at a time is kept apart, and what is asked for again does not count", () => {
  const lines = heard([
    told(text, "one"),
    told({ type: "text", text: "Other." }, "two"),
    told({ type: "retry" }, "one"),
    told({ type: "text", text: "Again." }, "one"),
    told(ended, "one"),
    told(ended, "two"),
  ]);
  const said = lines.map(
    (line) => (line as { message: { content: { text: string }[] } }).message.content[0]?.text,
  );
  expect(said).toEqual(["Again.", "Other."]);
});

test("one of its own calls is the parent of those below it; text comes piece by piece where that is wanted", () => {
  const inner = { type: "call-progress", callId: "toolu_inner", data: told(text, "below") };
  expect(heard([told(inner)], true)).toEqual([
    {
      type: "stream_event",
      event: { type: "content_block_delta", delta: { type: "text_delta", text: "Hm." } },
      parent_tool_use_id: "toolu_inner",
    },
  ]);
});

test("C07: what other tools report says nothing, and what holds itself comes to an end", () => {
  const itself: Record<string, unknown> = { type: "call-progress", callId: "a" };
  itself["data"] = told(itself);
  expect(heard([null, 5, "x", {}, { type: "agent" }, { type: "agent", agentId: "x" }, told(itself)])).toEqual(
    [],
  );
});
