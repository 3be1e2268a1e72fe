/** What trust in a folder would switch on: read and shown before anything of it runs. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type McpServer, explainSettings, loadSettings, mcpServers, trustIn } from "@runahead/agent";
import type { RunFlags } from "../run/flags.ts";
import { settingsOptions } from "../run/settings-flags.ts";
import type { World } from "../world.ts";
import type { Choosing } from "./chooser.ts";
import { filesIn, projectFolders } from "./command-files.ts";
import { reveal } from "./safe-text.ts";
import { bold, dim } from "./style.ts";
import { plural } from "./words.ts";

/** Of one kind so many are shown; the others are counted. */
const MOST_SHOWN = 6;
const MOST_CHARS = 200;

/** Undefined where there is nothing to ask about: it is trusted already, or has nothing of its own. */
export async function trustQuestion(world: World, flags: RunFlags): Promise<Choosing | undefined> {
  if (flags.trust === true || flags.bare === true || (await trustIn(world).isTrusted(world.cwd)))
    return undefined;
  const settings = await loadSettings(settingsOptions(world, flags));
  const kinds: readonly (readonly [string, readonly string[]])[] = [
    ["settings", ofSettings(settings)],
    ["servers that would be started", await ofServers(world)],
    ["agents", await namesIn([".runahead", ".claude"].map((name) => join(settings.root, name, "agents")))],
    [
      "commands",
      (await Promise.all(projectFolders(settings.root).map((folder) => filesIn(folder, ""))))
        .flat()
        .map(({ name }) => `/${name}`),
    ],
  ];
  const found = kinds.filter(([, items]) => items.length > 0);
  if (found.length === 0) return undefined;
  return {
    title: "Do you trust this folder?",
    lines: [
      bold(reveal(settings.root)),
      "What it brings with it grants and runs nothing until you do:",
      ...found.flatMap(([kind, items]) => linesOf(kind, items)),
      "",
    ],
    choices: [
      { value: "yes", label: "Yes, from now on" },
      { value: "once", label: "This time only" },
      { value: "no", label: "No", description: "go on without it; deny and ask rules hold anyway" },
    ],
    at: 2,
    isUnasked: true,
  };
}

function linesOf(kind: string, items: readonly string[]): string[] {
  const more = items.length - MOST_SHOWN;
  const shown = items.slice(0, MOST_SHOWN).map((item) => `  ${short(item)}`);
  return [dim(`${kind}:`), ...shown, ...(more > 0 ? [dim(`  and ${plural(more, "other")}`)] : [])];
}

function short(text: string): string {
  const shown = text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
  return reveal(shown).replaceAll("\n", "\\n");
}

function ofSettings(settings: Awaited<ReturnType<typeof loadSettings>>): string[] {
  return explainSettings(settings)
    .values.filter(({ status }) => status.type === "untrusted")
    .map(({ key, value, from }) => `${key}: ${JSON.stringify(value)} (${from})`);
}

async function ofServers(world: World): Promise<string[]> {
  const { servers } = await mcpServers({ ...world, isTrusted: false });
  return servers.map(({ name, server }) => `${name}: ${whereOf(server)}`);
}

function whereOf(server: McpServer): string {
  return server.type === "stdio" ? [server.command, ...server.args].join(" ") : server.url;
}

async function namesIn(folders: readonly string[]): Promise<string[]> {
  const all = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return all.flat().filter((name) => name.endsWith(".md"));
}
