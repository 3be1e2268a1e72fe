/** Where a plugin comes from: a folder, a git address, an npm package, or a marketplace that lists plugins. */

import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { UsageError } from "@runahead/harness";
import { type PluginSource, marketplaceIn, readText } from "@runahead/harness/internal";
import { type FetchedPlugin, MOST_JSON_BYTES, cloned, fetchedJson, packed } from "./plugin-download.ts";

interface Wanted {
  readonly source: string;
  /** The plugin of a marketplace. */
  readonly name: string | undefined;
  readonly cwd: string;
  /** The folder for what is downloaded. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws a UsageError if there is no plugin. */
export async function fetchPlugin(wanted: Wanted): Promise<FetchedPlugin> {
  const here = resolve(wanted.cwd, wanted.source);
  const isHere = (await stat(here).catch(() => undefined)) !== undefined;
  const base = isHere ? local(here) : await remote(wanted);
  return fromMarketplace(base, wanted).catch(async (error: unknown) => {
    await base.discard();
    throw error;
  });
}

async function remote(wanted: Wanted): Promise<FetchedPlugin> {
  const { source } = wanted;
  if (source.startsWith("npm:")) return packed(packageIn(source.slice("npm:".length)), wanted);
  if (/^https?:\/\/.*\.json(?:[?#].*)?$/.test(source)) return fetchedJson(source, wanted);
  const address = addressOf(source);
  if (address !== undefined) return cloned({ url: address }, wanted);
  throw new UsageError(
    `${source} is neither a folder, a marketplace.json, a git address nor an npm package (npm:NAME)`,
  );
}

/** `name`, `@scope/name` or `name@version`. */
function packageIn(text: string): { readonly package: string; readonly version: string | undefined } {
  const [, name = text, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(text) ?? [];
  return { package: name, version };
}

/** The plugin itself, or the one that the marketplace in this folder lists. */
async function fromMarketplace(base: FetchedPlugin, wanted: Wanted): Promise<FetchedPlugin> {
  const file = base.path.endsWith(".json")
    ? base.path
    : join(base.path, ".claude-plugin", "marketplace.json");
  const read = await readText(file, MOST_JSON_BYTES);
  if (read.type === "unreadable") throw new UsageError(`cannot read ${file}: ${read.why}`);
  if (read.type === "missing") {
    if (wanted.name !== undefined) throw new UsageError(`${wanted.source} is not a marketplace`);
    return base;
  }
  const root = basename(dirname(file)) === ".claude-plugin" ? dirname(dirname(file)) : dirname(file);
  const { name: marketplace, plugins, problems } = marketplaceIn(read.text, file);
  const [problem] = problems;
  if (plugins.length === 0 && problem !== undefined) throw new UsageError(problem.message);
  const only = plugins.length === 1 ? plugins[0] : undefined;
  const plugin =
    plugins.find(({ name }) => name === wanted.name) ?? (wanted.name === undefined ? only : undefined);
  if (plugin === undefined)
    throw new UsageError(
      `name one of the plugins of ${marketplace || wanted.source}: ${plugins.map(({ name }) => name).join(", ")}`,
    );
  const { source } = plugin;
  if (source.type === "folder") {
    if (/^https?:/.test(wanted.source) && file === base.path)
      throw new UsageError(
        `the plugin ${plugin.name} is a folder beside the marketplace, and ${wanted.source} is a single file. Use the git address of the marketplace`,
      );
    const path = resolve(root, source.path);
    if (!(await leadsInto(root, path)))
      throw new UsageError(`the path of the plugin ${plugin.name} leads out of its marketplace`);
    return inside(base, path, { marketplace, entry: plugin.entry });
  }
  const fetched = await listed(source, plugin.name, wanted);
  await base.discard();
  const path = resolve(fetched.path, source.type === "git" ? source.path : ".");
  if (!(await leadsInto(fetched.path, path))) {
    await fetched.discard();
    throw new UsageError(`the path of the plugin ${plugin.name} leads out of its repository`);
  }
  return inside(fetched, path, { marketplace, entry: plugin.entry });
}

/** Whether a path is the folder or in it, also if it is a link. One that does not exist is reported when it is read. */
async function leadsInto(folder: string, path: string): Promise<boolean> {
  const isIn = (root: string, one: string): boolean => one === root || one.startsWith(`${root}${sep}`);
  const real = await realpath(path).catch(() => undefined);
  return isIn(folder, path) && (real === undefined || isIn(await realpath(folder), real));
}

async function listed(
  source: Exclude<PluginSource, { type: "folder" }>,
  name: string,
  wanted: Wanted,
): Promise<FetchedPlugin> {
  if (source.type === "git") return cloned(source, wanted);
  if (source.type === "npm") return packed(source, wanted);
  throw new UsageError(`the plugin ${name} cannot be added: ${source.why}`);
}

/** A folder of something that was fetched. It stays where the whole stays. */
function inside(
  base: FetchedPlugin,
  path: string,
  from: Pick<FetchedPlugin, "marketplace" | "entry">,
): FetchedPlugin {
  const root = base.path.endsWith(".json") ? dirname(base.path) : base.path;
  return {
    path,
    ...from,
    keep: async () => {
      const kept = await base.keep();
      return path.startsWith(root) && kept !== base.path ? join(kept, path.slice(root.length)) : path;
    },
    discard: () => base.discard(),
  };
}

/** A folder of the user is used where it is. */
function local(path: string): FetchedPlugin {
  return { path, marketplace: "", keep: () => Promise.resolve(path), discard: () => Promise.resolve() };
}

function addressOf(source: string): string | undefined {
  if (/^(?:https?|ssh|git|file):\/\//.test(source) || /^[\w.-]+@[\w.-]+:/.test(source)) return source;
  return /^\w[\w.-]*\/[\w.-]+$/.test(source) ? `https://github.com/${source}.git` : undefined;
}
