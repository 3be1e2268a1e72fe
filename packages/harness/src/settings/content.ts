/** From a file's value to its settings, entry by entry: what is of the wrong form costs only itself and is told. */

import { type Shape, isShape } from "@runahead/base";
import { sandboxContent } from "./sandbox.ts";
import { isText, shown } from "./shown.ts";
import type { Mode, OrderedRule } from "@runahead/permissions";
import type { Behavior, Problem, Restriction, Setting } from "./setting.ts";

export interface Content {
  readonly settings: readonly Setting[];
  readonly problems: readonly Problem[];
}

const MODES: Readonly<Record<string, Mode>> = {
  default: "default",
  manual: "default",
  ask: "default",
  acceptEdits: "acceptEdits",
  accept_edits: "acceptEdits",
  plan: "plan",
  dontAsk: "dontAsk",
  deny: "dontAsk",
  bypassPermissions: "bypassPermissions",
  allow: "bypassPermissions",
  auto: "auto",
};

const BEHAVIORS: readonly string[] = ["allow", "ask", "deny"];

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
          : this.#wrong(key, "a model's name", value);
      case "disableBypassPermissionsMode":
        return this.#restriction(key, value, "disable");
      case "allowManagedPermissionRulesOnly":
      case "allowManagedHooksOnly":
        return this.#restriction(key, value, true);
      default:
        this.#add({ type: "other", key, value });
    }
  }

  #permission(name: string, value: unknown): void {
    const key = `permissions.${name}`;
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
        return this.#restriction(name, value, "disable");
      default:
        this.#add({ type: "other", key, value });
    }
  }

  #rules(behavior: Behavior, value: unknown): void {
    const key = `permissions.${behavior}`;
    // One rule without its list is still meant: it may forbid, but not grant.
    const isBare = isText(value) && behavior !== "allow";
    if (isBare)
      this.#tell("warning", key, `expected a list of rules; taken as a list of one: ${shown(value)}`);
    this.#entries(key, isBare ? [value] : value, (rule, at) => {
      if (isText(rule)) this.#add({ type: "rule", behavior, rule });
      else this.#wrong(at, 'a rule such as "Bash(npm test)"', rule);
    });
  }

  #orderedRule(value: unknown, at: string): void {
    const { tool, pattern, action } = isShape(value) ? value : {};
    const isRight =
      isText(tool) && BEHAVIORS.includes(action as string) && (pattern === undefined || isText(pattern));
    if (!isRight) return this.#wrong(at, '{"tool", "pattern", "action": "allow", "ask" or "deny"}', value);
    const rule: OrderedRule = { tool, ...(isText(pattern) && { pattern }), action: action as Behavior };
    this.#add({ type: "ordered-rule", rule });
  }

  #mode(key: string, value: unknown): void {
    const mode = isText(value) && Object.hasOwn(MODES, value) ? MODES[value] : undefined;
    if (mode === undefined)
      this.#wrong(key, "default, acceptEdits, plan, auto, dontAsk or bypassPermissions", value);
    else this.#add({ type: "mode", mode });
  }

  #hooks(event: string, groups: unknown): void {
    this.#entries(`hooks.${event}`, groups, (group, at) => {
      if (isShape(group)) this.#add({ type: "hook", event, group });
      else this.#wrong(at, 'an object with "hooks"', group);
    });
  }

  #variable(name: string, value: unknown): void {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      this.#add({ type: "variable", name, value: String(value) });
    else this.#wrong(`env.${name}`, "a string", value);
  }

  /** What restricts is taken at any value that is not plainly its absence. */
  #restriction(name: Restriction, value: unknown, meaning: unknown): void {
    if (value === false || value === null) return;
    if (value !== meaning && value !== true)
      this.#tell(
        "warning",
        name,
        `expected ${shown(meaning)}, found ${shown(value)}; taken as ${shown(meaning)}`,
      );
    this.#add({ type: "restriction", name });
  }

  #members(key: string, value: unknown, read: (name: string, member: unknown) => void): void {
    if (!isShape(value)) return this.#wrong(key, "an object", value);
    for (const [name, member] of Object.entries(value)) read(name, member);
  }

  #entries(key: string, value: unknown, read: (entry: unknown, at: string) => void): void {
    if (!Array.isArray(value)) return this.#wrong(key, "a list", value);
    for (const [index, entry] of value.entries()) read(entry, `${key}[${index}]`);
  }

  #take({ settings, problems }: Content): void {
    this.settings.push(...settings);
    this.problems.push(...problems);
  }

  #add(setting: Setting): void {
    this.settings.push(setting);
  }

  #wrong(key: string, expected: string, found: unknown): void {
    this.#tell("error", key, `expected ${expected}, found ${shown(found)}; this entry is left out`);
  }

  #tell(severity: Problem["severity"], key: string, words: string): void {
    this.problems.push({ severity, path: this.#path, key, message: `${this.#path}: ${key}: ${words}` });
  }
}
