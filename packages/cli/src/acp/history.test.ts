import type { Message } from "@runahead/harness";
import { expect, test } from "vitest";
import { historyUpdates } from "./history.ts";

const call = (name: string, input: object): Message => ({
  role: "assistant",
  content: [{ type: "tool_use", id: "1", name, input }],
});
const result = (content: string, isError = false): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "1", content, is_error: isError }],
});
const past = (...messages: readonly Message[]) => [...historyUpdates(messages, "/repo")];
const said = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

test("what the program wrote after an interruption is not shown as text of the user", () => {
  const notes = [
    "[The user interrupted the response.]",
    "[The user interrupted while tools were running. Each call's result says how far it got.]",
  ];
  expect(past(...notes.map(said), said("hello"))).toEqual([
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "hello" } },
  ]);
});

test("a past edit shows its diff, and a failed one shows its error", () => {
  const edit = call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" });
  const diff = { type: "diff", path: "/repo/a.txt", oldText: "one", newText: "two" };
  expect(past(edit, result("Edited a.txt."))).toMatchObject([{ status: "completed", content: [diff] }]);
  expect(past(edit, result("Error: not found.", true))).toMatchObject([
    { status: "failed", content: [{ content: { text: "```\nError: not found.\n```" } }] },
  ]);
});

test("a past call has the title that it had: a command itself, a sub-agent's task, a task's subject", () => {
  const titles = [
    call("Bash", { command: "make", description: "Builds it" }),
    call("Agent", { prompt: "look", description: "find it" }),
    call("TaskCreate", { subject: "Fix it", description: "All of it, with tests." }),
  ].flatMap((message) => past(message));
  expect(titles).toMatchObject([
    { title: "$ make" },
    { title: "Agent: find it" },
    { title: "TaskCreate Fix it" },
  ]);
});

test("after a compaction, the summary is text of the agent, and the prompts that it kept have no label", () => {
  const label =
    "[Summary of the earlier conversation. It replaces those messages. What it calls open may already be done in the messages below.]\n";
  const kept: Message = {
    role: "user",
    content: [
      { type: "text", text: `${label}<summary>It works.</summary>` },
      { type: "text", text: "[The user wrote, word for word:]\nFix it." },
    ],
  };
  expect(past(kept)).toEqual([
    {
      sessionUpdate: "agent_message_chunk",
      content: { type: "text", text: "Summary of the earlier conversation:\n\nIt works.\n\n" },
    },
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "Fix it." } },
  ]);
});
