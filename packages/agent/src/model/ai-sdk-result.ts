/** Converts images, documents and results into the form of each version of the AI SDK's specification. */

import type { Block } from "./message.ts";
import { type Shape, isShape, listOf, shapeOf, stringOf } from "@runahead/base";

/** Base64 data or a URL. */
type Source =
  | { readonly type: "data"; readonly data: string; readonly mediaType: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType: string };

/** Returns a file part of a user message, or undefined for text. */
export function aiSdkFile(block: Block, version: string): Shape | undefined {
  if (block.type === "text") return undefined;
  const source = sourceOf(block);
  if (source === undefined) return { type: "text", text: wordsFor(block) };
  const { mediaType } = source;
  if (version === "v4") return { type: "file", mediaType, data: tagged(source) };
  return { type: "file", mediaType, data: source.type === "url" ? new URL(source.url) : source.data };
}

/** Returns the result of a call. Only text can be marked as an error; other content gets a text that says so. */
export function aiSdkOutput(result: Block, version: string): Shape {
  const { content, is_error: isError } = result;
  if (!Array.isArray(content))
    return { type: isError === true ? "error-text" : "text", value: stringOf(content) };
  const blocks = listOf(content).filter(isBlock);
  const isText = blocks.every(({ type }) => type === "text");
  const texts = blocks.map((block) => stringOf(block["text"]));
  if (isText && isError === true) return { type: "error-text", value: texts.join("\n") };
  if (isText && blocks.length < 2) return { type: "text", value: texts.join("") };
  const parts = blocks.map((block) => outputPart(block, version));
  const value = isError === true ? [{ type: "text", text: "Error: the call failed." }, ...parts] : parts;
  return { type: "content", value };
}

function isBlock(value: unknown): value is Block {
  return isShape(value) && typeof value["type"] === "string";
}

function outputPart(block: Block, version: string): Shape {
  const source = block.type === "text" ? undefined : sourceOf(block);
  if (source === undefined) return { type: "text", text: wordsFor(block) };
  const { mediaType } = source;
  if (version === "v4") return { type: "file", mediaType, data: tagged(source) };
  if (version === "v2") {
    if (source.type === "data") return { type: "media", data: source.data, mediaType };
    return { type: "text", text: `[${block.type}: ${source.url}]` };
  }
  const kind = block.type === "image" ? "image" : "file";
  if (source.type === "url") return { type: `${kind}-url`, url: source.url };
  return { type: `${kind}-data`, data: source.data, mediaType };
}

function sourceOf(block: Block): Source | undefined {
  const { type, url, data, media_type } = shapeOf(block["source"]);
  const mediaType = stringOf(media_type, block.type === "image" ? "image/*" : "application/pdf");
  if (type === "url" && URL.canParse(stringOf(url))) return { type: "url", url: stringOf(url), mediaType };
  return type === "base64" ? { type: "data", data: stringOf(data), mediaType } : undefined;
}

function tagged(source: Source): Shape {
  return source.type === "url"
    ? { type: "url", url: new URL(source.url) }
    : { type: "data", data: source.data };
}

/** Returns the text of a block or text document, or a placeholder for content that cannot be sent. */
function wordsFor(block: Block): string {
  const { type, data } = shapeOf(block["source"]);
  if (type === "text") return stringOf(data);
  return stringOf(block["text"]) || `[${block.type} omitted: this provider cannot receive it]`;
}
