/** The part of a response that arrived without its blocks: what the history would lose if the response broke off. */

import { stringOf } from "@runahead/base";
import type { Block } from "../model/message.ts";

/** Text that was shown, or a call that was executed, whose block has not come. */
type Pending = { readonly text: string } | { readonly call: Block };

export class UnfinishedBlocks {
  #pending: Pending[] = [];

  /** A new part of the text. */
  text(text: string): void {
    const last = this.#pending.at(-1);
    if (last !== undefined && "text" in last) this.#pending.splice(-1, 1, { text: last.text + text });
    else this.#pending.push({ text });
  }

  /** A call that is complete. */
  call(call: Block): void {
    this.#pending.push({ call });
  }

  /** A block that is complete, so that it is no longer pending. */
  block(block: Block): void {
    if (this.#pending.length === 0) return;
    if (block.type === "tool_use") {
      const [first] = this.#pending;
      if (
        this.#pending.length === 1 &&
        first !== undefined &&
        "call" in first &&
        first.call["id"] === block["id"]
      )
        return void this.#pending.pop();
      this.#pending = this.#pending.filter((one) => !("call" in one && one.call["id"] === block["id"]));
      return;
    }
    if (block.type !== "text") return;
    // Some servers send one text block for all the text around the calls.
    let left = stringOf(block["text"]).length;
    this.#pending = this.#pending.filter((one) => {
      if (!("text" in one) || left <= 0) return true;
      left -= one.text.length;
      return false;
    });
  }

  /** Returns the pending blocks in their order, without text that is only white space. */
  take(): readonly Block[] {
    return this.#pending.splice(0).flatMap((one): Block[] => {
      if ("call" in one) return [one.call];
      return one.text.trim() === "" ? [] : [{ type: "text", text: one.text.toWellFormed() }];
    });
  }
}

/** Returns the content of a broken response in a form that the API accepts: it must not end with thinking. */
export function withoutLastThinking(content: readonly Block[]): readonly Block[] {
  const end = content.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return content.slice(0, end + 1);
}
