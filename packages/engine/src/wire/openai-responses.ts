/** The Responses API. */

import type { Assembly } from "./assemble.ts";
import type { Draft } from "./draft.ts";
import { OutputIndexes } from "./output-indexes.ts";
import { errorText, isRecord, isObject, type Shape, shapeOf, stringOf } from "./shape.ts";

export class ResponsesReader {
  readonly #assembly: Assembly;
  readonly #indexes = new OutputIndexes();

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  take(event: Shape): void {
    switch (event["type"]) {
      case "response.output_item.added":
        return this.#itemAdded(event);
      case "response.function_call_arguments.delta":
        return this.#argumentsDelta(event);
      case "response.function_call_arguments.done":
        return this.#argumentsDone(event, event["arguments"]);
      case "response.output_item.done":
        return this.#itemDone(event);
      case "response.completed":
      case "response.done":
        return this.#completed(shapeOf(event["response"]));
      case "response.incomplete":
        return this.#incomplete(shapeOf(shapeOf(event["response"])["incomplete_details"]));
      case "response.failed":
        return this.#assembly.fail(errorText(shapeOf(shapeOf(event["response"])["error"])));
      case "error":
        return this.#assembly.fail(errorText(errorOf(event)));
    }
  }

  #itemAdded(event: Shape): void {
    // Some servers report the beginning of an item twice.
    if (this.#indexes.isRepeated(event)) return;
    const index = this.#indexes.added(event);
    this.#assembly.liftDoubts();
    const item = shapeOf(event["item"]);
    if (item["type"] !== "function_call") return this.#assembly.skip(index);
    const id = stringOf(item["call_id"]) || stringOf(item["id"]) || `call_${index}`;
    this.#assembly.begin(index, id, stringOf(item["name"]));
  }

  #argumentsDelta(event: Shape): void {
    const draft = this.#draftOf(event);
    if (draft === undefined) return;
    this.#assembly.liftDoubts();
    if (draft.state.type === "open") this.#assembly.push(draft, stringOf(event["delta"]));
  }

  /** The whole arguments come once more; they count where their pieces did not come. */
  #argumentsDone(event: Shape, whole: unknown): void {
    const draft = this.#draftOf(event);
    if (draft?.state.type !== "open") return;
    if (draft.scan.isEmpty && isRecord(whole)) return this.#assembly.settle(draft, whole);
    if (draft.scan.isEmpty) this.#assembly.push(draft, stringOf(whole));
    // Some servers report the arguments as done before they send them with the item.
    if (draft.scan.isEmpty && event["item"] === undefined) return;
    // Some servers name the tool only at the end of the item.
    if (draft.name !== "" || event["item"] !== undefined) this.#assembly.settle(draft);
  }

  #itemDone(event: Shape): void {
    const item = shapeOf(event["item"]);
    const index = this.#indexes.of(event);
    // Some servers send an item only when it is whole.
    if (index === undefined || !this.#assembly.has(index)) this.#itemAdded(event);
    if (item["type"] !== "function_call") return;
    const draft = this.#draftOf(event);
    if (draft === undefined || item["status"] === "incomplete") return;
    if (draft.state.type === "open" && draft.name === "") draft.name = stringOf(item["name"]);
    this.#argumentsDone(event, item["arguments"]);
    // Its status says that nothing was cut off, so there is nothing to doubt.
    if (item["status"] === "completed" && draft.state.type === "doubtful") this.#assembly.complete(draft);
  }

  /** The whole response comes once more; items that did not come before are taken from it. */
  #completed(response: Shape): void {
    if (response["status"] === "failed") return this.#assembly.fail(errorText(shapeOf(response["error"])));
    if (response["status"] === "incomplete") return this.#incomplete(shapeOf(response["incomplete_details"]));
    for (const item of this.#indexes.missing(response))
      this.#itemDone({ type: "response.output_item.done", item });
    this.#assembly.completeOpen(false);
    this.#assembly.announce({ ok: true }, false);
    this.#assembly.finish();
  }

  #incomplete(details: Shape): void {
    const isRefusal = details["reason"] === "content_filter";
    this.#assembly.announce(isRefusal ? { ok: false, reason: "refusal" } : { ok: true }, true);
    this.#assembly.finish();
  }

  #draftOf(event: Shape): Draft | undefined {
    const index = this.#indexes.of(event);
    const draft = index === undefined ? undefined : this.#assembly.draft(index);
    if (draft === undefined) {
      this.#assembly.malformed(
        `arguments came for output item ${String(index ?? event["item_id"])}, which is not a call that has begun`,
      );
    }
    return draft;
  }
}

/** The error's members are on the event itself, or, from some servers, in an object of their own. */
function errorOf(event: Shape): Shape {
  return isObject(event["error"]) ? event["error"] : { type: event["code"], message: event["message"] };
}
