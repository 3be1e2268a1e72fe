/** An image of a result in words: its kind, its size in pixels and its size in bytes. */

import { type ImageDimensions, getImageDimensions } from "@earendil-works/pi-tui";
import { byteSize, membersOf } from "../../shared/words.ts";

/** An image in Base64. */
export interface InlineImage {
  readonly mediaType: string;
  readonly base64: string;
  readonly size: ImageDimensions | undefined;
}

/** Undefined if the block is not an image with data, such as an address. */
export function inlineImage(block: object): InlineImage | undefined {
  const { type, source } = membersOf(block);
  const { media_type: mediaType, data: base64 } = membersOf(source);
  if (type !== "image" || typeof mediaType !== "string" || typeof base64 !== "string") return undefined;
  return { mediaType, base64, size: sizeOf(base64, mediaType) };
}

/** `PNG image, 640 × 480 pixels, 12.3 kB`; for any other block its type. */
export function imageWords(block: object): string {
  const image = inlineImage(block);
  if (image === undefined) return `[${String(membersOf(block)["type"])}]`;
  const { mediaType, base64, size } = image;
  const kind = /^image\/([a-z]+)$/.exec(mediaType)?.[1]?.toUpperCase() ?? "";
  const pixels = size === undefined ? [] : [`${size.widthPx} × ${size.heightPx} pixels`];
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  return [`${kind} image`.trim(), ...pixels, byteSize(bytes)].join(", ");
}

function sizeOf(base64: string, mediaType: string): ImageDimensions | undefined {
  try {
    return getImageDimensions(base64, mediaType) ?? undefined;
  } catch {
    return undefined;
  }
}
