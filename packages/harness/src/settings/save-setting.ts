/** Changes one value of a settings file, and keeps the rest of the file. */

import { aString, checkMembers, oneOf, required } from "@runahead/base";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changeFile } from "./change.ts";
import { Edit } from "./edit.ts";
import { NotSaved } from "./error.ts";
import type { JsonNode, JsonObject } from "./json.ts";
import { parseJson } from "./parse.ts";
import { runaheadHome, checkHome } from "../home.ts";
import type { Where } from "./place.ts";
import { readText } from "./read.ts";
import type { Behavior } from "./setting.ts";
import { isOwnFile, noteOwnFile } from "../trust/own-files.ts";

/** The folders of the user. */
type Own = Pick<Where, "home" | "env">;

/**
 * Sets a top-level key of the user's own `settings.json` in `~/.runahead`. Returns the path of the file. The rest of the
 * file does not change.
 *
 * @throws {NotSaved} if the file cannot be changed without losing something in it.
 * @example
 * ```ts
 * await saveSetting("theme", "light", { home: "/home/ann", env: {} });
 * ```
 */
export async function saveSetting(key: string, value: string | number | boolean, own: Own): Promise<string> {
  required(aString)(key, 'saveSetting: "key"');
  if (value === undefined) throw new TypeError('saveSetting: "value" is required.');
  checkHome(own, "saveSetting");
  const path = join(runaheadHome(own), "settings.json");
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await change(path, undefined, (text, file) => {
    const member = file.members.find((one) => one.key === key);
    if (member === undefined)
      return new Edit(text, file).add(file, { name: `${JSON.stringify(key)}: `, value });
    const { start, end } = member.value;
    return `${text.slice(0, start)}${JSON.stringify(value)}${text.slice(end)}`;
  });
  return path;
}

/** A rule in a file. */
export interface RuleInFile {
  /** The path of the settings file. */
  readonly path: string;
  /** The list that has the rule. */
  readonly behavior: Behavior;
  /** The rule as written. */
  readonly rule: string;
}

const RULE = {
  path: required(aString),
  behavior: required(oneOf("allow", "ask", "deny")),
  rule: required(aString),
};

/**
 * Removes a permission rule from a settings file. Returns false if the file does not have it. The rest of the file does
 * not change.
 *
 * @throws {NotSaved} if the file cannot be changed without losing something in it.
 * @example
 * ```ts
 * const rule = { path: "/repo/.runahead/settings.local.json", behavior: "allow", rule: "Bash(npm test)" } as const;
 * await removeRule(rule, { home: "/home/ann", env: {} });
 * ```
 */
export async function removeRule(save: RuleInFile, own: Own): Promise<boolean> {
  checkMembers(save, RULE, "removeRule");
  checkHome(own, "removeRule");
  const { path, behavior, rule } = save;
  let isThere = false;
  await change(path, own, (text, file) => {
    const permissions = objectAt(file, "permissions");
    const rules = permissions?.members.find((one) => one.key === behavior)?.value;
    const items = rules?.type === "array" ? rules.items : [];
    const at = items.findIndex((item) => item.type === "scalar" && item.value === rule);
    isThere = at >= 0;
    return isThere ? without(text, items, at) : undefined;
  });
  return isThere;
}

type Change = (text: string, file: JsonObject) => string | undefined;

/** A file that only Runahead wrote to stays trusted if `own` is given. */
async function change(path: string, own: Own | undefined, edit: Change): Promise<void> {
  let vouched: string | undefined;
  await changeFile({ path, mode: 0o644 }, async () => {
    const read = await readText(path);
    if (read.type === "unreadable") throw new NotSaved(path, read.why);
    const text = read.type === "missing" ? "{}\n" : read.text;
    const parsed = parseJson(text);
    if (parsed.type === "broken") throw new NotSaved(path, `invalid JSON at ${parsed.why}`);
    if (parsed.node.type !== "object") throw new NotSaved(path, "expected an object, { … }");
    const next = edit(text, parsed.node);
    if (own !== undefined && next !== undefined && (await isOwnFile(own, path, text))) vouched = next;
    return next;
  });
  if (own !== undefined && vouched !== undefined) await noteOwnFile(own, path, vouched);
}

function objectAt(file: JsonObject, key: string): JsonObject | undefined {
  const found = file.members.find((one) => one.key === key)?.value;
  return found?.type === "object" ? found : undefined;
}

/** Cuts an item out with the comma that separates it from its neighbour. */
function without(text: string, items: readonly JsonNode[], at: number): string {
  const [before, item, after] = [items[at - 1], items[at] as JsonNode, items[at + 1]];
  if (after !== undefined) return text.slice(0, item.start) + text.slice(after.start);
  if (before !== undefined) return text.slice(0, before.end) + text.slice(item.end);
  return text.slice(0, item.start).trimEnd() + text.slice(item.end).trimStart();
}
