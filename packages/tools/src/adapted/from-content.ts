/** What tools of other libraries give back, as blocks that a model's API takes. */

import type { ResultBlock } from "@runahead/engine";
import { readImage } from "../files/read-image.ts";
import { Refusal } from "../shared/refusal.ts";

/** What the adapted tool gave, and what the model reads of it. */
export interface AdaptedOutput {
  readonly output: unknown;
  readonly content: readonly ResultBlock[];
}

/** Any value: the engine writes what is no string as JSON, and says it where that cannot be. */
export function valueBlocks(value: unknown): readonly ResultBlock[] {
  return value === undefined || value === "" ? [] : [textBlock(value as string)];
}

export function textBlock(text: string): ResultBlock {
  return { type: "text", text };
}

/** Checked, and made smaller where it must be; of one that cannot be shown, why (C15). */
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

/** An API refuses a list of blocks with an empty one in it, so nothing at all is said in the engine's words. */
export function contentOf({ content }: AdaptedOutput): readonly ResultBlock[] | string {
  return content.length === 0 ? "" : content;
}
