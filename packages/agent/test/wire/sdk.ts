/** What the official SDKs accumulate from a recorded response. */

import Anthropic from "@anthropic-ai/sdk";
import { type Shape, isShape } from "@runahead/base";
import OpenAI from "openai";

export type Kind = "anthropic" | "chat" | "responses";

/** A message in the form of its own API, or why the SDK gives none. */
export type Accumulated =
  | { readonly type: "message"; readonly message: Shape }
  | { readonly type: "refused"; readonly why: string };

/** Plays the bytes to the SDK of the API. */
export async function accumulate(kind: Kind, bytes: Uint8Array): Promise<Accumulated> {
  try {
    const message = await ACCUMULATE[kind](bytes);
    return isShape(message)
      ? { type: "message", message }
      : { type: "refused", why: "The SDK gives no message." };
  } catch (error) {
    return { type: "refused", why: error instanceof Error ? error.message : String(error) };
  }
}

const ACCUMULATE: Readonly<Record<Kind, (bytes: Uint8Array) => Promise<unknown>>> = {
  anthropic: (bytes) => {
    const client = new Anthropic({ apiKey: "none", fetch: playing(bytes), maxRetries: 0 });
    return client.beta.messages
      .stream({ model: "claude", max_tokens: 1, messages: [{ role: "user", content: "go" }] })
      .finalMessage();
  },
  chat: async (bytes) => {
    const client = new OpenAI({ apiKey: "none", fetch: playing(bytes), maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: "gpt",
      messages: [{ role: "user", content: "go" }],
    });
    const { choices, usage } = await stream.finalChatCompletion();
    const choice = choices.find(({ index }) => index === 0);
    return { ...choice, usage };
  },
  responses: (bytes) => {
    const client = new OpenAI({ apiKey: "none", fetch: playing(bytes), maxRetries: 0 });
    return client.responses.stream({ model: "gpt", input: "go" }).finalResponse();
  },
};

function playing(bytes: Uint8Array): typeof fetch {
  // Some recordings lack the empty line at the end, without which the SDKs drop the last event.
  const body = Buffer.concat([bytes, Buffer.from("\n\n")]);
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}
