/** The text of a message. */

import type { Block } from "../model/message.ts";
import { stringOf } from "@runahead/base";

export function textOf(content: readonly Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [stringOf(block["text"])] : [])).join("");
}
