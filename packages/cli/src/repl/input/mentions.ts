/** `@file`: what a prompt names goes to the model with it. */

import { open, readdir, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { PermissionVerdict, Prompt } from "@runahead/harness";
import { wordsOf } from "../../shared/failure.ts";
import { plural } from "../../shared/words.ts";

const MENTION = /(?:^|[\s(])@(?:"([^"]+)"|([^\s"]+))/g;
const MOST_FILES = 20;
const MOST_BYTES = 100_000;
const MOST_NAMES = 500;
/** A file with a NUL near its beginning is no text. */
const LOOKED_AT_BYTES = 8_000;

interface Ports {
  readonly cwd: string;
  /** What the rules say to reading it. */
  readonly decide: (path: string) => PermissionVerdict;
  readonly onNotice: (message: string) => void;
}

export function hasMentions(text: string): boolean {
  return text.search(MENTION) >= 0;
}

/** With the files that are named and are there. What a rule denies, and what is no text, is told of and left out. */
export async function withMentions(text: string, ports: Ports): Promise<Prompt> {
  const named = [...text.matchAll(MENTION)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const there = await Promise.all(named.map((name) => firstThere(name, ports.cwd)));
  const paths = [...new Set(there.filter((path) => path !== undefined))];
  if (paths.length > MOST_FILES) ports.onNotice(`Only ${MOST_FILES} files go with a prompt.`);
  const blocks: { readonly type: "text"; readonly text: string }[] = [];
  for (const path of paths.slice(0, MOST_FILES)) {
    const content = await contentOf(path, ports);
    if (content !== undefined) blocks.push({ type: "text", text: content });
  }
  return blocks.length === 0 ? text : [{ type: "text", text }, ...blocks];
}

/** Perhaps without what ends a sentence. */
async function firstThere(name: string, cwd: string): Promise<string | undefined> {
  for (const path of [name, name.replace(/[.,;:!?)]+$/, "")]) {
    const found = path === "" ? undefined : await stat(resolve(cwd, path)).catch(() => undefined);
    if (found !== undefined) return path;
  }
  return undefined;
}

/** Undefined where it does not go with it. */
async function contentOf(path: string, { cwd, decide, onNotice }: Ports): Promise<string | undefined> {
  try {
    const verdict = decide(resolve(cwd, path));
    if (verdict.behavior === "deny") throw new Error(verdict.reason);
    return wrapped(path, await read(resolve(cwd, path)));
  } catch (error) {
    onNotice(`@${path} does not go with it: ${wordsOf(error)}`);
    return undefined;
  }
}

async function read(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory()) return namesIn(path);
  if (!found.isFile()) throw new Error("it is no file.");
  return textIn(path, found.size);
}

/** What is in it cannot end it. */
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
  return [...names, ...(more > 0 ? [`… and ${plural(more, "name")} more`] : [])].join("\n");
}

async function textIn(path: string, sizeBytes: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(Math.min(sizeBytes, MOST_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.subarray(0, LOOKED_AT_BYTES).includes(0)) throw new Error("it is no text.");
    const text = bytes.toString("utf8").toWellFormed();
    return sizeBytes <= MOST_BYTES ? text : `${text}\n… the first ${MOST_BYTES} of ${sizeBytes} bytes`;
  } finally {
    await file.close();
  }
}
