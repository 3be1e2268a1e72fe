/** Checks options of the gate, also from plain JavaScript: a misspelt deny list would otherwise be ignored. */

import {
  type Check,
  aBoolean,
  aFunction,
  aString,
  anArray,
  anObject,
  checkOptions,
  either,
  rejectMisspelt,
  required,
  strings,
  wrong,
} from "@runahead/base";
import type { CallFacts } from "../loop/options.ts";
import type { PermissionSource } from "@runahead/permissions";
import { aModeName } from "@runahead/permissions/internal";
import type { GateOptions, GateSettings, GrantedRules, SessionRules } from "./gate-options.ts";

export const aMode: Check = required(aModeName);

const OPTIONS: Readonly<Record<keyof GateOptions, Check>> = {
  settings: required(anObject),
  cwd: aString,
  home: aString,
  trusted: aBoolean,
  realpath: aFunction,
  files: anObject,
  ignoresCase: aBoolean,
  confinesReads: aFunction,
  readableFolders: aFunction,
  isReadOnlyTool: aFunction,
  askPerson: aFunction,
  approvals: anObject,
  isSandboxed: either(aBoolean, aFunction),
  judge: aFunction,
  save: aFunction,
  onNotice: aFunction,
};

const LISTS: Readonly<Record<Exclude<keyof PermissionSource, "name" | "level" | "root" | "trusted">, Check>> =
  {
    allow: anArray,
    ask: anArray,
    deny: anArray,
    rules: anArray,
    additionalDirectories: anArray,
  };
const SOURCE = [...Object.keys(LISTS), "name", "level", "root", "trusted"];

export function checkGate(options: GateOptions): void {
  checkOptions(options, OPTIONS, "createPermissionGate");
  checkSettings(options.settings, "createPermissionGate: settings");
}

/** Settings can have more members than the gate reads, so only misspelt names are rejected. */
export function checkSettings(settings: GateSettings, where: string): void {
  rejectMisspelt(settings, ["mode", "sources", "isTrusted", "forbiddenModes"], where);
  const list = Object.keys(LISTS).find((name) => Object.hasOwn(settings, name));
  if (list !== undefined)
    throw new TypeError(
      `${where}: "${list}" belongs to a source. Write sources: [{ name: "mine", root: process.cwd(), ${list}: […] }].`,
    );
  aMode(settings.mode, `${where}: "mode"`);
  anObject(settings.forbiddenModes, `${where}: "forbiddenModes"`);
  required(anArray)(settings.sources, `${where}: "sources"`);
  for (const [at, source] of settings.sources.entries()) {
    const named = `${where}: sources[${at}]`;
    rejectMisspelt(source, SOURCE, named);
    for (const [name, check] of Object.entries(LISTS))
      check((source as unknown as Readonly<Record<string, unknown>>)[name], `${named}: "${name}"`);
  }
}

const RULES: Readonly<Record<keyof SessionRules, Check>> = { allow: strings, ask: strings, deny: strings };

export function checkRules(rules: Partial<SessionRules>, where: string): void {
  required(anObject)(rules, `${where}: the argument`);
  checkOptions(rules, RULES, where);
}

const GRANTED: Readonly<Record<keyof GrantedRules, Check>> = {
  name: required(aString),
  allow: strings,
  deny: strings,
  additionalDirectories: strings,
};

/** Every call that is judged passes here, so it compares only what has no default. */
export function checkFacts(facts: CallFacts, where: string): void {
  if (typeof facts?.cwd !== "string")
    throw wrong(`${where}: "cwd"`, "the folder of the call, as in { cwd: process.cwd() }", facts?.cwd);
}

export function checkGranted(rules: GrantedRules): void {
  required(anObject)(rules, "grant: the argument");
  checkOptions(rules, GRANTED, "grant");
}
