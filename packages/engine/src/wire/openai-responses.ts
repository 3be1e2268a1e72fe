/** The Responses API. */

import type { Assembly } from "./assemble.ts";
import type { Draft } from "./draft.ts";
import { errorText, isIndex, isShape, type Shape, shapeOf, stringOf } from "./shape.ts";

export class ResponsesReader {
  readonly #assembly: Assembly;

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
        return this.#itemDone(event, event["arguments"]);
      case "response.output_item.done":
        return this.#outputItemDone(event);
      case "response.completed":
        return this.#completed();
      case "response.incomplete":
        return this.#incomplete(shapeOf(shapeOf(event["response"])["incomplete_details"]));
      case "response.failed":
        return this.#assembly.fail(errorText(shapeOf(shapeOf(event["response"])["error"])));
      case "error":
        return this.#assembly.fail(errorText(errorOf(event)));
    }
  }

  #itemAdded(event: Shape): void {
    const index = event["output_index"];
    if (!isIndex(index)) return this.#assembly.malformed("an output item began without an index");
    if (this.#assembly.has(index)) return this.#assembly.malformed(`output item ${index} began twice`);
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

  /** The complete arguments arrive again at the end. They are used if their pieces did not arrive. */
  #itemDone(event: Shape, whole: unknown): void {
    const draft = this.#draftOf(event);
    if (draft?.state.type !== "open") return;
    if (draft.scan.isEmpty) this.#assembly.push(draft, stringOf(whole));
    this.#assembly.settle(draft);
  }

  #outputItemDone(event: Shape): void {
    const item = shapeOf(event["item"]);
    if (item["type"] !== "function_call") return;
    const draft = this.#draftOf(event);
    if (draft === undefined || item["status"] === "incomplete") return;
    this.#itemDone(event, item["arguments"]);
    // Its status says that it is complete.
    if (item["status"] === "completed" && draft.state.type === "doubtful") this.#assembly.complete(draft);
  }

  #completed(): void {
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
    const index = event["output_index"];
    const draft = isIndex(index) ? this.#assembly.draft(index) : undefined;
    if (draft === undefined) {
      this.#assembly.malformed(
        `arguments arrived for output item ${String(index)}, which is not an open call`,
      );
    }
    return draft;
  }
}

/** The error's members are on the event itself, or, from some servers, in an object of their own. */
function errorOf(event: Shape): Shape {
  return isShape(event["error"]) ? event["error"] : { type: event["code"], message: event["message"] };
}
