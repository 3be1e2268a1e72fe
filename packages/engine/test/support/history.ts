/** Blocks and messages of histories, in short. */

import type { HistoryBlock, HistoryMessage } from "../../src/history/history.ts";

export const use = (id: unknown, input: unknown = {}): HistoryBlock => ({
  type: "tool_use",
  id,
  name: "Read",
  input,
});
export const answer = (id: unknown, content: unknown = "ok"): HistoryBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
export const words = (text: string): HistoryBlock => ({ type: "text", text });
export const user = (...content: HistoryBlock[]): HistoryMessage => ({ role: "user", content });
export const assistant = (...content: HistoryBlock[]): HistoryMessage => ({ role: "assistant", content });
export const ask: HistoryMessage = { role: "user", content: "hi" };
