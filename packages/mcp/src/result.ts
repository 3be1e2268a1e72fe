/** Turns the answer of a server into what the model reads. Content that cannot be shown is described, never dropped (H06). */

import type { ResultBlock } from "@runahead/engine";
import { canonical } from "./fingerprint.ts";
import { imageBlock } from "./image.ts";
import type { RawResult } from "./server.ts";
import { type Shape, isShape, listOf, stringOf } from "@runahead/base";

export interface McpOutput {
  readonly server: string;
  readonly tool: string;
  readonly blocks: readonly ResultBlock[];
  /** The structured content of the result, for programs; undefined if there is none. */
  readonly structured: unknown;
}

const KNOWN = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);

export function resultBlocks(result: RawResult, server: string): readonly ResultBlock[] {
  const { content, structuredContent, isError } = result;
  if (content !== undefined && !Array.isArray(content)) return [unknownForm(result)];
  const blocks = listOf(content).flatMap((block) => blocksOf(block, server));
  if (structuredContent !== undefined && !isRepeated(structuredContent, blocks))
    blocks.push(text(`[Structured content:]\n${json(structuredContent)}`));
  if (blocks.length > 0) return blocks;
  const others = Object.entries(result).filter(([key]) => !KNOWN.has(key));
  if (others.length > 0) return [unknownForm(Object.fromEntries(others))];
  return [text(isError === true ? "[The tool failed without a message.]" : "[The tool returned nothing.]")];
}

/** Errors are text, so other blocks are only named. */
export function errorWords(blocks: readonly ResultBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}, left out]`)).join("\n");
}

/** The contents of a resource that was read. */
export function resourceBlocks(result: RawResult, server: string): readonly ResultBlock[] {
  const contents = listOf(result["contents"]);
  if (contents.length === 0) return [text("[The resource is empty.]")];
  return contents.flatMap((item) => (isShape(item) ? resource(item) : unknown(item, server)));
}

function blocksOf(block: unknown, server: string): ResultBlock[] {
  if (!isShape(block)) return unknown(block, server);
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? [text(block["text"])] : unknown(block, server);
    case "image":
      return [imageBlock(block["data"]) ?? notShown("image", block["mimeType"], block["data"])];
    case "audio":
      return [notShown("audio", block["mimeType"], block["data"])];
    case "resource":
      return isShape(block["resource"]) ? resource(block["resource"]) : unknown(block, server);
    case "resource_link":
      return [link(block, server)];
    default:
      return unknown(block, server);
  }
}

function resource(item: Shape): ResultBlock[] {
  const { uri, mimeType, text: words, blob } = item;
  const about = `[Resource ${stringOf(uri, "without a URI")}${typeof mimeType === "string" ? `, ${mimeType}` : ""}:]`;
  if (typeof words === "string") return [text(`${about}\n${words}`)];
  const image = imageBlock(blob);
  return image === undefined
    ? [text(`${about}\n${described("data", mimeType, blob)}`)]
    : [text(about), image];
}

function link(block: Shape, server: string): ResultBlock {
  const { uri, name, description, mimeType, size } = block;
  const facts = [name, description, mimeType, typeof size === "number" ? `${size} bytes` : undefined];
  const known = facts.filter((fact) => typeof fact === "string" && fact !== "").join(", ");
  const how = `read it with ReadMcpResource and server "${server}"`;
  return text(
    `[Link to the resource ${stringOf(uri, "without a URI")}${known === "" ? "" : ` (${known})`}; ${how}.]`,
  );
}

function unknown(block: unknown, server: string): ResultBlock[] {
  return [text(`[Unknown content block from ${server}:]\n${json(block)}`)];
}

function unknownForm(answer: unknown): ResultBlock {
  return text(`[Answer in an unknown format:]\n${json(answer)}`);
}

function notShown(what: string, mimeType: unknown, data: unknown): ResultBlock {
  return text(described(what, mimeType, data));
}

function described(what: string, mimeType: unknown, data: unknown): string {
  const bytes = typeof data === "string" ? Buffer.byteLength(data, "base64") : 0;
  return `[${what} of type ${stringOf(mimeType, "unknown")}, ${bytes} bytes: cannot be shown.]`;
}

/** Servers repeat structured content as text, or wrap their text in it. */
function isRepeated(structured: unknown, blocks: readonly ResultBlock[]): boolean {
  const wanted = canonical(structured);
  const [only, ...others] = isShape(structured) ? Object.values(structured) : [];
  const wrapped = typeof only === "string" && others.length === 0 ? only : undefined;
  return blocks.some(
    (block) => block.type === "text" && (block.text === wrapped || canonical(parsed(block.text)) === wanted),
  );
}

function parsed(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "null";
}

function text(words: string): ResultBlock {
  return { type: "text", text: words };
}
