/** The Responses API, through the OpenAI SDK. */

import { type AnyTool, openaiCalls, toOpenAi, toOpenAiTools } from "@runahead/engine";
import { type WholeCall, createOutputIndexes } from "@runahead/engine/wire";
import { type Shape, listOf, shapeOf, stringOf } from "@runahead/base";
import { type Create, type Dialect, type ResponseReader, callCreate } from "./dialect.ts";

export function responsesDialect(
  responses: { readonly create: Create },
  params: Shape,
  tools: readonly AnyTool[],
): Dialect {
  for (const name of ["conversation", "background"])
    if (params[name] !== undefined && params[name] !== null && params[name] !== false)
      throw new TypeError(
        `runWith keeps the history itself and does not support ${name}. Remove it from the parameters.`,
      );
  const { input } = params;
  const all = [...listOf(params["tools"]), ...toOpenAiTools(tools).responses];
  return {
    begun: typeof input === "string" ? [{ role: "user", content: input }] : listOf(input),
    send: (history, signal) => callCreate(responses, { ...params, tools: all, input: history }, signal),
    tap: openaiCalls,
    read: () => new ItemReader(),
    resultEntries: (results) => toOpenAi(results).responses,
  };
}

class ItemReader implements ResponseReader {
  /** Complete items, by their index in the response. */
  readonly #items = new Map<number, Shape>();
  readonly #indexes = createOutputIndexes();
  readonly #begun = new Set<number>();
  readonly #calls = new Map<string, WholeCall>();
  stop = "";

  take(event: Shape): void {
    const response = shapeOf(event["response"]);
    switch (event["type"]) {
      case "response.output_item.added":
        return void (this.#indexes.isRepeated(event) || this.#begin(event));
      case "response.output_item.done":
        return this.#done(event);
      case "response.completed":
      case "response.done":
        for (const item of this.#indexes.missing(response)) this.#done({ item });
        return this.#stopped(response);
      case "response.incomplete":
        return this.#stopped(response);
    }
  }

  /** Some servers send an item only when it is whole, or no index. */
  #done(event: Shape): void {
    const known = this.#indexes.of(event);
    const index = known !== undefined && this.#begun.has(known) ? known : this.#begin(event);
    this.#items.set(index, shapeOf(event["item"]));
  }

  #begin(event: Shape): number {
    const index = this.#indexes.added(event);
    this.#begun.add(index);
    return index;
  }

  #stopped({ status, incomplete_details: details }: Shape): void {
    this.stop = stringOf(shapeOf(details)["reason"], stringOf(status));
  }

  called(id: string, whole: WholeCall | undefined): void {
    if (whole !== undefined) this.#calls.set(id, whole);
  }

  entries(): readonly unknown[] {
    const places = [...this.#items.keys()].sort((one, other) => one - other);
    const items = places.flatMap((place) => this.#kept(this.#items.get(place) as Shape));
    // The arguments were complete and the item was not: the call has run, so it belongs into the history.
    for (const [id, { block }] of this.#calls) {
      const { name, input } = block;
      items.push({ type: "function_call", call_id: id, name, arguments: JSON.stringify(input) });
    }
    // The API rejects reasoning without the item that follows it.
    while (items.at(-1)?.["type"] === "reasoning") items.pop();
    return items;
  }

  /** A call that was not taken off the stream has no output, and the API would reject it. */
  #kept(item: Shape): Shape[] {
    if (item["type"] !== "function_call") return [item];
    return this.#calls.delete(stringOf(item["call_id"])) ? [item] : [];
  }
}
