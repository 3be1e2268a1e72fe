/** Chat Completions and Responses: the same executor on another wire. */

import { StreamingToolExecutor, openaiCalls, toOpenAi } from "@runahead/engine";
import { fileTools } from "./file-tools.ts";

/** In your program: `await client.chat.completions.create({ …, stream: true })`. */
async function* chunks() {
  const call = (index: number, id: string, args: string) => ({
    choices: [
      { index: 0, delta: { tool_calls: [{ index, id, function: { name: "Read", arguments: args } }] } },
    ],
  });
  yield call(0, "call_a", '{"file_path": "pack');
  yield {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'age.json"}' } }] } }],
  };
  yield call(1, "call_b", '{"file_path": "no-such-file"}');
  yield { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
}

const executor = new StreamingToolExecutor({
  tools: fileTools,
  onEvent: (event) => event.type === "call-arriving" && console.log(event.callId, event.preview()),
});
for await (const _chunk of openaiCalls(chunks(), executor)) {
  // Every chunk passes through unchanged: show its text here.
}

const results = [];
for await (const update of executor.remaining()) if (update.type === "result") results.push(update.result);
const { chat, responses } = toOpenAi(results);
console.log(chat.map(({ tool_call_id, content }) => [tool_call_id, content.slice(0, 40)]));
console.log(responses.map(({ call_id }) => call_id));
