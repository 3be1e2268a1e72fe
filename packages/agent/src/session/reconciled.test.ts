import { expect, test } from "vitest";
import type { HistoryMessage } from "@runahead/engine/history";
import { repairHistory } from "@runahead/engine/history";
import { inHistory } from "./reconciled.ts";

const turn = (...ids: readonly string[]): HistoryMessage[] => [
  { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "Charge", input: {} })) },
  {
    role: "user",
    content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "unknown", is_error: true })),
  },
];

test("a call whose id an earlier call has is found in the repaired history", () => {
  const before: HistoryMessage[] = [
    { role: "user", content: "go" },
    ...turn("call_0", "call_1", "call_2"),
    ...turn("call_0", "call_1"),
  ];
  const { messages } = repairHistory(before);
  const fate = { callId: "call_1", toolName: "Charge", fate: "unknown" } as never;
  const [found] = inHistory([fate], before, messages);
  const last = messages.at(-1)?.content as unknown as readonly { readonly tool_use_id: string }[];
  expect(found?.historyId).not.toBe("call_1");
  expect(found?.historyId).toBe(last[1]?.tool_use_id);
});
