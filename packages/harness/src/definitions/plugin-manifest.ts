/** The manifest of a plugin, `.claude-plugin/plugin.json`. */

import { type Shape, didYouMean, isShape } from "@runahead/base";
import { valueOf } from "../settings/json.ts";
import { parseJson } from "../settings/parse.ts";
import type { Problem } from "../settings/setting.ts";
import type { YamlValue } from "./yaml-value.ts";

/** Commands that a manifest names: a file or folder, or one command with its own name and fields. */
export interface ManifestCommand {
  /** As written; undefined if the manifest contains the text. */
  readonly path: string | undefined;
  readonly content: string | undefined;
  /** Undefined: commands are called like their files. */
  readonly name: string | undefined;
  /** Fields that count before those of the file. */
  readonly fields: Readonly<Record<string, YamlValue>>;
}

/** Another plugin that a plugin needs. */
export interface Dependency {
  readonly name: string;
  /** Undefined: the marketplace of the plugin that needs it. */
  readonly marketplace: string | undefined;
}

/** What a manifest names. Paths are as written. */
export interface Manifest {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly agents: readonly string[];
  readonly commands: readonly ManifestCommand[];
  readonly skills: readonly string[];
  readonly outputStyles: readonly string[];
  readonly hookPaths: readonly string[];
  readonly hooks: readonly Shape[];
  readonly serverPaths: readonly string[];
  readonly servers: readonly Shape[];
  readonly languageServerPaths: readonly string[];
  readonly languageServers: readonly Shape[];
  /** The options that the user sets, with their default values. */
  readonly userConfig: Readonly<Record<string, string | undefined>>;
  /** The options that are secret. */
  readonly secretOptions: readonly string[];
  readonly dependencies: readonly Dependency[];
  /** Fields that stand for the whole of their kind: the default folder is not read. */
  readonly whole: readonly string[];
}

const DESCRIPTIVE = [
  "$schema",
  "author",
  "category",
  "displayName",
  "homepage",
  "icon",
  "keywords",
  "license",
  "owner",
  "metadata",
  "repository",
  "strict",
  "tags",
  "version",
];
export const MANIFEST_USED = [
  "name",
  "description",
  "agents",
  "commands",
  "skills",
  "outputStyles",
  "hooks",
  "mcpServers",
  "lspServers",
  "userConfig",
  "dependencies",
];
/** What an entry of a marketplace can name too. */
const COMPONENTS = MANIFEST_USED.filter((key) => key !== "name" && key !== "description");
export const MANIFEST_INERT: Readonly<Record<string, string>> = {
  channels: "Runahead does not receive messages from channels",
  monitors: "Runahead does not start monitors",
  settings: "a plugin cannot change settings; put them into your settings file",
  themes: "choose the colours with /theme",
  experimental: "experimental parts are not supported",
};

/**
 * Reads a manifest, and the entry of the marketplace that the plugin was added from: it can name more. Never throws: what
 * is wrong is in `problems`.
 */
export function manifestIn(
  text: string,
  path: string,
  entry: Shape = {},
): { readonly manifest: Manifest; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const report = (severity: Problem["severity"], key: string, words: string): void => {
    const at = key === "" ? "" : ` \`${key}\``;
    problems.push({ severity, path, key, message: `${path}:${at} ${words}` });
  };
  const parsed = parseJson(text);
  const value = parsed.type === "parsed" ? valueOf(parsed.node) : undefined;
  if (parsed.type === "broken") report("error", "", `invalid JSON at ${parsed.why}`);
  else if (!isShape(value)) report("error", "", "expected an object, { … }");
  const given = isShape(value) ? value : {};
  for (const key of Object.keys(given)) remarkOn(key, report);
  return { manifest: withEntry(manifestOf(given, report), entry, report), problems };
}

/** `strict: false`: what the entry names replaces the default folders. */
function withEntry(own: Manifest, entry: Shape, report: Report): Manifest {
  const more = manifestOf(entry, report);
  return {
    name: own.name ?? more.name,
    description: own.description ?? more.description,
    agents: [...own.agents, ...more.agents],
    commands: [...own.commands, ...more.commands],
    skills: [...own.skills, ...more.skills],
    outputStyles: [...own.outputStyles, ...more.outputStyles],
    hookPaths: [...own.hookPaths, ...more.hookPaths],
    hooks: [...own.hooks, ...more.hooks],
    serverPaths: [...own.serverPaths, ...more.serverPaths],
    servers: [...own.servers, ...more.servers],
    languageServerPaths: [...own.languageServerPaths, ...more.languageServerPaths],
    languageServers: [...own.languageServers, ...more.languageServers],
    userConfig: { ...more.userConfig, ...own.userConfig },
    secretOptions: [...own.secretOptions, ...more.secretOptions],
    dependencies: [...own.dependencies, ...more.dependencies],
    whole: entry["strict"] === false ? COMPONENTS.filter((key) => (entry[key] ?? null) !== null) : [],
  };
}

export type Report = (severity: Problem["severity"], key: string, words: string) => void;

export function remarkOn(key: string, report: Report): void {
  if (MANIFEST_USED.includes(key) || DESCRIPTIVE.includes(key) || /^[_/]/.test(key)) return;
  const why = Object.hasOwn(MANIFEST_INERT, key) ? MANIFEST_INERT[key] : undefined;
  if (why !== undefined) return report("warning", key, `has no effect here: ${why}`);
  const hint = didYouMean(key, MANIFEST_USED);
  report(hint === "" ? "note" : "warning", key, `is not a known field and has no effect.${hint}`);
}

function manifestOf(given: Shape, report: Report): Manifest {
  const pathless = (key: string) => (entry: unknown) => {
    if (isShape(entry) && textIn(entry["name"]) !== undefined)
      report(
        "note",
        key,
        `an entry without a path describes a file in ${key === "outputStyles" ? "output-styles" : key}/, which is read anyway`,
      );
    else report("warning", key, "must be paths");
  };
  const paths = (key: string): string[] => pathsIn(given[key], pathless(key));
  return {
    name: textIn(given["name"]),
    description: textIn(given["description"]),
    agents: paths("agents"),
    commands: commandsIn(given["commands"], pathless("commands")),
    skills: paths("skills"),
    outputStyles: paths("outputStyles"),
    hookPaths: pathsIn(given["hooks"], () => {}),
    hooks: objectsIn(given["hooks"]).map((one) => (isShape(one["hooks"]) ? one["hooks"] : one)),
    serverPaths: pathsIn(given["mcpServers"], () => {}),
    servers: objectsIn(given["mcpServers"]).map(withServers),
    languageServerPaths: pathsIn(given["lspServers"], () => {}),
    languageServers: objectsIn(given["lspServers"]),
    userConfig: isShape(given["userConfig"])
      ? Object.fromEntries(
          Object.entries(given["userConfig"]).map(([key, option]) => [
            key,
            isShape(option) ? scalarText(option["default"]) : undefined,
          ]),
        )
      : {},
    secretOptions: Object.entries(isShape(given["userConfig"]) ? given["userConfig"] : {}).flatMap(
      ([key, option]) => (isShape(option) && option["sensitive"] === true ? [key] : []),
    ),
    dependencies: dependenciesIn(given["dependencies"], report),
    whole: [],
  };
}

/** Names, `name@marketplace`, or objects. Versions are not compared: a marketplace has one version of a plugin. */
function dependenciesIn(value: unknown, report: Report): Dependency[] {
  if ((value ?? null) === null) return [];
  if (!Array.isArray(value)) {
    report("note", "dependencies", "is not a list of plugins and has no effect");
    return [];
  }
  return (value as unknown[]).flatMap((entry) => {
    const { name, marketplace } = isShape(entry) ? entry : { name: entry };
    const [plugin, from] = typeof name === "string" ? name.trim().split("@", 2) : [];
    if (plugin !== undefined && plugin !== "")
      return [{ name: plugin, marketplace: textIn(marketplace) ?? textIn(from) }];
    report("warning", "dependencies", "must be names of plugins");
    return [];
  });
}

const COMMAND_FIELDS = {
  description: "description",
  argumentHint: "argument-hint",
  model: "model",
  allowedTools: "allowed-tools",
} as const;

/** Paths, or objects with a `source`, `path` or `file`, or with the text as `content`; by name or in a list. */
function commandsIn(value: unknown, onWrong: (entry: unknown) => void): ManifestCommand[] {
  if ((value ?? null) === null) return [];
  if (!isShape(value))
    return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) =>
      commandIn(one, isShape(one) ? textIn(one["name"]) : undefined, onWrong),
    );
  return Object.entries(value).flatMap(([name, one]) => commandIn(one, name, onWrong));
}

function commandIn(
  value: unknown,
  name: string | undefined,
  onWrong: (entry: unknown) => void,
): ManifestCommand[] {
  const given = isShape(value) ? value : { source: value };
  const [path] = ["source", "path", "file"].flatMap((key) => textIn(given[key]) ?? []);
  const content = textIn(given["content"]);
  if (path === undefined && (content === undefined || name === undefined)) return onWrong(value), [];
  const fields = Object.entries(COMMAND_FIELDS).flatMap(([key, field]) => {
    const held = given[key];
    const isText =
      typeof held === "string" || (Array.isArray(held) && held.every((one) => typeof one === "string"));
    return isText ? [[field, held] as const] : [];
  });
  return [
    { path, content: path === undefined ? content : undefined, name, fields: Object.fromEntries(fields) },
  ];
}

/** The text of a value that can be part of a command or an address. */
export function scalarText(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** One path, several, or objects with a `source` or `path`, also by name. */
function pathsIn(value: unknown, onWrong: (entry: unknown) => void): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  const entries = Array.isArray(value)
    ? (value as unknown[])
    : isShape(value)
      ? Object.values(value)
      : [value];
  return entries.flatMap((entry) => {
    const path = isShape(entry) ? (entry["source"] ?? entry["path"] ?? entry["file"]) : entry;
    if (typeof path === "string") return [path];
    onWrong(entry);
    return [];
  });
}

/** Servers by name, with or without `mcpServers` around them, or one server with its name. */
function withServers(value: Shape): Shape {
  if (isShape(value["mcpServers"])) return value;
  const { name } = value;
  return { mcpServers: typeof name === "string" ? { [name]: value } : value };
}

function objectsIn(value: unknown): Shape[] {
  return (Array.isArray(value) ? value : [value]).filter(isShape);
}
