/** Reads settings from the value of a file, entry by entry. An invalid entry is reported, and the others are used. */

import { type Shape, isShape } from "@runahead/base";
import { PERMISSION_MODES, permissionMode } from "@runahead/permissions";
import { isAction } from "@runahead/permissions/internal";
import { type KeyRemark, PERMISSIONS, remarkOn, remarkOnPermission } from "./known-keys.ts";
import { meantGroups, meantMode, meantValue } from "./meant.ts";
import { sandboxContent } from "./sandbox.ts";
import { isText, shown } from "./shown.ts";
import type { Behavior, OrderedRule, Problem, Restriction, Setting } from "./setting.ts";
import { variableRemark } from "./variables.ts";

export interface Content {
  readonly settings: readonly Setting[];
  readonly problems: readonly Problem[];
}

const MODE_NAMES = `${PERMISSION_MODES.slice(0, -1).join(", ")} or ${PERMISSION_MODES.at(-1)}`;

export function contentOf(path: string, value: Shape): Content {
  const reader = new ContentReader(path);
  for (const [key, member] of Object.entries(value)) reader.member(key, member);
  return { settings: reader.settings, problems: reader.problems };
}

class ContentReader {
  readonly settings: Setting[] = [];
  readonly problems: Problem[] = [];
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  member(key: string, value: unknown): void {
    switch (key) {
      case "permissions":
        return this.#members(key, value, (name, member) => this.#permission(name, member));
      case "hooks":
        return this.#members(key, value, (event, groups) => this.#hooks(event, groups));
      case "env":
        return this.#members(key, value, (name, member) => this.#variable(name, member));
      case "passEnv":
        return this.#entries(key, value, (entry, at) => {
          if (isText(entry)) this.#add({ type: "passed-variable", name: entry.trim() });
          else this.#wrong(at, "the name of a variable", entry);
        });
      case "sandbox":
        return this.#take(sandboxContent(this.#path, value));
      case "model":
        return isText(value)
          ? this.#add({ type: "model", model: value })
          : this.#wrong(key, "a model name", value);
      case "disableBypassPermissionsMode":
      case "disableAutoMode":
        return this.#restriction(key, value, "disable");
      case "allowManagedPermissionRulesOnly":
      case "allowManagedHooksOnly":
      case "allowManagedMcpServersOnly":
        return this.#restriction(key, value, true);
      default: {
        const meant = meantValue(key, value);
        this.#add({ type: "other", key, value: meant });
        if (meant !== value) this.#report("note", key, `is read as ${shown(meant)}`);
        this.#remark(key, remarkOn(key, meant));
      }
    }
  }

  #permission(name: string, value: unknown): void {
    const key = `permissions.${name}`;
    // An empty place of a template.
    if (value === null && PERMISSIONS.includes(name)) return;
    switch (name) {
      case "allow":
      case "ask":
      case "deny":
        return this.#rules(name, value);
      case "additionalDirectories":
        return this.#entries(key, value, (entry, at) => {
          if (isText(entry)) this.#add({ type: "directory", path: entry });
          else this.#wrong(at, "a path", entry);
        });
      case "rules":
        return this.#entries(key, value, (entry, at) => this.#orderedRule(entry, at));
      case "defaultMode":
        return this.#mode(key, value);
      case "disableBypassPermissionsMode":
      case "disableAutoMode":
        return this.#restriction(name, value, "disable");
      default:
        this.#add({ type: "other", key, value });
        this.#remark(key, remarkOnPermission(name, value));
    }
  }

  #rules(behavior: Behavior, value: unknown): void {
    const key = `permissions.${behavior}`;
    // A single rule instead of a list is used if it restricts, but not if it allows.
    const isBare = isText(value) && behavior !== "allow";
    if (isBare)
      this.#report("warning", key, `expected a list of rules; read as a list with one rule: ${shown(value)}`);
    this.#entries(key, isBare ? [value] : value, (rule, at) => {
      if (isText(rule)) this.#add({ type: "rule", behavior, rule });
      else this.#wrong(at, 'a rule such as "Bash(npm test)"', rule);
    });
  }

  #orderedRule(value: unknown, at: string): void {
    const { tool, pattern, action } = isShape(value) ? value : {};
    const isRight = isText(tool) && isAction(String(action)) && (pattern === undefined || isText(pattern));
    if (!isRight) return this.#wrong(at, '{"tool", "pattern", "action": "allow", "ask" or "deny"}', value);
    const rule: OrderedRule = { tool, ...(isText(pattern) && { pattern }), action: action as Behavior };
    this.#add({ type: "ordered-rule", rule });
  }

  #mode(key: string, value: unknown): void {
    const mode = isText(value) ? permissionMode(meantMode(value)) : undefined;
    if (mode === undefined) this.#wrong(key, MODE_NAMES, value);
    else this.#add({ type: "mode", mode });
  }

  #hooks(event: string, groups: unknown): void {
    // A remark of the author.
    if ((!Array.isArray(groups) && /^[_$/]/.test(event)) || groups === null) return;
    this.#entries(`hooks.${event}`, meantGroups(groups), (group, at) => {
      if (isShape(group)) this.#add({ type: "hook", event, group });
      else this.#wrong(at, 'an object with "hooks"', group);
    });
  }

  #variable(name: string, value: unknown): void {
    if (value === null) return;
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    const text = isPlain ? String(value) : undefined;
    if (text === undefined) this.#wrong(`env.${name}`, "a string", value);
    else this.#add({ type: "variable", name, value: text });
    this.#remark(`env.${name}`, variableRemark(name, text));
  }

  /** A restriction applies with any value except false and null. */
  #restriction(name: Restriction, value: unknown, meaning: unknown): void {
    if (value === false || value === null) return;
    if (value !== meaning && value !== true)
      this.#report(
        "warning",
        name,
        `expected ${shown(meaning)}, found ${shown(value)}; read as ${shown(meaning)}`,
      );
    this.#add({ type: "restriction", name });
  }

  #members(key: string, value: unknown, read: (name: string, member: unknown) => void): void {
    if (!isShape(value)) return this.#wrong(key, "an object", value);
    for (const [name, member] of Object.entries(value)) read(name, member);
  }

  #entries(key: string, value: unknown, read: (entry: unknown, at: string) => void): void {
    if (!Array.isArray(value)) return this.#wrong(key, "an array", value);
    for (const [index, entry] of value.entries()) read(entry, `${key}[${index}]`);
  }

  #remark(key: string, remark: KeyRemark | undefined): void {
    if (remark !== undefined) this.#report(remark.severity, key, remark.words);
  }

  #take({ settings, problems }: Content): void {
    this.settings.push(...settings);
    this.problems.push(...problems);
  }

  #add(setting: Setting): void {
    this.settings.push(setting);
  }

  #wrong(key: string, expected: string, found: unknown): void {
    this.#report("error", key, `expected ${expected}, found ${shown(found)}; this entry is ignored`);
  }

  #report(severity: Problem["severity"], key: string, words: string): void {
    this.problems.push({ severity, path: this.#path, key, message: `${this.#path}: ${key}: ${words}` });
  }
}
