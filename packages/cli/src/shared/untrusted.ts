/** What an untrusted folder contains that has no effect until the user trusts the folder. */

import { realpath } from "node:fs/promises";
import {
  type Explanation,
  type LoadedSettings,
  type McpServer,
  type PromptFile,
  acceptedByTrust,
  definedAgents,
  explainSettings,
  instructions,
  loadSettings,
  mcpServers,
  promptFiles,
  settingsOptions,
} from "@runahead/harness";
import { plural } from "./words.ts";
import type { World } from "./world.ts";
import type { RunFlags } from "./flags.ts";

interface UntrustedKind {
  readonly title: string;
  /** Singular, for counts: `2 hooks`. */
  readonly noun: string;
  /** Each item in full and unescaped: it can contain any character. */
  readonly items: readonly string[];
  /** Whether it would allow or run something, or change what runs. */
  readonly grants: boolean;
}

export interface UntrustedContent {
  readonly root: string;
  /** Kinds that allow or run something come first. Empty kinds are left out. */
  readonly kinds: readonly UntrustedKind[];
  /** What the user accepts by trusting the folder for good, for `Trust.trust`. */
  readonly accepted: readonly string[];
}

type Value = Explanation["values"][number];

export async function untrustedContent(world: World, flags: RunFlags): Promise<UntrustedContent> {
  const settings = await loadSettings({ ...settingsOptions(world, flags), isTrusted: false });
  const isWithoutServers = flags.strictMcpConfig === true;
  const found = isWithoutServers ? [] : (await mcpServers({ ...world, isTrusted: false })).servers;
  const servers = found.map(({ name, server }) => `${name}: ${whereOf(server)}`);
  const isHere = ({ path }: { readonly path: string }): boolean => path.startsWith(`${settings.root}/`);
  const agents = (await definedAgents({ ...world, isTrusted: true })).agents.filter(isHere);
  const prompts = (await promptFiles({ ...world, isTrusted: true })).files.filter(isHere);
  const hooked = [...agents, ...prompts].flatMap(({ name, hooks }) =>
    hooks === undefined ? [] : [`${name}: ${JSON.stringify(hooks)}`],
  );
  const defined = agents.flatMap(({ name, mcpServers: own = [] }) =>
    own.flatMap((one) => (typeof one === "string" ? [] : [`${name}: ${JSON.stringify(one)}`])),
  );
  const plain = prompts.filter(({ allowedTools }) => allowedTools.length === 0);
  const kinds: UntrustedKind[] = [
    ...kindsOf(settings, servers),
    {
      title: "Hooks of sub-agents, skills and commands (commands that would run)",
      noun: "hook of a sub-agent or skill",
      items: hooked,
      grants: true,
    },
    {
      title: "MCP servers of sub-agents (would be started)",
      noun: "MCP server of a sub-agent",
      items: defined,
      grants: true,
    },
    {
      title: "Instruction files outside this folder (would be sent to the model)",
      noun: "outside instruction file",
      items: await importsOutside(world),
      grants: true,
    },
    {
      title: "Skills and commands that allow calls while they are used",
      noun: "skill or command with allow rules",
      items: prompts.filter(({ allowedTools }) => allowedTools.length > 0).map(promptWords),
      grants: true,
    },
    { title: "Sub-agents", noun: "sub-agent", items: agents.map(({ name }) => name), grants: false },
    {
      title: "Slash commands",
      noun: "slash command",
      items: plain.filter(({ kind }) => kind === "command").map(promptWords),
      grants: false,
    },
    {
      title: "Skills",
      noun: "skill",
      items: plain.filter(({ kind }) => kind === "skill").map(promptWords),
      grants: false,
    },
  ];
  return {
    root: settings.root,
    kinds: kinds.filter(({ items }) => items.length > 0),
    accepted: acceptedByTrust(settings),
  };
}

/** Returns one line that says what is ignored and how to change that, or undefined if nothing is ignored. */
export function ignoredNotice({ kinds }: UntrustedContent): string | undefined {
  if (kinds.length === 0) return undefined;
  const counts = kinds.map(({ items, noun }) => plural(items.length, noun)).join(", ");
  return `This folder is not trusted. Ignored: ${counts}. To apply them, run \`runahead trust\` or use --trust.`;
}

/** Most important for the user first. */
function kindsOf(settings: LoadedSettings, servers: readonly string[]): UntrustedKind[] {
  const values = explainSettings(settings).values.filter(({ status }) => status.type === "untrusted");
  const take = (isOne: (key: string) => boolean, words: (value: Value) => readonly string[]): string[] => {
    const taken = values.filter(({ key }) => isOne(key));
    for (const value of taken) values.splice(values.indexOf(value), 1);
    return taken.flatMap(words);
  };
  const is = (wanted: string) => (key: string) => key === wanted;
  const begins = (start: string) => (key: string) => key.startsWith(start);
  const grants = true;
  return [
    {
      title: "Hooks (commands that would run)",
      noun: "hook",
      items: take(begins("hooks."), hookWords),
      grants,
    },
    {
      title: "Allow rules",
      noun: "allow rule",
      items: take((key) => key === "permissions.allow" || key === "permissions.rules", bareWords),
      grants,
    },
    { title: "MCP servers (would be started)", noun: "MCP server", items: servers, grants },
    {
      title: "Language servers (would be started)",
      noun: "group of language servers",
      items: take(is("lspServers"), keyedWords),
      grants,
    },
    {
      title: "Environment variables",
      noun: "environment variable",
      items: take(begins("env."), ({ key, value, from }) => [`${key.slice(4)}=${String(value)} (${from})`]),
      grants,
    },
    {
      title: "Additional directories",
      noun: "additional folder",
      items: take(is("permissions.additionalDirectories"), bareWords),
      grants,
    },
    {
      title: "Permission mode",
      noun: "permission mode",
      items: take(is("permissions.defaultMode"), bareWords),
      grants,
    },
    { title: "Other settings", noun: "other setting", items: take(() => true, keyedWords), grants },
  ];
}

function bareWords({ value, from }: Value): string[] {
  return [`${typeof value === "string" ? value : JSON.stringify(value)} (${from})`];
}

function keyedWords({ key, value, from }: Value): string[] {
  return [`${key}: ${JSON.stringify(value)} (${from})`];
}

/** One line per program of a group. A group in an unusual form is shown as JSON. */
function hookWords(found: Value): string[] {
  const { key, value, from } = found;
  const { matcher = "", hooks, ...others } = value as Readonly<Record<string, unknown>>;
  const isPlain = typeof matcher === "string" && Array.isArray(hooks) && Object.keys(others).length === 0;
  if (!isPlain) return keyedWords(found);
  const event = `${key.slice("hooks.".length)}${matcher === "" ? "" : ` ${matcher}`}`;
  return hooks.map((hook: unknown) => `${event}: ${programOf(hook)} (${from})`);
}

function programOf(hook: unknown): string {
  if (typeof hook !== "object" || hook === null) return JSON.stringify(hook);
  const { type, command, ...others } = hook as Readonly<Record<string, unknown>>;
  if (type !== "command" || typeof command !== "string") return JSON.stringify(hook);
  return Object.keys(others).length === 0 ? command : `${command} ${JSON.stringify(others)}`;
}

function whereOf(server: McpServer): string {
  if (server.type === "host") return "";
  const ofNetwork = (held: Extract<McpServer, { readonly url: string }>): object =>
    held.headersHelper === undefined ? held.headers : { ...held.headers, headersHelper: held.headersHelper };
  const given = server.type === "stdio" ? server.env : ofNetwork(server);
  const what = server.type === "stdio" ? [server.command, ...server.args].map(word).join(" ") : server.url;
  return Object.keys(given).length === 0 ? what : `${what} ${JSON.stringify(given)}`;
}

/** Quotes an argument with a space, so that it does not look like two. */
function word(text: string): string {
  return /^[^\s"'\\]+$/.test(text) ? text : JSON.stringify(text);
}

/** Instruction files that are only read when the folder is trusted. */
async function importsOutside(world: World): Promise<string[]> {
  const pathsIn = async (isTrusted: boolean): Promise<string[]> =>
    (await instructions({ ...world, isTrusted })).files.map(({ path }) => path);
  const now = new Set(await pathsIn(false));
  const added = (await pathsIn(true)).filter((path) => !now.has(path));
  return Promise.all(
    added.map(async (path) => {
      const real = await realpath(path).catch(() => path);
      return real === path ? path : `${path} → ${real}`;
    }),
  );
}

/** With the rules that it would apply while it is used. */
function promptWords({ name, allowedTools }: PromptFile): string {
  return allowedTools.length === 0 ? `/${name}` : `/${name} (allows ${allowedTools.join(", ")})`;
}
