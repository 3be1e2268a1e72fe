/** Decodes an image, for terminals that draw pixels. */

import { aPositiveNumber, aString, checkMembers, required } from "@runahead/base";
import { createRequire } from "node:module";
import { addressOf, runInProcess } from "../shared/own-process.ts";
import { readImageHeader } from "./image-header.ts";

/** The image to decode and the size that it is scaled to. */
export interface PixelRequest {
  /** A PNG, JPEG, GIF or WebP file in Base64. */
  readonly base64: string;
  /** The width of the result in pixels. */
  readonly width: number;
  /** The height of the result in pixels. */
  readonly height: number;
}

const MOST_PIXELS = 64_000_000;
const LIMIT_MS = 10_000;

const SCRIPT = `
  const image = library.PhotonImage.new_from_byteslice(Buffer.from(input.base64, "base64"));
  const small = library.resize(image, input.width, input.height, library.SamplingFilter.Triangle);
  return Buffer.from(small.get_raw_pixels()).toString("base64");
`;

const REQUEST = {
  base64: required(aString),
  width: required(aPositiveNumber),
  height: required(aPositiveNumber),
};

/**
 * Decodes an image and scales it. Returns four bytes per pixel (red, green, blue, alpha), row by row, or undefined if the
 * image is invalid or has more than 64 million pixels. Decoding runs in its own process, limited to ten seconds.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { imagePixels } from "@runahead/tools";
 *
 * const base64 = await readFile("logo.png", "base64");
 * const pixels = await imagePixels({ base64, width: 32, height: 32 });
 * ```
 */
export async function imagePixels(
  request: PixelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Uint8Array | undefined> {
  checkMembers(request, REQUEST, "imagePixels");
  const { base64, width, height } = request;
  const header = readImageHeader(Buffer.from(base64, "base64"));
  if (header.type !== "image" || header.width * header.height > MOST_PIXELS) return undefined;
  const library = addressOf(createRequire(import.meta.url).resolve("@silvia-odwyer/photon-node"));
  const input = { base64, width, height };
  const end = await runInProcess({ script: SCRIPT, library, input, limitMs: LIMIT_MS, signal });
  if (end.type === "failed" || typeof end.answer !== "string") return undefined;
  const pixels = Buffer.from(end.answer, "base64");
  return pixels.length === width * height * 4 ? pixels : undefined;
}
