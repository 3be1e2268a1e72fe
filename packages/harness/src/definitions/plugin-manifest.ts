/** The manifest of a plugin, `.claude-plugin/plugin.json`. */

import { type Shape, didYouMean, isShape } from "@runahead/base";
import { valueOf } from "../settings/json.ts";
import { parseJson } from "../settings/parse.ts";
import type { Problem } from "../settings/setting.ts";

/** What a manifest names. Paths are as written. */
export interface Manifest {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly agents: readonly string[];
  readonly commands: readonly string[];
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
];
export const MANIFEST_INERT: Readonly<Record<string, string>> = {
  channels: "Runahead does not receive messages from channels",
  monitors: "Runahead does not start monitors",
  dependencies: "add the other plugins yourself",
  settings: "a plugin cannot change settings; put them into your settings file",
  themes: "choose the colours with /theme",
  experimental: "experimental parts are not supported",
};

/** Reads a manifest. Never throws: what is wrong is in `problems`. */
export function manifestIn(
  text: string,
  path: string,
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
  return { manifest: manifestOf(given, report), problems };
}

type Report = (severity: Problem["severity"], key: string, words: string) => void;

function remarkOn(key: string, report: Report): void {
  if (MANIFEST_USED.includes(key) || DESCRIPTIVE.includes(key) || /^[_/]/.test(key)) return;
  const why = Object.hasOwn(MANIFEST_INERT, key) ? MANIFEST_INERT[key] : undefined;
  if (why !== undefined) return report("warning", key, `has no effect here: ${why}`);
  const hint = didYouMean(key, MANIFEST_USED);
  report(hint === "" ? "note" : "warning", key, `is not a known field and has no effect.${hint}`);
}

function manifestOf(given: Shape, report: Report): Manifest {
  const paths = (key: string): string[] => pathsIn(given[key], () => report("warning", key, "must be paths"));
  return {
    name: textIn(given["name"]),
    description: textIn(given["description"]),
    agents: paths("agents"),
    commands: paths("commands"),
    skills: paths("skills"),
    outputStyles: paths("outputStyles"),
    hookPaths: pathsIn(given["hooks"], () => {}),
    hooks: objectsIn(given["hooks"]).map((one) => (isShape(one["hooks"]) ? one["hooks"] : one)),
    serverPaths: pathsIn(given["mcpServers"], () => {}),
    servers: objectsIn(given["mcpServers"]).map((one) =>
      isShape(one["mcpServers"]) ? one : { mcpServers: one },
    ),
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
  };
}

/** The text of a value that can be part of a command or an address. */
export function scalarText(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** One path, several, or objects with a `source` or `path`, also by name. */
function pathsIn(value: unknown, onWrong: () => void): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  const entries = Array.isArray(value)
    ? (value as unknown[])
    : isShape(value)
      ? Object.values(value)
      : [value];
  return entries.flatMap((entry) => {
    const path = isShape(entry) ? (entry["source"] ?? entry["path"]) : entry;
    if (typeof path === "string") return [path];
    onWrong();
    return [];
  });
}

function objectsIn(value: unknown): Shape[] {
  return (Array.isArray(value) ? value : [value]).filter(isShape);
}
