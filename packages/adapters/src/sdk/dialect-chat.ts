/** Chat Completions, through the OpenAI SDK. */

import { type AnyTool, openaiCalls, toOpenAi, toOpenAiTools } from "@runahead/engine";
import type { WholeCall } from "@runahead/engine/wire";
import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import { type Create, type Dialect, type ResponseReader, callCreate } from "./dialect.ts";

export function chatDialect(
  completions: { readonly create: Create },
  params: Shape,
  tools: readonly AnyTool[],
): Dialect {
  const count = params["n"] ?? 1;
  if (count !== 1) throw new TypeError("runWith supports only one choice. Remove n from the parameters.");
  const all = [...listOf(params["tools"]), ...toOpenAiTools(tools).chat];
  // The API rejects an empty list of tools.
  const withTools = all.length === 0 ? params : { ...params, tools: all };
  return {
    begun: listOf(params["messages"]),
    send: (history, signal) => callCreate(completions, { ...withTools, messages: history }, signal),
    tap: openaiCalls,
    read: () => new ChatReader(),
    resultEntries: (results) => toOpenAi(results).chat,
  };
}

class ChatReader implements ResponseReader {
  readonly #texts: string[] = [];
  readonly #refusals: string[] = [];
  readonly #calls: object[] = [];
  stop = "";

  take(chunk: Shape): void {
    const choice = shapeOf(listOf(chunk["choices"])[0]);
    const { content, refusal } = shapeOf(choice["delta"]);
    this.#texts.push(stringOf(content));
    this.#refusals.push(stringOf(refusal));
    this.stop = stringOf(choice["finish_reason"], this.stop);
  }

  called(id: string, whole: WholeCall | undefined): void {
    if (whole === undefined) return;
    const call = { name: whole.block["name"], arguments: JSON.stringify(whole.block["input"]) };
    this.#calls.push({ id, type: "function", function: call });
  }

  entries(): readonly unknown[] {
    const content = this.#texts.join("").toWellFormed();
    const refusal = this.#refusals.join("").toWellFormed();
    if (content + refusal === "" && this.#calls.length === 0) return [];
    return [
      {
        role: "assistant",
        content: content === "" ? null : content,
        ...(refusal === "" ? {} : { refusal }),
        ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls }),
      },
    ];
  }
}
