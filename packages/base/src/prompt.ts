/** Checks a prompt: the API would refuse a block that it does not know only after the request was sent. */

import { type Check, aString, didYouMean, rejectMisspelt, required, wrong } from "./options.ts";
import { isShape } from "./shape.ts";

/** Other types are allowed, because providers add them. */
const TYPES = ["text", "image", "document"];

/** A text, or an array of content blocks. */
export const aPrompt: Check = (value, what) => {
  if (typeof value === "string") return;
  if (!Array.isArray(value)) throw wrong(what, "a text or an array of content blocks", value);
  if (value.length === 0) throw new TypeError(`${what} has no content blocks.`);
  for (const [at, block] of value.entries()) checkBlock(block, `${what}[${at}]`);
};

function checkBlock(block: unknown, what: string): void {
  if (!isShape(block)) throw wrong(what, 'a content block such as { type: "text", text: "…" }', block);
  rejectMisspelt(block, ["type"], what);
  const { type, text } = block;
  required(aString)(type, `${what}: "type"`);
  if (type === "text") return required(aString)(text, `${what}: "text"`);
  const hint = TYPES.includes(type as string) ? "" : didYouMean(type as string, TYPES);
  if (hint !== "") throw new TypeError(`${what}: unknown type "${String(type)}".${hint}`);
}
