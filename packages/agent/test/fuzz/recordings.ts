/** Responses as they come off the three wires: thinking, text, several calls, characters of two to four bytes. */

export interface Recording {
  /** Events in the order of the wire; a string is sent as it is. */
  readonly events: readonly (object | string)[];
  /** For each call, the piece of the stream after which it is complete. */
  readonly wholeAt: Readonly<Record<string, string>>;
}

const TEXT = "Ich prüfe das – 数据 „naïve“ 😀\u2028";
const INPUT_A = '{"file_path": "src/ü😀.ts", "limit": 20}';
const INPUT_B = '{"pattern":"\\u00e9\\ud83d\\ude00","path":"数/b"}';

const delta = (index: number, change: object): object => ({
  type: "content_block_delta",
  index,
  delta: change,
});
const begin = (index: number, content_block: object): object => ({
  type: "content_block_start",
  index,
  content_block,
});
const stop = (index: number): object => ({ type: "content_block_stop", index });
const json = (index: number, partial_json: string): object =>
  delta(index, { type: "input_json_delta", partial_json });

export const anthropicRecording: Recording = {
  events: [
    {
      type: "message_start",
      message: {
        id: "msg_01",
        type: "message",
        role: "assistant",
        model: "claude-test",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 30, cache_read_input_tokens: 4, output_tokens: 1 },
      },
    },
    { type: "ping" },
    begin(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Zuerst 🤔 " }),
    delta(0, { type: "thinking_delta", thinking: "数…" }),
    delta(0, { type: "signature_delta", signature: "c2lnbmVk==" }),
    stop(0),
    begin(1, { type: "redacted_thinking", data: "c2VhbGVk" }),
    stop(1),
    begin(2, { type: "text", text: "" }),
    delta(2, { type: "text_delta", text: TEXT.slice(0, 9) }),
    delta(2, { type: "text_delta", text: TEXT.slice(9) }),
    stop(2),
    begin(3, { type: "tool_use", id: "toolu_a", name: "Read", input: {} }),
    json(3, ""),
    json(3, INPUT_A.slice(0, 20)),
    { type: "ping" },
    json(3, INPUT_A.slice(20)),
    stop(3),
    begin(4, { type: "tool_use", id: "toolu_b", name: "Grep", input: {} }),
    json(4, INPUT_B),
    stop(4),
    begin(5, { type: "tool_use", id: "toolu_c", name: "TaskList", input: {} }),
    stop(5),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 80 } },
    { type: "message_stop" },
  ],
  wholeAt: {
    toolu_a: '{"type":"content_block_stop","index":3}',
    toolu_b: '{"type":"content_block_stop","index":4}',
    toolu_c: '{"type":"content_block_stop","index":5}',
  },
};

const chunk = (change: object, finish_reason: string | null = null): object => ({
  id: "chatcmpl_1",
  object: "chat.completion.chunk",
  model: "gpt-test",
  choices: [{ index: 0, delta: change, finish_reason }],
});
const piece = (index: number, call: object): object => chunk({ tool_calls: [{ index, ...call }] });
const LAST_OF_A = INPUT_A.slice(20);

export const chatRecording: Recording = {
  events: [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "Zuerst 🤔" }),
    chunk({ content: TEXT.slice(0, 9) }),
    chunk({ content: TEXT.slice(9) }),
    piece(0, { id: "call_a", type: "function", function: { name: "Read", arguments: "" } }),
    piece(0, { function: { arguments: INPUT_A.slice(0, 20) } }),
    piece(0, { function: { arguments: LAST_OF_A } }),
    piece(1, { id: "call_b", type: "function", function: { name: "Grep", arguments: INPUT_B } }),
    piece(2, { id: "call_c", type: "function", function: { name: "TaskList", arguments: "{}" } }),
    chunk({}, "tool_calls"),
    { id: "chatcmpl_1", choices: [], usage: { prompt_tokens: 30, completion_tokens: 80 } },
    "data: [DONE]\n\n",
  ],
  wholeAt: {
    call_a: JSON.stringify(LAST_OF_A),
    call_b: JSON.stringify(INPUT_B),
    call_c: '"arguments":"{}"',
  },
};

const item = (output_index: number, id: string, name: string, text: string): object[] => {
  const call = { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: "" };
  const at = { item_id: call.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: call },
    { type: "response.function_call_arguments.delta", ...at, delta: text.slice(0, 9) },
    { type: "response.function_call_arguments.delta", ...at, delta: text.slice(9) },
    { type: "response.function_call_arguments.done", ...at, arguments: text },
    {
      type: "response.output_item.done",
      output_index,
      item: { ...call, arguments: text, status: "completed" },
    },
  ];
};
const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "c2VhbGVk", summary: [] };

export const responsesRecording: Recording = {
  events: [
    { type: "response.created", response: { id: "resp_1", model: "gpt-test" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1" } },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Zuerst 🤔" },
    { type: "response.output_item.done", output_index: 0, item: reasoning },
    { type: "response.output_item.added", output_index: 1, item: { type: "message", id: "msg_1" } },
    { type: "response.output_text.delta", output_index: 1, delta: TEXT.slice(0, 9) },
    { type: "response.output_text.delta", output_index: 1, delta: TEXT.slice(9) },
    { type: "response.output_item.done", output_index: 1, item: { type: "message", id: "msg_1" } },
    ...item(2, "call_a", "Read", INPUT_A),
    ...item(3, "call_b", "Grep", INPUT_B),
    ...item(4, "call_c", "TaskList", "{}"),
    {
      type: "response.completed",
      response: { id: "resp_1", usage: { input_tokens: 30, output_tokens: 80 } },
    },
  ],
  wholeAt: {
    call_a: `"item_id":"fc_call_a","output_index":2,"arguments":${JSON.stringify(INPUT_A)}}`,
    call_b: `"item_id":"fc_call_b","output_index":3,"arguments":${JSON.stringify(INPUT_B)}}`,
    call_c: '"item_id":"fc_call_c","output_index":4,"arguments":"{}"}',
  },
};
