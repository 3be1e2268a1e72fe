/** Saves an "always allow" rule in the project's local settings, and keeps the rest of the file. */

import { mkdir, realpath } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { changeFile } from "./change.ts";
import { Edit, type Piece } from "./edit.ts";
import { codeOf, messageOf, aString, anObject, checkMembers, oneOf, required } from "@runahead/base";
import { NotSaved } from "./error.ts";
import type { JsonNode, JsonObject } from "./json.ts";
import { parseJson } from "./parse.ts";
import { excludeFromGit } from "./git-exclude.ts";
import { LOCAL_SETTINGS, type Where, projectRoot } from "./place.ts";
import { MAX_BYTES, readText } from "./read.ts";
import type { Behavior } from "./setting.ts";
import { isOwnFile, noteOwnFile } from "../trust/own-files.ts";

export interface RuleToSave {
  readonly level: "local";
  readonly behavior: Behavior;
  readonly rule: string;
  readonly cwd: string;
  /**
   * The home folder of the user. If it is given, a file that only Runahead wrote to needs no trust at the next start.
   */
  readonly own?: Pick<Where, "home" | "env">;
}

const MAX_CHARS = 20_000;
const RULE = {
  level: oneOf("local"),
  behavior: required(oneOf("allow", "ask", "deny")),
  rule: required(aString),
  cwd: required(aString),
  own: anObject,
};

/**
 * Adds a permission rule to `.runahead/settings.local.json`. Returns the path of the file, and whether the rule is
 * new in it. The rest of the file does not change. Adds the file to `.git/info/exclude`, so that it is not committed.
 *
 * @throws {NotSaved} if the file cannot be changed without losing something in it.
 * @example
 * ```ts
 * await saveRule({ level: "local", behavior: "allow", rule: "Bash(npm test)", cwd });
 * ```
 */
export async function saveRule(save: RuleToSave): Promise<{ path: string; isNew: boolean }> {
  checkMembers(save, RULE, "saveRule");
  const { behavior, rule, cwd, own } = save;
  const root = await projectRoot(cwd);
  const path = await fileIn(root);
  if (rule.trim() === "" || rule.length > MAX_CHARS)
    throw new NotSaved(path, `a rule must have 1 to ${MAX_CHARS} characters`);
  let isNew = false;
  let vouched: string | undefined;
  await changeFile({ path, mode: 0o644 }, async () => {
    const file = await readText(path);
    if (file.type === "unreadable") throw new NotSaved(path, file.why);
    const text = file.type === "missing" ? "{}\n" : file.text;
    const next = withRule(path, text, behavior, rule);
    // What others wrote into the file was approved by nobody.
    if (own !== undefined && (file.type === "missing" || (await isOwnFile(own, path, text)))) vouched = next;
    isNew = next !== undefined;
    if (next !== undefined && Buffer.byteLength(next) > MAX_BYTES)
      throw new NotSaved(path, `with this rule it would be larger than ${MAX_BYTES} bytes`);
    return next;
  });
  if (own !== undefined && vouched !== undefined) await noteOwnFile(own, path, vouched);
  if (isNew) await excludeFromGit(root, LOCAL_SETTINGS);
  return { path, isNew };
}

/** A link can point to another place in the project, but must not make Runahead write a file outside it. */
async function fileIn(root: string): Promise<string> {
  const path = join(root, LOCAL_SETTINGS);
  try {
    await mkdir(dirname(path), { recursive: true });
    const folder = await realpath(dirname(path));
    const real = await realpath(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return join(folder, "settings.local.json");
      throw error;
    });
    if ([folder, real].every((place) => isWithin(root, place))) return real;
  } catch (error) {
    throw new NotSaved(path, messageOf(error));
  }
  throw new NotSaved(path, "a symbolic link points outside the project");
}

function isWithin(root: string, path: string): boolean {
  return !/^\.\.(?:[/\\]|$)/.test(relative(root, path));
}

/** Returns the text with the rule, or undefined if the rule is already there. */
function withRule(path: string, text: string, behavior: Behavior, rule: string): string | undefined {
  const parsed = parseJson(text);
  if (parsed.type === "broken") throw new NotSaved(path, `invalid JSON at ${parsed.why}`);
  const file = parsed.node;
  if (file.type !== "object") throw new NotSaved(path, "expected an object, { … }");
  const edit = new Edit(text, file);
  const permissions = memberOf(file, "permissions");
  if (permissions === undefined) return edit.add(file, member("permissions", { [behavior]: [rule] }));
  if (permissions.type !== "object") throw new NotSaved(path, "permissions: expected an object");
  const rules = memberOf(permissions, behavior);
  if (rules === undefined) return edit.add(permissions, member(behavior, [rule]));
  if (rules.type !== "array") throw new NotSaved(path, `permissions.${behavior}: expected an array`);
  const isThere = rules.items.some((item) => item.type === "scalar" && item.value === rule);
  return isThere ? undefined : edit.add(rules, { name: "", value: rule });
}

function member(key: string, value: unknown): Piece {
  return { name: `${JSON.stringify(key)}: `, value };
}

function memberOf(node: JsonObject, key: string): JsonNode | undefined {
  return node.members.find((found) => found.key === key)?.value;
}
