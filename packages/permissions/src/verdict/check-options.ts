/** Validates the options of `createPermissions`: a typo must not silently allow or forbid something. */

import { isShape, rejectUnknown, type Shape, unknownName } from "@runahead/base";
import { PERMISSION_MODES, permissionMode } from "../rules/modes.ts";

const OPTIONS = [
  "settings",
  "cwd",
  "home",
  "trusted",
  "realpath",
  "files",
  "ignoresCase",
  "confinesReads",
  "readableFolders",
  "copies",
  "isReadOnlyTool",
];
const LISTS = ["allow", "ask", "deny", "additionalDirectories"];
const RULE_LISTS = [...LISTS, "rules"];
const ACTIONS: readonly unknown[] = ["allow", "ask", "deny"];
const EXAMPLE = 'createPermissions({ settings: { allow: ["Bash(npm test:*)"] } })';

/** Throws a TypeError that names the invalid option and what to write instead. */
export function checkOptions(options: unknown): void {
  if (!isShape(options)) throw new TypeError(`createPermissions requires options, for example ${EXAMPLE}.`);
  rejectUnknown(options, OPTIONS, "createPermissions");
  const { settings } = options;
  if (!isShape(settings))
    throw new TypeError(`createPermissions: settings must be an object, for example ${EXAMPLE}.`);
  for (const name of ["confinesReads", "readableFolders", "isReadOnlyTool", "realpath"])
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`createPermissions: ${name} must be a function.`);
  checkCopies(options["copies"]);
  checkSettings(settings);
}

function checkCopies(copies: unknown): void {
  const isPath = (path: unknown): boolean => typeof path === "string" && path.startsWith("/");
  const isCopy = (copy: unknown): boolean => isShape(copy) && isPath(copy["path"]) && isPath(copy["of"]);
  if (copies === undefined || (Array.isArray(copies) && copies.every(isCopy))) return;
  throw new TypeError(
    'createPermissions: copies must be an array of absolute paths, for example [{ path: "/tmp/copy", of: "/repo" }].',
  );
}

function checkSettings(settings: Shape): void {
  checkMode(settings["mode"]);
  if ("sources" in settings) return checkSources(settings);
  if ("permissions" in settings) {
    // Other members of a settings file belong to other parts of the program.
    const { permissions } = settings;
    if (!isShape(permissions)) throw new TypeError("settings.permissions must be an object.");
    checkMode(permissions["defaultMode"]);
    return checkLists(permissions, "settings.permissions");
  }
  rejectUnknown(settings, [...RULE_LISTS, "mode", "defaultMode", "cwd", "trusted", "rulesFrom"], "settings");
  checkMode(settings["defaultMode"]);
  checkLists(settings, "settings");
}

function checkSources(settings: Shape): void {
  rejectUnknown(settings, ["mode", "sources"], "settings with sources");
  const { sources } = settings;
  if (!Array.isArray(sources)) throw new TypeError("settings.sources must be an array of sources.");
  for (const [at, source] of sources.entries()) {
    const where = `settings.sources[${at}]`;
    if (!isShape(source)) throw new TypeError(`${where} must be an object with name, root and rules.`);
    // A settings file can contain a mode next to its rules; only the mode of the merged settings applies.
    rejectUnknown(source, [...RULE_LISTS, "name", "level", "root", "trusted", "defaultMode"], where);
    checkLists(source, where);
  }
}

function checkMode(mode: unknown): void {
  if (mode === undefined || (typeof mode === "string" && permissionMode(mode) !== undefined)) return;
  const name = typeof mode === "string" ? mode : JSON.stringify(mode);
  throw new TypeError(unknownName({ what: "permission mode", name, known: PERMISSION_MODES, list: "Modes" }));
}

function checkLists(lists: Shape, where: string): void {
  for (const name of LISTS) {
    const list = lists[name];
    if (list === undefined) continue;
    if (!Array.isArray(list))
      throw new TypeError(
        `${where}.${name} must be an array, for example ${name}: [${example(name, list)}].`,
      );
    const at = list.findIndex((entry) => typeof entry !== "string" || entry.trim() === "");
    if (at >= 0)
      throw new TypeError(
        `${where}.${name}[${at}] must be a non-empty string, for example ${example(name, undefined)}.`,
      );
  }
  checkOrdered(lists["rules"], where);
}

function checkOrdered(rules: unknown, where: string): void {
  if (rules === undefined) return;
  const isRule = (rule: unknown): boolean =>
    isShape(rule) &&
    typeof rule["tool"] === "string" &&
    ACTIONS.includes(rule["action"]) &&
    (rule["pattern"] === undefined || typeof rule["pattern"] === "string");
  const at = Array.isArray(rules) ? rules.findIndex((rule) => !isRule(rule)) : -1;
  if (Array.isArray(rules) && at < 0) return;
  const what = Array.isArray(rules) ? `${where}.rules[${at}]` : `${where}.rules`;
  throw new TypeError(
    `${what} must be ${Array.isArray(rules) ? "a rule" : "an array of rules"}, for example { tool: "Bash", pattern: "git push:*", action: "ask" }.`,
  );
}

function example(name: string, given: unknown): string {
  if (typeof given === "string" && given.trim() !== "") return JSON.stringify(given);
  return name === "additionalDirectories" ? '"../shared"' : '"Bash(npm test:*)"';
}
