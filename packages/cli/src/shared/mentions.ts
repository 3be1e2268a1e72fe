/** `@file`: attaches the files that a prompt names. */

import { open, readFile, readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Block, PermissionVerdict, Prompt } from "@runahead/harness";
import { wordsOf } from "./failure.ts";
import { imageBlock, imageType } from "./image-block.ts";
import { plural } from "./words.ts";

const MENTION = /(?:^|[\s(])@(?:"([^"]+)"|([^\s"]+))/g;
const MOST_FILES = 20;
const MOST_BYTES = 100_000;
const MOST_NAMES = 500;
/** More missing files are only counted. */
const MOST_MISSING = 5;
/** A larger image is not read. */
const MOST_IMAGE_BYTES = 50_000_000;
/** A file with a NUL byte in this first part is binary. */
const LOOKED_AT_BYTES = 8_000;

interface Ports {
  readonly cwd: string;
  /** The verdict of the permission rules on reading the file. */
  readonly decide: (path: string) => PermissionVerdict;
  readonly onNotice: (message: string) => void;
}

export function hasMentions(text: string): boolean {
  return text.search(MENTION) >= 0;
}

/** Attaches the named files that exist. Files that a rule denies and binary files are skipped with a notice. */
export async function withMentions(text: string, ports: Ports): Promise<Prompt> {
  const named = [...text.matchAll(MENTION)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const there = await Promise.all(named.map((name) => firstThere(name, ports.cwd)));
  const paths = [...new Set(there.filter((path) => path !== undefined))];
  const missing = named.filter((_, at) => there[at] === undefined).map(withoutPunctuation);
  const files = [...new Set(missing.filter(canBeFile))].map((name) => `@${name}`);
  if (files.length === 1) ports.onNotice(`Not attached: ${files[0]} does not exist.`);
  if (files.length > 1) ports.onNotice(`Not attached: ${listed(files)} do not exist.`);
  if (paths.length > MOST_FILES)
    ports.onNotice(`Attached only the first ${MOST_FILES} of ${paths.length} files.`);
  const blocks: Block[] = [];
  for (const path of paths.slice(0, MOST_FILES)) blocks.push(...(await blocksOf(path, ports)));
  return blocks.length === 0 ? text : [{ type: "text", text }, ...blocks];
}

/** `@server:uri` and `@Component({` in pasted code are not files. */
function canBeFile(name: string): boolean {
  return /^[\p{L}\p{N}_./~ -]+$/u.test(name);
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_MISSING;
  return names.slice(0, MOST_MISSING).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function withoutPunctuation(name: string): string {
  return name.replace(/[.,;:!?)]+$/, "");
}

/** Tries the name as typed, then without punctuation at its end. */
async function firstThere(name: string, cwd: string): Promise<string | undefined> {
  for (const path of [name, withoutPunctuation(name)]) {
    const found = path === "" ? undefined : await stat(resolve(cwd, path)).catch(() => undefined);
    if (found !== undefined) return path;
  }
  return undefined;
}

/** Empty if the file cannot be attached. The name of an image comes before it. */
async function blocksOf(path: string, { cwd, decide, onNotice }: Ports): Promise<Block[]> {
  try {
    const verdict = decide(resolve(cwd, path));
    if (verdict.behavior === "deny") throw new Error(verdict.reason);
    const image = await imageIn(resolve(cwd, path));
    if (image !== undefined)
      return [{ type: "text", text: wrapped(path, "(an image, which follows)") }, image];
    return [{ type: "text", text: wrapped(path, await read(resolve(cwd, path))) }];
  } catch (error) {
    onNotice(`Not attached: @${path}: ${wordsOf(error)}`);
    return [];
  }
}

/** Undefined if the file is not an image. Throws an Error if it is one that cannot be sent. */
async function imageIn(path: string): Promise<Block | undefined> {
  const found = await stat(path);
  if (!found.isFile() || !/\.(?:png|jpe?g|gif|webp)$/i.test(path)) return undefined;
  if (found.size > MOST_IMAGE_BYTES) throw new Error("the image is too large to send.");
  const bytes = await readFile(path);
  return imageType(bytes) === undefined ? undefined : imageBlock(bytes);
}

async function read(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory()) return namesIn(path);
  if (!found.isFile()) throw new Error("it is not a regular file or folder.");
  return textIn(path, found.size);
}

/** Escapes tags in the text, so that it cannot close its own wrapper. */
function wrapped(path: string, text: string): string {
  const name = path.replaceAll(/["<>\n]/g, "_");
  return `<file path="${name}">\n${text.replaceAll(/<(\/?file\b)/gi, "&lt;$1")}\n</file>`;
}

async function namesIn(folder: string): Promise<string> {
  const entries = (await readdir(folder, { withFileTypes: true })).map(
    (entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`,
  );
  const more = entries.length - MOST_NAMES;
  const names = entries.toSorted().slice(0, MOST_NAMES);
  return [...names, ...(more > 0 ? [`… and ${plural(more, "more name")}`] : [])].join("\n");
}

async function textIn(path: string, sizeBytes: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(Math.min(sizeBytes, MOST_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) throw new Error("it is a binary file.");
    const text = bytes.toString("utf8").toWellFormed();
    return sizeBytes <= MOST_BYTES
      ? text
      : `${text}\n… truncated: the first ${MOST_BYTES} of ${sizeBytes} bytes`;
  } finally {
    await file.close();
  }
}
