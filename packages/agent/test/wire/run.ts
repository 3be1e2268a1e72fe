/** Replays a folder of recorded responses and prints where our readers and the official SDKs differ. */

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Difference, compare } from "./compare.ts";
import { rawEvents } from "./raw.ts";
import type { Kind } from "./sdk.ts";
import { stringOf } from "@runahead/base";

const SHOWN_CHARS = 600;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: npm run check:wire -- DIR   (DIR: recorded responses as *.sse files)");
  process.exit(2);
}

const byPart = new Map<string, string[]>();
const byReason = new Map<string, string[]>();
let right = 0;
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".sse"))
  .toSorted();
for (const file of files) {
  const bytes = readFileSync(join(folder, file));
  const { differences, exceptions } = await compare(kindOf(bytes), bytes);
  for (const reason of exceptions) note(byReason, reason, file);
  if (differences.length === 0) right++;
  for (const difference of differences) show(file, kindOf(bytes), difference);
}
console.log(`\n${right} of ${files.length} responses are read as the SDKs read them.`);
for (const [part, names] of byPart)
  console.log(`  ${part}: ${names.length} differ (${names.slice(0, 60).join(" ")})`);
for (const [reason, names] of byReason) console.log(`  the SDK is wrong, ${reason}: ${names.length}`);
process.exitCode = right === files.length ? 0 : 1;

function kindOf(bytes: Uint8Array): Kind {
  const first = rawEvents(bytes)[0] ?? {};
  const type = stringOf(first["type"]);
  if (type.startsWith("response.")) return "responses";
  return type === "" ? "chat" : "anthropic";
}

function show(file: string, kind: Kind, { part, ours, sdk }: Difference): void {
  note(byPart, `${kind} ${part}`, file);
  console.log(`${file} (${kind}): ${part}\n  ours: ${short(ours)}\n  SDK:  ${short(sdk)}`);
}

function note(map: Map<string, string[]>, key: string, file: string): void {
  map.set(key, [...(map.get(key) ?? []), file.replace(/\.sse$/, "")]);
}

function short(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined")).slice(0, SHOWN_CHARS);
}
