/** Converts a prompt from the editor to the format of the model. */

import { fileURLToPath } from "node:url";
import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk";
import type { Block, CodingAgent } from "@runahead/harness";
import { type Given, preparedPrompt } from "../shared/prepared-prompt.ts";

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Throws a `RequestError` if a part of the prompt cannot be sent to a model. */
export function checkPrompt(blocks: readonly ContentBlock[]): void {
  promptOf(blocks);
}

/** The text that the user typed: the first text of the prompt. */
export function textOf(blocks: readonly ContentBlock[]): string {
  const first = blocks.find(({ type }) => type === "text");
  return first?.type === "text" ? first.text : "";
}

/** Expands `/name`, `@file` and `@server:uri` in what the user typed. The other parts stay as they are. */
export async function preparedBlocks(
  made: CodingAgent,
  blocks: readonly ContentBlock[],
  ports: Parameters<typeof preparedPrompt>[2],
): Promise<Given> {
  const typed = textOf(blocks);
  const at = blocks.findIndex(({ type }) => type === "text");
  const { prompt, ...options } = await preparedPrompt(made, { prompt: typed }, ports);
  if (typed === "" || prompt === typed) return { prompt: promptOf(blocks) };
  const own: readonly Block[] = typeof prompt === "string" ? [text(prompt)] : prompt;
  const others = [blocks.slice(0, at), blocks.slice(at + 1)].map((part) => part.map(blockOf));
  return { ...options, prompt: [...(others[0] ?? []), ...own, ...(others[1] ?? [])] };
}

function promptOf(blocks: readonly ContentBlock[]): readonly Block[] {
  const prompt = blocks.map(blockOf).filter((block) => block.type !== "text" || block["text"] !== "");
  if (prompt.length === 0) throw RequestError.invalidParams(undefined, "the prompt is empty");
  return prompt;
}

function blockOf(block: ContentBlock): Block {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.mimeType, block.data);
    case "resource_link":
      return text(`[${block.title ?? block.name}: ${placeOf(block.uri)}]`);
    case "resource":
      return resource(block.resource);
    default:
      throw RequestError.invalidParams(
        undefined,
        `unsupported prompt part ${JSON.stringify(block.type)}. Supported: text, image, resource, resource_link`,
      );
  }
}

function resource(held: Extract<ContentBlock, { type: "resource" }>["resource"]): Block {
  const place = placeOf(held.uri);
  if ("text" in held) return text(`<attached from=${JSON.stringify(place)}>\n${held.text}\n</attached>`);
  const type = held.mimeType ?? "";
  if (type === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: type, data: held.blob } };
  return image(type, held.blob);
}

function image(mimeType: string, data: string): Block {
  if (!IMAGES.has(mimeType))
    throw RequestError.invalidParams(
      undefined,
      `unsupported data type ${JSON.stringify(mimeType)}. Supported: ${[...IMAGES].join(", ")}, application/pdf`,
    );
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}

function text(said: string): Block {
  return { type: "text", text: said };
}

/** Converts file URLs to paths, which tools understand. */
function placeOf(uri: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    const { hash } = new URL(uri);
    return fileURLToPath(uri) + hash;
  } catch {
    return uri;
  }
}
