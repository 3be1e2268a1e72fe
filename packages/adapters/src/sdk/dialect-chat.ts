/** Chat Completions, through the OpenAI SDK. */

import { type AnyTool, openaiCalls, toOpenAi, toOpenAiTools } from "@runahead/engine";
import { type WholeCall, isTooDeep, wellFormed } from "@runahead/engine/wire";
import {
  type Shape,
  chatAnswer,
  chatCall,
  choiceOf,
  createChatMessage,
  listOf,
  stringOf,
} from "@runahead/base";
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
  readonly #message = createChatMessage((value) => !isTooDeep(value));
  readonly #texts: string[] = [];
  readonly #refusals: string[] = [];
  readonly #calls: WholeCall[] = [];
  stop = "";

  take(chunk: Shape): void {
    const choice = choiceOf(chunk);
    this.#message.look(chunk);
    const { texts, refusal } = this.#message.take(choice);
    this.#texts.push(...texts);
    this.#refusals.push(refusal);
    this.stop = stringOf(choice["finish_reason"], this.stop);
  }

  called(_id: string, whole: WholeCall | undefined): void {
    if (whole !== undefined) this.#calls.push(whole);
  }

  entries(): readonly unknown[] {
    const text = this.#texts.join("").toWellFormed();
    const refusal = this.#refusals.join("").toWellFormed();
    if (text + refusal === "" && this.#calls.length === 0) return [];
    const calls = this.#calls.map(({ block: { id, name, input } }) =>
      chatCall({ id, name, input }, wellFormed(this.#message.ofCall(stringOf(id)))),
    );
    const reasoning = wellFormed(this.#message.takeReasoning());
    return [{ ...chatAnswer({ text, calls, reasoning }), ...(refusal === "" ? {} : { refusal }) }];
  }
}
