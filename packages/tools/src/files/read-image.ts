/** Turns an image into a block that model APIs accept: validated, and resized if it is too large (C15). */

import { type ImageHeader, type MediaType, readImageHeader } from "./image-header.ts";
import { Refusal } from "../shared/refusal.ts";
import { createRequire } from "node:module";
import { addressOf, runInProcess } from "../shared/own-process.ts";

export interface ReadImage {
  readonly type: "image";
  /** The media type of the image, such as `image/png`. */
  readonly mediaType: MediaType;
  /** The image in Base64. */
  readonly base64: string;
  /** Says how the image was changed; empty if it was not. */
  readonly note: string;
}

/** Larger files are refused. */
export const IMAGE_FILE_BYTES = 64 * 1024 * 1024;
/** Resizing more pixels would take too much memory. */
const MOST_PIXELS = 64_000_000;
/** Images up to this size are sent unchanged: 5 MB in base64, and this many pixels per side. */
const SENT_BYTES = 3_750_000;
const SENT_SIDE = 2_000;
/** Larger images are resized to this side. */
const RESIZED_SIDE = 1_568;
const LIMIT_MS = 30_000;

/** Decodes the image to check that it is complete, and encodes it again only if it must be resized. */
const SCRIPT = `
  const image = library.PhotonImage.new_from_byteslice(Buffer.from(input.base64, "base64"));
  if (input.width === undefined) return { kept: true };
  const small = library.resize(image, input.width, input.height, library.SamplingFilter.Lanczos3);
  const png = small.get_bytes();
  return png.length <= input.mostBytes
    ? { mediaType: "image/png", base64: Buffer.from(png).toString("base64") }
    : { mediaType: "image/jpeg", base64: Buffer.from(small.get_bytes_jpeg(80)).toString("base64") };
`;

type Answer = { readonly kept: true } | { readonly mediaType: MediaType; readonly base64: string };

export async function readImage(name: string, bytes: Buffer, signal: AbortSignal): Promise<ReadImage> {
  const header = headerOf(name, bytes);
  const { width, height, mediaType } = header;
  const side = Math.max(width, height);
  const isTooLarge = side > SENT_SIDE || bytes.length > SENT_BYTES;
  const scale = Math.min(1, RESIZED_SIDE / side);
  const size = { width: scaled(width, scale), height: scaled(height, scale) };
  const base64 = bytes.toString("base64");
  const library = addressOf(createRequire(import.meta.url).resolve("@silvia-odwyer/photon-node"));
  const input = { base64, mostBytes: SENT_BYTES, ...(isTooLarge ? size : {}) };
  const end = await runInProcess({ script: SCRIPT, library, input, limitMs: LIMIT_MS, signal });
  if (end.type === "failed") throw notShown(name, `its ${mediaType} data is corrupt or truncated`);
  const answer = end.answer as Answer;
  if ("kept" in answer) return { type: "image", mediaType, base64, note: "" };
  if (answer.base64.length > (SENT_BYTES * 4) / 3 + 4)
    throw notShown(name, "it is too large even after resizing");
  const note = `The image ${name} is ${width} × ${height} pixels, ${bytes.length} bytes; resized to ${size.width} × ${size.height}.`;
  return { type: "image", mediaType: answer.mediaType, base64: answer.base64, note };
}

function headerOf(name: string, bytes: Buffer): ImageHeader & { type: "image" } {
  if (bytes.length === 0) throw notShown(name, "the file is empty");
  const header = readImageHeader(bytes);
  if (header.type === "broken")
    throw notShown(name, `it starts like ${header.mediaType} but is corrupt or truncated`);
  if (header.type === "no-image")
    throw notShown(name, `its content is not PNG, JPEG, GIF or WebP, whatever its name says`);
  if (header.width * header.height > MOST_PIXELS) {
    const pixels = `${header.width} × ${header.height} pixels`;
    throw notShown(name, `it has ${pixels}, too many to resize (limit: ${MOST_PIXELS} in total)`);
  }
  return header;
}

function notShown(name: string, why: string): Refusal {
  return new Refusal(`Cannot show the image ${name}: ${why}.`);
}

function scaled(length: number, scale: number): number {
  return Math.max(1, Math.round(length * scale));
}
