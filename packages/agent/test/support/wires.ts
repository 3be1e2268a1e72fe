/** The same response in the form of each wire. */

import { sse } from "./model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "./responses.ts";

/** What a model says: some text, then calls by id, each with the input `{"file_path": ID}`. */
interface Said {
  readonly text: string;
  readonly calls: readonly string[];
}

export type Wire = (said: Said) => { readonly whole: string; readonly withoutEnd: string };

const inputOf = (id: string): string => JSON.stringify({ file_path: id });
const joined = (events: readonly object[], end: readonly object[], last = "") => ({
  whole: sse([...events, ...end]) + last,
  withoutEnd: sse(events),
});

export const messagesWire: Wire = ({ text, calls }) =>
  joined(
    [
      messageStart,
      ...textBlock(0, text),
      ...calls.flatMap((id, at) => callBlock(at + 1, id, inputOf(id).slice(0, 5), inputOf(id).slice(5))),
    ],
    messageEnd(calls.length > 0 ? "tool_use" : "end_turn"),
  );

/** An event of the Chat Completions API. */
export const chatChunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl_1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-test",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export const chatWire: Wire = ({ text, calls }) => {
  const call = (index: number, id: string) => [
    chatChunk({ tool_calls: [{ index, id, type: "function", function: { name: "Read", arguments: "" } }] }),
    chatChunk({ tool_calls: [{ index, function: { arguments: inputOf(id) } }] }),
  ];
  return joined(
    [
      chatChunk({ role: "assistant", content: "" }),
      chatChunk({ content: text }),
      ...calls.flatMap((id, at) => call(at, id)),
    ],
    [chatChunk({}, calls.length > 0 ? "tool_calls" : "stop")],
    "data: [DONE]\n\n",
  );
};

export const responsesWire: Wire = ({ text, calls }) => {
  const message = (content: readonly object[]) => ({
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content,
  });
  const part = { type: "output_text", text, annotations: [] };
  const call = (output_index: number, id: string) => {
    const item = { type: "function_call", id: `fc_${id}`, call_id: id, name: "Read", status: "completed" };
    const place = { output_index, item_id: item.id };
    return [
      { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } },
      { type: "response.function_call_arguments.delta", ...place, delta: inputOf(id) },
      { type: "response.function_call_arguments.done", ...place, arguments: inputOf(id) },
      { type: "response.output_item.done", output_index, item: { ...item, arguments: inputOf(id) } },
    ];
  };
  const response = { id: "resp_1", created_at: 1, model: "gpt-test", status: "completed", output: [] };
  return joined(
    [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item: message([]) },
      {
        type: "response.output_text.delta",
        output_index: 0,
        content_index: 0,
        item_id: "msg_1",
        delta: text,
      },
      { type: "response.output_item.done", output_index: 0, item: message([part]) },
      ...calls.flatMap((id, at) => call(at + 1, id)),
    ],
    [
      {
        type: "response.completed",
        response: { ...response, usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 } },
      },
    ],
  );
};
