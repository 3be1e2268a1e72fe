/** Converts outputs of other libraries' tools to result blocks. */

import type { ResultBlock } from "@runahead/engine";
import { readImage } from "../files/read-image.ts";
import { Refusal } from "../shared/refusal.ts";

/** The output of an adapted tool, and its content for the model. */
export interface AdaptedOutput {
  readonly output: unknown;
  readonly content: readonly ResultBlock[];
}

/** Accepts any value: the engine serialises it as JSON if it is not a string. */
export function valueBlocks(value: unknown): readonly ResultBlock[] {
  return value === undefined || value === "" ? [] : [textBlock(value as string)];
}

export function textBlock(text: string): ResultBlock {
  return { type: "text", text };
}

/** Validates the image and resizes it if needed. If it cannot be shown, a text says why (C15). */
export async function imageBlocks(base64: string, signal: AbortSignal): Promise<readonly ResultBlock[]> {
  try {
    const image = await readImage("in the result", Buffer.from(base64, "base64"), signal);
    const source = { type: "base64", media_type: image.mediaType, data: image.base64 } as const;
    return [...(image.note === "" ? [] : [textBlock(`[${image.note}]`)]), { type: "image", source }];
  } catch (error) {
    if (error instanceof Refusal) return [textBlock(`[${error.message}]`)];
    throw error;
  }
}

export function addressBlock(type: "image" | "document", url: string): ResultBlock {
  return { type, source: { type: "url", url } };
}

export function pdfBlock(base64: string): ResultBlock {
  return { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } };
}

/** Model APIs refuse an empty list of blocks, so an empty result becomes an empty text, which the engine fills. */
export function contentOf({ content }: AdaptedOutput): readonly ResultBlock[] | string {
  return content.length === 0 ? "" : content;
}
