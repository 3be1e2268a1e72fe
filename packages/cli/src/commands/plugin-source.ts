/** Where a plugin comes from: a folder, a git address, or a marketplace that lists plugins. */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "@runahead/harness";
import { marketplaceIn } from "@runahead/harness/internal";

const run = promisify(execFile);
const CLONE_MS = 120_000;

export interface FetchedPlugin {
  /** The folder of the plugin now. */
  readonly path: string;
  /** The name of the marketplace; empty without one. */
  readonly marketplace: string;
  /** Resolves with the folder that the plugin stays in. */
  keep(): Promise<string>;
  /** Removes what was downloaded. */
  discard(): Promise<void>;
}

interface Wanted {
  readonly source: string;
  /** The plugin of a marketplace. */
  readonly name: string | undefined;
  readonly cwd: string;
  /** The folder for clones. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Throws a UsageError if there is no plugin. */
export async function fetchPlugin(wanted: Wanted): Promise<FetchedPlugin> {
  const address = addressOf(wanted.source);
  const here = resolve(wanted.cwd, wanted.source);
  const isHere = (await stat(here).catch(() => undefined)) !== undefined;
  if (!isHere && address === undefined)
    throw new UsageError(`${wanted.source} is neither a folder, a marketplace.json nor a git address`);
  const base = isHere ? local(here) : await cloned(address ?? "", undefined, wanted);
  return fromMarketplace(base, wanted).catch(async (error: unknown) => {
    await base.discard();
    throw error;
  });
}

/** The plugin itself, or the one that the marketplace in this folder lists. */
async function fromMarketplace(base: FetchedPlugin, wanted: Wanted): Promise<FetchedPlugin> {
  const file = base.path.endsWith(".json")
    ? base.path
    : join(base.path, ".claude-plugin", "marketplace.json");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) {
    if (wanted.name !== undefined) throw new UsageError(`${wanted.source} is not a marketplace`);
    return base;
  }
  const root = basename(dirname(file)) === ".claude-plugin" ? dirname(dirname(file)) : dirname(file);
  const { name: marketplace, plugins, problems } = marketplaceIn(text, file);
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
  if (source.type === "folder") return inside(base, resolve(root, source.path), marketplace);
  const clone = await cloned(source.url, source.ref, wanted);
  await base.discard();
  return inside(clone, resolve(clone.path, source.path), marketplace);
}

/** A folder of something that was fetched. It stays where the whole stays. */
function inside(base: FetchedPlugin, path: string, marketplace: string): FetchedPlugin {
  const root = base.path.endsWith(".json") ? dirname(base.path) : base.path;
  return {
    path,
    marketplace,
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
  return /^[\w.-]+\/[\w.-]+$/.test(source) ? `https://github.com/${source}.git` : undefined;
}

/** Nothing of the repository runs: no hooks, no submodules, no filters of the address. */
async function cloned(url: string, ref: string | undefined, { folder, env }: Wanted): Promise<FetchedPlugin> {
  if (url.startsWith("-") || ref?.startsWith("-") === true)
    throw new UsageError(`invalid git address ${url}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const incoming = await mkdtemp(join(folder, ".incoming-"));
  const path = join(incoming, "plugin");
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never"];
  const branch = ref === undefined ? [] : ["--branch", ref];
  const discard = (): Promise<void> => rm(incoming, { recursive: true, force: true });
  try {
    await run("git", [...quiet, "clone", "-q", "--depth", "1", ...branch, "--", url, path], {
      env: { ...env, GIT_TERMINAL_PROMPT: "0" },
      timeout: CLONE_MS,
    });
  } catch (error) {
    await discard();
    throw new UsageError(
      `cannot clone ${url}: ${(error as Error).message.split("\n").slice(1, 3).join(" ")}`,
    );
  }
  const slug = url
    .replace(/\.git$/, "")
    .split(/[/:]/)
    .slice(-2)
    .join("-")
    .replaceAll(/[^\w.-]/g, "_");
  return {
    path,
    marketplace: "",
    async keep() {
      const target = join(folder, slug);
      await rm(target, { recursive: true, force: true });
      await rename(path, target);
      await discard();
      return target;
    },
    discard,
  };
}
