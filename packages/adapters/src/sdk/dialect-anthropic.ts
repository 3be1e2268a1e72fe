/** The Messages API, through the Anthropic SDK. */

import { type AnyTool, anthropicCalls, toAnthropicTools } from "@runahead/engine";
import { createBlockBuilder, type WholeCall, type Block } from "@runahead/engine/wire";
import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import { type Create, type Dialect, type ResponseReader, callCreate } from "./dialect.ts";

export function anthropicDialect(
  messages: { readonly create: Create },
  params: Shape,
  tools: readonly AnyTool[],
): Dialect {
  const all = [...listOf(params["tools"]), ...toAnthropicTools(tools)];
  return {
    begun: listOf(params["messages"]),
    send: (history, signal) => callCreate(messages, { ...params, tools: all, messages: history }, signal),
    tap: anthropicCalls,
    read: () => new MessageReader(),
    resultEntries: (results) => (results.length === 0 ? [] : [{ role: "user", content: results }]),
  };
}

class MessageReader implements ResponseReader {
  readonly #blocks = createBlockBuilder();
  readonly #whole: Block[] = [];
  stop = "";

  take(event: Shape): void {
    const index = Number(event["index"]);
    switch (event["type"]) {
      case "content_block_start":
        return this.#blocks.begin(index, shapeOf(event["content_block"]));
      case "content_block_delta":
        return this.#blocks.grow(index, shapeOf(event["delta"]));
      case "content_block_stop":
        this.#blocks.end(index);
        return void this.#whole.push(...this.#blocks.take());
      case "message_delta":
        this.stop = stringOf(shapeOf(event["delta"])["stop_reason"], this.stop);
    }
  }

  called(id: string, whole: WholeCall | undefined): void {
    this.#blocks.called(id, whole?.block);
  }

  entries(): readonly unknown[] {
    this.#whole.push(...this.#blocks.takeRest());
    return this.#whole.length === 0 ? [] : [{ role: "assistant", content: this.#whole }];
  }
}
