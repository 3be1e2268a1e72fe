/** The list of a marketplace, `.claude-plugin/marketplace.json`. */

import { type Shape, isShape } from "@runahead/base";
import { valueOf } from "../settings/json.ts";
import { parseJson } from "../settings/parse.ts";
import type { Problem } from "../settings/setting.ts";
import { manifestIn, remarkOn, textIn } from "./plugin-manifest.ts";

/** A plugin that a marketplace lists. */
export interface ListedPlugin {
  readonly name: string;
  readonly description: string;
  readonly source: PluginSource;
  /** What the entry says about the plugin, in the form of a manifest. */
  readonly entry: Shape;
}

/** Where a plugin of a marketplace is. */
export type PluginSource =
  /** A path relative to the marketplace. */
  | { readonly type: "folder"; readonly path: string }
  /** A folder of a git repository, at a branch or tag, or at one commit. */
  | {
      readonly type: "git";
      readonly url: string;
      readonly path: string;
      readonly ref: string | undefined;
      readonly sha: string | undefined;
    }
  /** A package of a registry. */
  | {
      readonly type: "npm";
      readonly package: string;
      readonly version: string | undefined;
      readonly registry: string | undefined;
    }
  /** A kind that is not supported. */
  | { readonly type: "unsupported"; readonly why: string };

/** Reads `marketplace.json`. Entries that cannot be used are in `problems`. */
export function marketplaceIn(
  text: string,
  path: string,
): {
  readonly name: string;
  readonly plugins: readonly ListedPlugin[];
  readonly problems: readonly Problem[];
} {
  const parsed = parseJson(text);
  const value = parsed.type === "parsed" ? valueOf(parsed.node) : undefined;
  const problem = (key: string, words: string): Problem => ({
    severity: "error",
    path,
    key,
    message: `${path}: ${key === "" ? "" : `${key}: `}${words}`,
  });
  if (parsed.type === "broken")
    return { name: "", plugins: [], problems: [problem("", `invalid JSON at ${parsed.why}`)] };
  const entries = isShape(value) ? listOfPlugins(value["plugins"]) : undefined;
  const name = isShape(value) ? (textIn(value["name"]) ?? "") : "";
  if (!Array.isArray(entries))
    return { name, plugins: [], problems: [problem("plugins", "expected an array")] };
  const base =
    isShape(value) && isShape(value["metadata"]) ? textIn(value["metadata"]["pluginRoot"]) : undefined;
  const read = entries.map(
    (entry: unknown, at) =>
      listedIn(entry, base) ?? problem(`plugins[${at}]`, "expected a name and a source"),
  );
  const plugins = read.flatMap((one) => ("severity" in one ? [] : [one]));
  const remarks = plugins.flatMap((plugin) => remarksOn(plugin, path));
  const unused = Object.keys(isShape(value) ? value : {})
    .filter((key) => !FIELDS.test(key))
    .map((key): Problem => ({ ...problem(key, "has no effect"), severity: "note" }));
  return {
    name,
    plugins,
    problems: [...read.flatMap((one) => ("severity" in one ? [one] : [])), ...unused, ...remarks],
  };
}

const FIELDS =
  /^(?:[$_].*|name|owner|plugins|metadata|description|version|author|homepage|repository|license|keywords)$/;

/** What the entry of a plugin asks for without effect. */
function remarksOn({ name, source, entry }: ListedPlugin, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  if (source.type === "unsupported")
    problems.push({
      severity: "warning",
      path,
      key: name,
      message: `${path}: plugin ${name} cannot be added: ${source.why}`,
    });
  for (const key of Object.keys(entry))
    remarkOn(key, (severity, _, words) =>
      problems.push({ severity, path, key, message: `${path}: plugin ${name}: \`${key}\` ${words}` }),
    );
  return [...problems, ...manifestIn("{}", path, entry).problems];
}

/** An object of plugins by name is read as a list. */
function listOfPlugins(value: unknown): unknown {
  const entries = isShape(value) ? Object.values(value) : [];
  if (!isShape(value) || entries.length === 0 || !entries.every(isShape)) return value;
  return Object.entries(value).map(([name, entry]) => ({ name, ...(entry as Shape) }));
}

function listedIn(entry: unknown, base: string | undefined): ListedPlugin | undefined {
  if (!isShape(entry)) return undefined;
  const name = textIn(entry["name"]);
  const source = sourceIn(entry["source"] ?? entry["path"], base, name ?? "");
  if (name === undefined || source === undefined) return undefined;
  const { source: _source, path: _path, ...manifest } = entry;
  return { name, description: textIn(entry["description"]) ?? "", source, entry: manifest };
}

function sourceIn(value: unknown, base: string | undefined, name: string): PluginSource | undefined {
  if (typeof value === "string" && /^(?:https?|ssh|git):\/\/|^git@/.test(value))
    return { type: "git", url: value, path: ".", ref: undefined, sha: undefined };
  const [, repository] = (typeof value === "string" && /^github:([\w.-]+\/[\w.-]+)$/.exec(value)) || [];
  if (repository !== undefined) return sourceIn({ repo: repository }, base, name);
  if (typeof value === "string") {
    const isPath = /^\.{0,2}(?:\/|$)/.test(value) || base === undefined;
    return { type: "folder", path: isPath ? value : `${base}/${value}` };
  }
  if (!isShape(value)) return base === undefined ? undefined : { type: "folder", path: `${base}/${name}` };
  if (value["source"] === "npm") return npmSource(value);
  const kind = UNSUPPORTED[textIn(value["source"]) ?? ""];
  if (kind !== undefined)
    return { type: "unsupported", why: `${kind} are not supported; ask its author for a git address` };
  const repo = textIn(value["repo"]);
  const url = textIn(value["url"]) ?? (repo === undefined ? undefined : `https://github.com/${repo}.git`);
  const path = textIn(value["path"]) ?? ".";
  if (url === undefined) return value["path"] === undefined ? undefined : { type: "folder", path };
  return {
    type: "git",
    url: url.includes(":") ? url : `https://github.com/${url}.git`,
    path,
    ref: textIn(value["ref"]),
    sha: textIn(value["sha"]) ?? textIn(value["commit"]),
  };
}

const UNSUPPORTED: Readonly<Record<string, string>> = { pip: "packages of PyPI", archive: "archives" };

function npmSource(value: Shape): PluginSource | undefined {
  const name = textIn(value["package"]);
  if (name === undefined) return undefined;
  return {
    type: "npm",
    package: name,
    version: textIn(value["version"]),
    registry: textIn(value["registry"]),
  };
}
