/** Images in prompts. */

import type { Block } from "@runahead/harness";

/** Larger images are rejected by the models' APIs. */
const MOST_BYTES = 3_750_000;

/** The type of an image by its first bytes, because a name can lie. Undefined for anything else. */
export function imageType(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 12).toString("latin1");
  if (start.startsWith("\u0089PNG\r\n")) return "image/png";
  if (start.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(start)) return "image/gif";
  return start.startsWith("RIFF") && start.slice(8) === "WEBP" ? "image/webp" : undefined;
}

/** The block of a prompt. Throws an Error if the bytes are not an image, or too many. */
export function imageBlock(bytes: Buffer): Block {
  const type = imageType(bytes);
  if (type === undefined) throw new Error("it is not a PNG, JPEG, GIF or WebP image.");
  if (bytes.length > MOST_BYTES)
    throw new Error(
      `the image has ${(bytes.length / 1e6).toFixed(1)} MB, and models take at most ${MOST_BYTES / 1e6} MB.`,
    );
  return { type: "image", source: { type: "base64", media_type: type, data: bytes.toString("base64") } };
}
