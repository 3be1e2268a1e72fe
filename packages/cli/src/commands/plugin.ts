/** `runahead plugin`: adds, lists and removes plugins. */

import {
  type InstalledPlugin,
  type LoadedSettings,
  type Plugin,
  definedAgents,
  loadSettings,
  pluginStore,
  promptFiles,
  readPlugin,
} from "@runahead/harness";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import { UsageError } from "@runahead/harness";
import { knownMarketplaces, marketplaceObjection, pluginState } from "@runahead/harness/internal";
import { reveal } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";
import { type FetchedPlugin, dependenciesIn } from "./plugin-download.ts";
import { fetchPlugin } from "./plugin-source.ts";

export interface AddFlags {
  readonly yes?: boolean;
}

/** Shows what a plugin would switch on, and adds it with `--yes`. */
export async function addPlugin(
  world: World,
  { source, name }: { readonly source: string; readonly name: string | undefined },
  { yes = false }: AddFlags,
): Promise<number> {
  const settings = await loadSettings(world);
  const offers: Offer[] = [];
  try {
    offers.push(await offerOf(world, fromKnown(source, name, settings), settings));
    const missing = await addNeeded(world, offers, settings);
    for (const [at, { plugin }] of offers.entries())
      world.print([...(at === 0 ? [] : [""]), ...(await preview(world, plugin))].map(reveal).join("\n"));
    for (const message of [...missing, ...trustMessages(settings)]) world.print(`\n${reveal(message)}`);
    if (!yes) {
      const what = offers.length === 1 ? "it" : "them";
      world.print(`\nNot added. To trust and add ${what}, run the command again with --yes.`);
      await discardAll(offers);
      return EXIT.done;
    }
  } catch (error) {
    await discardAll(offers);
    throw error;
  }
  return keepAll(world, offers);
}

/** A plugin that was fetched and read, and is not added yet. */
interface Offer {
  readonly source: string;
  readonly fetched: FetchedPlugin;
  readonly plugin: Plugin;
}

interface Chosen {
  readonly source: string;
  readonly name: string | undefined;
}

async function offerOf(world: World, wanted: Chosen, settings: LoadedSettings): Promise<Offer> {
  const chosen = located(wanted, world);
  const objection = marketplaceObjection(chosen.source, settings, world.cwd);
  if (objection !== undefined) throw new UsageError(objection);
  const { folder } = pluginStore(world);
  const fetched = await fetchPlugin({ ...chosen, cwd: world.cwd, folder, env: world.env });
  const { path: root, entry } = fetched;
  try {
    const plugin = await readPlugin({ root, env: world.env, ...(entry === undefined ? {} : { entry }) });
    return { source: chosen.source, fetched, plugin };
  } catch (error) {
    await fetched.discard();
    throw error;
  }
}

/** Adds the plugins that the offered ones need. Returns what to do about those that were not found. */
async function addNeeded(world: World, offers: Offer[], settings: LoadedSettings): Promise<string[]> {
  const installed = (await pluginStore(world).list()).map(({ id }) => id.split("@", 1)[0]);
  const missing: string[] = [];
  // The list grows while it is walked through: a plugin that is needed can need others.
  for (const { source, fetched, plugin } of offers)
    for (const { name, marketplace } of plugin.dependencies) {
      if (installed.includes(name) || offers.some((offer) => offer.plugin.name === name)) continue;
      const isHere =
        fetched.marketplace !== "" && (marketplace ?? fetched.marketplace) === fetched.marketplace;
      const known = knownMarketplaces(settings).find((one) => one.name === marketplace);
      const from = isHere ? source : known?.source;
      const needed = `${plugin.name} needs the plugin ${name}${marketplace === undefined ? "" : `@${marketplace}`}`;
      if (from === undefined) missing.push(`${needed}. Add it too: runahead plugin add SOURCE`);
      else
        await offerOf(world, { source: from, name }, settings).then(
          (offer) => offers.push(offer),
          (error: unknown) => missing.push(`${needed}, which cannot be added: ${wordsOf(error)}`),
        );
    }
  return missing;
}

async function keepAll(world: World, offers: readonly Offer[]): Promise<number> {
  const store = pluginStore(world);
  try {
    for (const { source, fetched, plugin } of offers) {
      const { marketplace, entry } = fetched;
      const id = marketplace === "" ? plugin.name : `${plugin.name}@${marketplace}`;
      const path = await fetched.keep();
      await store.add({ id, path, source, isEnabled: true, ...(entry === undefined ? {} : { entry }) });
      world.print(`\nAdded ${id} (saved in ${store.path}).`);
    }
  } finally {
    await discardAll(offers);
  }
  return EXIT.done;
}

async function discardAll(offers: readonly Offer[]): Promise<void> {
  await Promise.all(offers.map(({ fetched }) => fetched.discard()));
}

/** `name@marketplace`, for a marketplace of `extraKnownMarketplaces`. */
function fromKnown(source: string, name: string | undefined, settings: LoadedSettings): Chosen {
  const [, plugin, marketplace] = /^([\w.-]+)@([\w.-]+)$/.exec(source) ?? [];
  if (plugin === undefined || name !== undefined) return { source, name };
  const known = knownMarketplaces(settings);
  const found = known.find((one) => one.name === marketplace);
  if (found !== undefined) return { source: found.source, name: plugin };
  const names = known.map((one) => one.name).join(", ");
  throw new UsageError(
    `extraKnownMarketplaces has no marketplace ${marketplace}. Known: ${names === "" ? "none" : names}`,
  );
}

/** A folder that exists is meant before a repository with the same name, and has one spelling. */
function located(chosen: Chosen, { cwd }: World): Chosen {
  const path = resolve(cwd, chosen.source);
  return existsSync(path) ? { ...chosen, source: path } : chosen;
}

/** `pluginTrustMessage`, which counts in managed settings only. */
function trustMessages({ other }: LoadedSettings): string[] {
  return (other.get("pluginTrustMessage") ?? []).flatMap(({ value, level }) =>
    level === "managed" && typeof value === "string" && value.trim() !== "" ? [value.trim()] : [],
  );
}

export async function listPlugins(world: World): Promise<number> {
  const plugins = await pluginStore(world).list();
  const settings = await loadSettings(world);
  const lines = plugins.map((plugin) => {
    const { isOn, from } = pluginState(plugin, settings);
    const by = from === undefined ? "" : ` by ${from}`;
    return `${plugin.id}  ${isOn ? "enabled" : "disabled"}${by}  ${plugin.path}`;
  });
  world.print(lines.length === 0 ? "No plugins." : lines.map(reveal).join("\n"));
  return EXIT.done;
}

export async function removePlugin(world: World, name: string): Promise<number> {
  const store = pluginStore(world);
  const plugin = await pluginNamed(world, name);
  await store.remove(plugin.id);
  // Only a clone belongs to Runahead; a folder of the user stays.
  const clone = cloneOf(plugin.path, store.folder);
  const others = await store.list();
  if (clone !== undefined && !others.some(({ path }) => cloneOf(path, store.folder) === clone))
    await rm(clone, { recursive: true, force: true });
  world.print(`Removed ${reveal(plugin.id)}.`);
  return EXIT.done;
}

/** The clone that a folder is part of. */
function cloneOf(path: string, folder: string): string | undefined {
  const [first] = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split("/") : [];
  return first === undefined || first === "" ? undefined : `${folder}/${first}`;
}

export async function switchPlugin(world: World, name: string, isEnabled: boolean): Promise<number> {
  const plugin = await pluginNamed(world, name);
  await pluginStore(world).add({ ...plugin, isEnabled });
  const { isOn, from } = pluginState({ ...plugin, isEnabled }, await loadSettings(world));
  const but = isOn === isEnabled ? "" : `, but enabledPlugins in ${from} turns it ${isOn ? "on" : "off"}`;
  world.print(reveal(`${plugin.id} is ${isEnabled ? "enabled" : "disabled"}${but}.`));
  return EXIT.done;
}

async function pluginNamed(world: World, name: string): Promise<InstalledPlugin> {
  const plugins = await pluginStore(world).list();
  const found = plugins.filter(({ id }) => id === name || id.split("@", 1)[0] === name);
  const [plugin] = found;
  if (plugin !== undefined && found.length === 1) return plugin;
  const names = plugins.map(({ id }) => id).join(", ");
  throw new UsageError(
    found.length > 1
      ? `several plugins are called ${name}: ${found.map(({ id }) => id).join(", ")}`
      : `there is no plugin ${name}. Plugins: ${names === "" ? "none" : names}`,
  );
}

/** Everything that the plugin would switch on, most important first. */
async function preview(world: World, plugin: Plugin): Promise<string[]> {
  const where = { ...world, isTrusted: false };
  const more = { skills: plugin.skills, commands: plugin.commands };
  const isHere = ({ path }: { readonly path: string }): boolean => path.startsWith(plugin.root);
  const prompts = (await promptFiles({ ...where, more })).files.filter(isHere);
  const agents = (await definedAgents({ ...where, more: plugin.agents })).agents.filter(isHere);
  const hooks = Object.entries(plugin.hooks).map(([event, groups]) => `${event}: ${JSON.stringify(groups)}`);
  const servers = plugin.servers.map(({ name, server }) => `${name}: ${JSON.stringify(server)}`);
  const words = ({ name, allowedTools }: (typeof prompts)[number]): string =>
    allowedTools.length === 0 ? `/${name}` : `/${name} (allows ${allowedTools.join(", ")})`;
  return [
    `Plugin ${plugin.name}${plugin.description === "" ? "" : `: ${plugin.description}`}`,
    ...section("Hooks (commands that would run)", hooks),
    ...section("MCP servers (would be started)", servers),
    ...section(
      "Language servers (would be started)",
      plugin.languageServers.map((server) => `${server.name}: ${JSON.stringify(server)}`),
    ),
    ...section("Skills and commands", prompts.map(words)),
    ...section(
      "Sub-agents",
      agents.map(({ name }) => name),
    ),
    ...section(
      "Problems",
      plugin.problems.map(({ message }) => message),
    ),
    ...section("Not installed (run npm install in its folder if it needs them)", await notInstalled(plugin)),
  ];
}

/** Packages that its hooks and servers could need. */
async function notInstalled({ root, hooks, servers }: Plugin): Promise<readonly string[]> {
  if (Object.keys(hooks).length === 0 && servers.length === 0) return [];
  return existsSync(join(root, "node_modules")) ? [] : dependenciesIn(root);
}

function section(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ["", title, ...items.map((item) => `  ${item}`)];
}
