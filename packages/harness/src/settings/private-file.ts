/** A JSON file that decides what can run. It is used only if no other user can write to it. */

import { stat } from "node:fs/promises";
import { valueOf } from "./json.ts";
import { parseJson } from "./parse.ts";
import { readText } from "./read.ts";

export type PrivateValue =
  | { readonly type: "missing" }
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "unknown"; readonly why: string };

const WRITABLE_BY_OTHERS = 0o022;

export async function readPrivate(path: string): Promise<PrivateValue> {
  const file = await readText(path);
  if (file.type === "missing") return file;
  if (file.type === "unreadable") return { type: "unknown", why: file.why };
  const found = await stat(path).catch(() => undefined);
  const isOthers = process.getuid !== undefined && found?.uid !== process.getuid();
  if (isOthers || ((found?.mode ?? 0) & WRITABLE_BY_OTHERS) !== 0)
    return { type: "unknown", why: "other users can write to it; restrict its permissions" };
  const parsed = parseJson(file.text);
  if (parsed.type === "broken") return { type: "unknown", why: `invalid JSON at ${parsed.why}` };
  return { type: "value", value: valueOf(parsed.node) };
}
