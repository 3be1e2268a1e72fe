/** Converts the result of an AI SDK tool's `toModelOutput` to content. */

import type { ResultBlock } from "@runahead/engine";
import { addressBlock, imageBlocks, pdfBlock, textBlock, valueBlocks } from "./from-content.ts";
import { Refusal } from "../shared/refusal.ts";

/** The output types of AI SDK 6; unknown ones are passed on as JSON. */
interface ModelOutput {
  readonly type: string;
  readonly value?: unknown;
  readonly reason?: unknown;
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly url?: string;
  readonly mediaType?: string;
}

/** Throws for an output that means failure or denial: the model must not read it as a success. */
export async function aiSdkContent(output: unknown, signal: AbortSignal): Promise<readonly ResultBlock[]> {
  const { type, value, reason } = (output ?? {}) as ModelOutput;
  switch (type) {
    case "error-text":
      throw new Refusal(String(value));
    case "error-json":
      throw new Refusal(JSON.stringify(value));
    case "execution-denied":
      throw new Refusal(
        typeof reason === "string" ? `Not run: ${reason}` : "Not run: the tool denied the call.",
      );
    case "content":
      return contentBlocks(value, signal);
    default:
      return valueBlocks(type === "text" || type === "json" ? value : output);
  }
}

async function contentBlocks(parts: unknown, signal: AbortSignal): Promise<readonly ResultBlock[]> {
  if (!Array.isArray(parts)) return valueBlocks(parts);
  const blocks: ResultBlock[] = [];
  for (const part of parts as readonly Part[]) blocks.push(...(await partBlocks(part, signal)));
  return blocks;
}

async function partBlocks(part: Part, signal: AbortSignal): Promise<readonly ResultBlock[]> {
  const { type, text, data, url, mediaType = "" } = part;
  if (type === "text") return valueBlocks(text);
  if (data !== undefined && (type === "image-data" || mediaType.startsWith("image/")))
    return imageBlocks(data, signal);
  if (data !== undefined && mediaType === "application/pdf") return [pdfBlock(data)];
  if (data !== undefined && mediaType.startsWith("text/"))
    return valueBlocks(Buffer.from(data, "base64").toString());
  if (url !== undefined && (type === "image-url" || mediaType.startsWith("image/")))
    return [addressBlock("image", url)];
  if (url !== undefined && mediaType === "application/pdf") return [addressBlock("document", url)];
  const what = mediaType === "" ? type : `${type}, ${mediaType}`;
  return [textBlock(`[A part of the result (${what}) cannot be shown.]`)];
}
