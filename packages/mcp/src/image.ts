/** Images that model APIs accept. The type is detected, because an API refuses every request with a wrong one. */

import type { ImageSource, ResultBlock } from "@runahead/engine";

const MOST_BASE64_CHARS = 5_000_000;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

type MediaType = Extract<ImageSource, { type: "base64" }>["media_type"];

/** Types by the start of their base64 text. */
const KINDS: readonly (readonly [RegExp, MediaType])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD[dl]h/, "image/gif"],
  [/^UklGR.{6}XRUJQ/, "image/webp"],
];

/** Returns undefined if the data is not an image of these types. */
export function imageBlock(data: unknown): ResultBlock | undefined {
  if (typeof data !== "string" || data.length > MOST_BASE64_CHARS) return undefined;
  const plain = data.replaceAll(/\s/g, "");
  const kind = KINDS.find(([beginning]) => beginning.test(plain));
  if (kind === undefined || plain.length % 4 !== 0 || !BASE64.test(plain)) return undefined;
  return { type: "image", source: { type: "base64", media_type: kind[1], data: plain } };
}
