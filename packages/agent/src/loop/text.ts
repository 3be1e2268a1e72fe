/** The text of a message. */

import type { Block } from "../model/message.ts";
import { stringOf } from "../system/shape.ts";

export function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [stringOf(block["text"])] : [])).join("");
}
