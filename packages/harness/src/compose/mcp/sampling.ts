/** Sampling: an MCP server asks for a message of the model. The user sees the request and decides. */

import type { Message, Model } from "@runahead/agent";
import { isShape, listOf, stringOf, type Shape } from "@runahead/base";
import type { McpAskBack } from "@runahead/mcp";
import type { AskUser } from "@runahead/tools";

const MOST_TOKENS = 8_000;
const SHOWN_CHARS = 20_000;

export function sampleBy(askUser: AskUser, model: Model): NonNullable<McpAskBack["sample"]> {
  return async (params, signal, server) => {
    const request = isShape(params) ? params : {};
    const messages = messagesOf(request);
    const asked = Number(request["maxTokens"]);
    const maxTokens = asked > 0 ? Math.min(asked, MOST_TOKENS) : MOST_TOKENS;
    const system = stringOf(request["systemPrompt"], "");
    if (!(await isAllowed(askUser, { server, model: model.name, system, messages, maxTokens }, signal)))
      throw new Error("The user did not allow the request to the model.");
    let text = "";
    let stopReason = "endTurn";
    for await (const event of model.stream({ system, tools: [], messages, maxTokens }, signal)) {
      if (event.type === "text") text += event.text;
      if (event.type === "stopped" && event.reason === "max_tokens") stopReason = "maxTokens";
    }
    return { role: "assistant", content: { type: "text", text }, model: model.name, stopReason };
  };
}

type TextMessage = Message & { readonly content: string };

interface Asked {
  readonly server: string;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly TextMessage[];
  readonly maxTokens: number;
}

/** The user sees everything that is sent. */
async function isAllowed(askUser: AskUser, asked: Asked, signal: AbortSignal): Promise<boolean> {
  const { server, model, system, messages, maxTokens } = asked;
  const all = [{ role: "system", content: system }, ...messages];
  const sent = all.filter(({ content }) => content !== "").map(({ role, content }) => `${role}: ${content}`);
  const shown = sent.join("\n");
  const rest = shown.length - SHOWN_CHARS;
  const cut = rest > 0 ? `\n… ${rest} more characters are not shown` : "";
  const question = `The MCP server ${server} wants to ask the model ${model} (an answer of at most ${maxTokens} tokens):`;
  const answers = await askUser(
    [
      {
        question: `${question}\n${shown.slice(0, SHOWN_CHARS)}${cut}`,
        header: `MCP server ${server}`,
        options: [{ label: "Allow" }, { label: "Deny" }],
        onlyOptions: true,
        isRequired: true,
      },
    ],
    signal,
  );
  const [answer] = answers.type === "answered" ? answers.answers : [];
  return answer?.type === "chosen" && answer.labels[0] === "Allow";
}

/** Only text is passed on. */
function messagesOf({ messages }: Shape): TextMessage[] {
  return listOf(messages)
    .filter(isShape)
    .map(({ role, content }) => {
      const blocks = Array.isArray(content) ? (content as unknown[]) : [content];
      const texts = blocks.map((block) => (isShape(block) ? stringOf(block["text"], "") : ""));
      return { role: role === "assistant" ? "assistant" : "user", content: texts.join("\n") };
    });
}
