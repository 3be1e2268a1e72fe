/** Permission settings, as settings files contain them and as the loader merges them. */

import { shapeOf } from "@runahead/base";
import { type Mode, PERMISSION_MODES, permissionMode } from "./modes.ts";
import type { Action } from "./rule.ts";

/** A rule of an ordered list: the first one that matches a call decides. */
export interface OrderedRule {
  /** The tool that the rule is about, such as `Bash`. */
  readonly tool: string;
  /** The text between the brackets of `Tool(pattern)`. Default: every call of the tool. */
  readonly pattern?: string;
  /** What happens to a matching call. */
  readonly action: Action;
}

/**
 * Rules as a settings file lists them. Denies take precedence over asks, asks over ordered rules, ordered rules over
 * allows.
 */
export interface RuleLists {
  /** Calls that run without a question: `Bash(npm test:*)`, `Edit(src/**)`. Default: none. */
  readonly allow?: readonly string[];
  /** Calls that always need approval. Default: none. */
  readonly ask?: readonly string[];
  /** Calls that never run. Default: none. */
  readonly deny?: readonly string[];
  /** Rules of which the first match decides, after the denies and asks of all lists. Default: none. */
  readonly rules?: readonly OrderedRule[];
  /** Folders outside the working directory that are part of the workspace. Default: none. */
  readonly additionalDirectories?: readonly string[];
}

/** The kind of settings that rules come from, from highest to lowest precedence. */
export type SettingsLevel = "managed" | "flags" | "local" | "project" | "user";

/** One settings file: its name, its rules, and the folder that `/x` in them is relative to. */
export interface PermissionSource extends RuleLists {
  /** Shown in reasons. Sources called `project…` or `local…` grant nothing in a folder that is not trusted. */
  readonly name: string;
  /** The kind of settings. Only for display. */
  readonly level?: SettingsLevel;
  /** The folder that `/x` in a rule is relative to. */
  readonly root: string;
  /** False: it grants nothing; its deny and ask rules apply. Default: true. */
  readonly trusted?: boolean;
}

/**
 * Rules and the mode, in one of three forms: several sources with one mode, the `permissions` of one settings file, or
 * the lists themselves.
 */
export type PermissionSettings =
  | {
      /** The permission mode. Default: `default`. */
      readonly mode?: string;
      /** From highest to lowest precedence. */
      readonly sources: readonly PermissionSource[];
    }
  | {
      /** The member `permissions` of a settings file, whose other members are ignored. */
      readonly permissions: RuleLists & {
        /** The permission mode. Default: `default`. */
        readonly defaultMode?: string;
      };
    }
  | (RuleLists & {
      /** The permission mode. Default: `defaultMode`. */
      readonly mode?: string;
      /** The permission mode. Default: `default`. */
      readonly defaultMode?: string;
      /** The working directory. The option `cwd` takes precedence. */
      readonly cwd?: string;
      /** Whether the folder is trusted. The option `trusted` takes precedence. Default: true. */
      readonly trusted?: boolean;
      /** The source of the rules: `user` rules apply in every folder. Default: `project`. */
      readonly rulesFrom?: string;
    });

type ReadSource = Required<Omit<PermissionSource, "level">>;

export interface ReadSettings {
  readonly mode: Mode;
  readonly sources: readonly ReadSource[];
  readonly warnings: readonly string[];
}

/** Modes that an untrusted repository can set. */
const STRICT = new Set<Mode>(["default", "plan", "dontAsk"]);

interface SettingsContext {
  readonly cwd: string;
  readonly home: string;
  /** Whether the folder is trusted. */
  readonly trusted: boolean;
}

/** Reads settings of any form. An invalid entry is ignored with a warning. */
export function readSettings(settings: unknown, context: SettingsContext): ReadSettings {
  const warnings: string[] = [];
  const given = shapeOf(settings);
  const isMerged = Array.isArray(given["sources"]);
  const lists = "permissions" in given ? shapeOf(given["permissions"]) : given;
  const origin = typeof given["rulesFrom"] === "string" ? given["rulesFrom"] : "project";
  const sources = isMerged
    ? (given["sources"] as unknown[]).map((source) => readSource(shapeOf(source), context, warnings))
    : [
        readSource(
          {
            ...lists,
            name: origin,
            root: origin === "user" ? `${context.home}/.claude` : context.cwd,
            trusted: true,
          },
          context,
          warnings,
        ),
      ];
  const mode = readMode(given["mode"] ?? lists["defaultMode"], warnings);
  // The loader has already checked the mode of merged settings; a single untrusted file must not loosen anything.
  const isForeign = !context.trusted && !isMerged && !STRICT.has(mode);
  if (isForeign) warnings.push(`Mode ${mode} is ignored: this folder is not trusted.`);
  return { mode: isForeign ? "default" : mode, sources, warnings };
}

function readMode(value: unknown, warnings: string[]): Mode {
  if (value === undefined) return "default";
  const mode = typeof value === "string" ? permissionMode(value) : undefined;
  if (mode === undefined)
    warnings.push(
      `Unknown permission mode ${JSON.stringify(value)?.slice(0, 80)}: using default. Modes: ${PERMISSION_MODES.join(", ")}.`,
    );
  return mode ?? "default";
}

function readSource(
  source: Record<string, unknown>,
  context: SettingsContext,
  warnings: string[],
): ReadSource {
  const name = typeof source["name"] === "string" ? source["name"] : "settings";
  const strings = (key: string): string[] =>
    listOf(source[key], `${name}: ${key}`, warnings).flatMap((entry) => {
      if (typeof entry === "string" && entry.trim() !== "") return [entry];
      warnings.push(`${name}: an entry of ${key} is ignored: it must be a non-empty string.`);
      return [];
    });
  return {
    name,
    root: typeof source["root"] === "string" ? source["root"] : context.cwd,
    // The user's own settings apply in every folder.
    trusted: source["trusted"] !== false && (context.trusted || !/^(?:project|local)/.test(name)),
    allow: strings("allow"),
    ask: strings("ask"),
    deny: strings("deny"),
    additionalDirectories: strings("additionalDirectories"),
    rules: listOf(source["rules"], `${name}: rules`, warnings).flatMap((entry) =>
      readOrdered(entry, name, warnings),
    ),
  };
}

function readOrdered(entry: unknown, name: string, warnings: string[]): OrderedRule[] {
  const { tool, pattern, action } = shapeOf(entry);
  const isAction = action === "allow" || action === "ask" || action === "deny";
  if (typeof tool === "string" && isAction && (pattern === undefined || typeof pattern === "string"))
    return [{ tool, action, ...(pattern === undefined ? {} : { pattern }) }];
  warnings.push(
    `${name}: an entry of rules is ignored: it needs a tool and an action (allow, ask or deny), and an optional pattern.`,
  );
  return [];
}

function listOf(value: unknown, what: string, warnings: string[]): unknown[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined) warnings.push(`${what} is ignored: it must be a list.`);
  return [];
}
