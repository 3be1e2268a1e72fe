/** What permissions are made of, as settings files have it and as the loader merges them. */

import { shapeOf } from "@runahead/base";

export type Mode = "default" | "acceptEdits" | "plan" | "auto" | "dontAsk" | "bypassPermissions";

export interface OrderedRule {
  readonly tool: string;
  readonly pattern?: string;
  readonly action: "allow" | "ask" | "deny";
}

export interface RuleLists {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** In this order, after the denies and asks of all lists. */
  readonly rules?: readonly OrderedRule[];
  readonly additionalDirectories?: readonly string[];
}

/** One settings file: where its rules come from, and what `/x` in them is relative to. */
export interface PermissionSource extends RuleLists {
  readonly name: string;
  readonly root: string;
  /** False: it grants nothing, and its denies and asks hold. */
  readonly trusted?: boolean;
}

export type PermissionSettings =
  /** What the loader of settings gives. */
  | { readonly mode?: string; readonly sources: readonly PermissionSource[] }
  /** One settings file. */
  | { readonly permissions: RuleLists & { readonly defaultMode?: string } }
  /** The lists themselves. */
  | (RuleLists & {
      readonly mode?: string;
      readonly defaultMode?: string;
      readonly cwd?: string;
      readonly trusted?: boolean;
      readonly rulesFrom?: string;
    });

export interface ReadSettings {
  readonly mode: Mode;
  readonly sources: readonly Required<PermissionSource>[];
  readonly warnings: readonly string[];
}

const MODES = new Map<string, Mode>([
  ["default", "default"],
  ["manual", "default"],
  ["ask", "default"],
  ["acceptEdits", "acceptEdits"],
  ["accept_edits", "acceptEdits"],
  ["plan", "plan"],
  ["auto", "auto"],
  ["dontAsk", "dontAsk"],
  ["deny", "dontAsk"],
  ["bypassPermissions", "bypassPermissions"],
  ["allow", "bypassPermissions"],
]);
/** Every name of a mode that settings can have, with the names of other programs. */
export const MODE_NAMES: readonly string[] = [...MODES.keys()];
/** A repository that is not trusted may only make things stricter. */
const STRICT = new Set<Mode>(["default", "plan", "dontAsk"]);

interface SettingsContext {
  readonly cwd: string;
  readonly home: string;
  /** Whether the folder is. */
  readonly trusted: boolean;
}

/** One bad entry costs only itself, and a warning. */
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
  // The loader merges the modes that hold; a single file that is not trusted cannot loosen anything.
  const isForeign = !context.trusted && !isMerged && !STRICT.has(mode);
  if (isForeign) warnings.push(`The mode ${mode} is ignored: the folder is not trusted.`);
  return { mode: isForeign ? "default" : mode, sources, warnings };
}

function readMode(value: unknown, warnings: string[]): Mode {
  if (value === undefined) return "default";
  const mode = typeof value === "string" ? MODES.get(value) : undefined;
  if (mode === undefined)
    warnings.push(`Unknown mode ${JSON.stringify(value)?.slice(0, 80)}: default is used.`);
  return mode ?? "default";
}

function readSource(
  source: Record<string, unknown>,
  context: SettingsContext,
  warnings: string[],
): Required<PermissionSource> {
  const name = typeof source["name"] === "string" ? source["name"] : "settings";
  const strings = (key: string): string[] =>
    listOf(source[key], `${name}: ${key}`, warnings).flatMap((entry) => {
      if (typeof entry === "string" && entry.trim() !== "") return [entry];
      warnings.push(`${name}: an entry of ${key} is not a text and is ignored.`);
      return [];
    });
  return {
    name,
    root: typeof source["root"] === "string" ? source["root"] : context.cwd,
    // The user's own settings hold in every folder.
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
  warnings.push(`${name}: an entry of rules needs tool, action and, if any, a pattern; it is ignored.`);
  return [];
}

function listOf(value: unknown, what: string, warnings: string[]): unknown[] {
  if (Array.isArray(value)) return value;
  if (value !== undefined) warnings.push(`${what} is not a list and is ignored.`);
  return [];
}
