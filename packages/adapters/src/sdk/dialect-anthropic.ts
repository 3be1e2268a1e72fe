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
  // A definition of the caller wins, so that it can have members of the API such as `allowed_callers`.
  const given = listOf(params["tools"]);
  const names = new Set(given.map((tool) => shapeOf(tool)["name"]));
  const all = [...given, ...toAnthropicTools(tools).filter(({ name }) => !names.has(name))];
  /** Where the provider runs its scripts: the next request continues there. */
  let container: object = {};
  const onContainer = (id: string): void => void (container = { container: id });
  return {
    begun: listOf(params["messages"]),
    send: (history, signal) =>
      callCreate(messages, { ...params, ...container, tools: all, messages: history }, signal),
    tap: anthropicCalls,
    read: () => new MessageReader(onContainer),
    resultEntries: (results) => (results.length === 0 ? [] : [{ role: "user", content: results }]),
  };
}

class MessageReader implements ResponseReader {
  readonly #blocks = createBlockBuilder();
  readonly #whole: Block[] = [];
  readonly #onContainer: (id: string) => void;
  /** Calls in the start of the message, which are complete before the start has been read. Undefined after it. */
  #early: Map<string, WholeCall | undefined> | undefined = new Map();
  stop = "";

  constructor(onContainer: (id: string) => void) {
    this.#onContainer = onContainer;
  }

  take(event: Shape): void {
    const { index: given } = event;
    const index = typeof given === "number" ? given : undefined;
    switch (event["type"]) {
      case "message_start":
        return this.#start(shapeOf(event["message"]));
      case "content_block_start":
        // Some servers send no start of the message.
        this.#early = undefined;
        return this.#blocks.begin(index, shapeOf(event["content_block"]));
      case "content_block_delta":
        return this.#blocks.grow(index, shapeOf(event["delta"]));
      case "content_block_stop":
        this.#blocks.end(index);
        return void this.#whole.push(...this.#blocks.take());
      case "message_delta":
        return this.#end(shapeOf(event["delta"]));
    }
  }

  called(id: string, whole: WholeCall | undefined): void {
    if (this.#early === undefined) this.#blocks.called(id, whole?.block);
    else this.#early.set(id, whole);
  }

  /** A message that continues a script can begin with whole blocks, its container and its stop reason. */
  #start(message: Shape): void {
    const early = this.#early;
    this.#early = undefined;
    if (early === undefined) return;
    const blocks = listOf(message["content"]).map(shapeOf);
    for (const [index, block] of blocks.entries()) this.#blocks.begin(index, block);
    for (const [id, whole] of early) this.#blocks.called(id, whole?.block);
    for (const index of blocks.keys()) this.#blocks.end(index);
    this.#whole.push(...this.#blocks.take());
    this.#end(message);
  }

  #end({ stop_reason: reason, container }: Shape): void {
    this.stop = stringOf(reason, this.stop);
    const { id } = shapeOf(container);
    if (typeof id === "string" && id !== "") this.#onContainer(id);
  }

  entries(): readonly unknown[] {
    this.#whole.push(...this.#blocks.takeRest());
    return this.#whole.length === 0 ? [] : [{ role: "assistant", content: this.#whole }];
  }
}
