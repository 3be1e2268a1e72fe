/** What a hand-written loop has: a request with fetch, a parse of server-sent events, the message they make up. */

/** The events of a streamed response, each parsed. */
export async function* events(response) {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== "data: [DONE]") yield JSON.parse(line.slice(6));
    }
  }
}

const MODEL = "claude-sonnet-4-6";

/** One request of the Anthropic Messages API. */
export function send(baseURL, tools, messages) {
  const body = JSON.stringify({ model: MODEL, max_tokens: 4096, stream: true, tools, messages });
  const headers = {
    "content-type": "application/json",
    "x-api-key": "none",
    "anthropic-version": "2023-06-01",
  };
  return fetch(`${baseURL}/v1/messages`, { method: "POST", headers, body });
}

/** Puts the blocks of a message together from its events. Who knows the input of a call already sets `input`. */
export function accumulator() {
  const content = [];
  let texts = [];
  return {
    content,
    input: undefined,
    take(event) {
      if (event.type === "content_block_start") {
        content.push(event.content_block);
        texts = [];
      } else if (event.type === "content_block_delta") {
        texts.push(event.delta.partial_json ?? event.delta.text);
      } else if (event.type === "content_block_stop") {
        const block = content.at(-1);
        if (block.type === "tool_use") block.input = this.input ?? JSON.parse(texts.join("") || "{}");
        else block.text = texts.join("");
        this.input = undefined;
      }
    },
  };
}

/** The tools as the API wants them. */
export function declare(tools, z) {
  return tools.map(({ name, description, shape }) => ({
    name,
    description,
    input_schema: z.toJSONSchema(z.object(shape(z))),
  }));
}

export const firstMessage = { role: "user", content: "go" };
