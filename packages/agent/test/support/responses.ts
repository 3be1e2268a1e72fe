/** Recorded-like responses of the Messages API. */

const usage = {
  input_tokens: 100,
  output_tokens: 1,
  cache_read_input_tokens: 40,
  cache_creation_input_tokens: 7,
};

export const messageStart = {
  type: "message_start",
  message: { id: "msg_1", model: "claude-test", role: "assistant", content: [], usage },
};

export const textBlock = (index: number, ...texts: readonly string[]): object[] => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  ...texts.map((text) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text } })),
  { type: "content_block_stop", index },
];

export const thinkingBlock = (index: number, thinking: string, signature: string): object[] => [
  { type: "content_block_start", index, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index, delta: { type: "thinking_delta", thinking } },
  { type: "content_block_delta", index, delta: { type: "signature_delta", signature } },
  { type: "content_block_stop", index },
];

export const callBlock = (index: number, id: string, ...json: readonly string[]): object[] => [
  { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "Read", input: {} } },
  ...json.map((partial_json) => ({
    type: "content_block_delta",
    index,
    delta: { type: "input_json_delta", partial_json },
  })),
  { type: "content_block_stop", index },
];

export const messageEnd = (reason: string, outputTokens = 50): object[] => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: outputTokens } },
  { type: "message_stop" },
];

export const wholeResponse: readonly object[] = [
  messageStart,
  { type: "ping" },
  ...thinkingBlock(0, "Hm, “naïve” 🤔\u2028", "c2lnbmF0dXJl=="),
  ...textBlock(1, "Let me ", "see – 😀"),
  ...callBlock(2, "toolu_1", '{"file_path": "', "a/ü😀.ts", '"}'),
  ...callBlock(3, "toolu_2", '{"file_path": "b.ts"}'),
  ...messageEnd("tool_use"),
];
