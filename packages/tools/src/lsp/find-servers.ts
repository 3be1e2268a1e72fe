/** Finds the language servers that can be started: those of the settings, then those that are installed. */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { KNOWN_SERVERS, type KnownServer } from "./known-servers.ts";
import type { FoundServer, LanguageServerSpec } from "./server-spec.ts";

const STARTUP_MS = 30_000;

export interface Search {
  /** The folder whose programs need trust: the repository. */
  readonly root: string;
  readonly isTrusted: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Servers of the settings and plugins. */
  readonly servers: readonly LanguageServerSpec[];
  /** Whether installed servers are used. */
  readonly usesInstalled: boolean;
  /** Names of installed servers that are not used. */
  readonly turnedOff: readonly string[];
}

export interface Found {
  readonly servers: readonly FoundServer[];
  /** Servers of the settings whose program does not exist, as texts for the user. */
  readonly problems: readonly string[];
}

/** Those of the settings come first, so they win where several handle an extension. */
export function findServers(search: Search): Found {
  const problems: string[] = [];
  const named = search.servers.flatMap((spec) => {
    const program = programOf(spec.command, search);
    if (program !== undefined) return [namedServer(spec, program, search)];
    problems.push(`Language server ${spec.name}: the program ${spec.command} was not found.`);
    return [];
  });
  const taken = new Set(named.flatMap(({ languages }) => [...languages.keys()]));
  const isOff = (name: string): boolean => !search.usesInstalled || search.turnedOff.includes(name);
  const installed = KNOWN_SERVERS.filter(({ name }) => !isOff(name));
  const servers = [...named];
  for (const known of installed) {
    const isTaken = Object.keys(known.languages).every((extension) => taken.has(extension));
    const server = isTaken ? undefined : installedServer(known, search);
    if (server === undefined) continue;
    servers.push(server);
    // A server that cannot start here must not keep another one from doing so.
    if (search.isTrusted || !server.needsTrust)
      for (const extension of server.languages.keys()) taken.add(extension);
  }
  return { servers, problems };
}

function namedServer(spec: LanguageServerSpec, program: string, search: Search): FoundServer {
  const known = KNOWN_SERVERS.find((one) => one.program === basename(program));
  const languages = Object.entries(spec.extensionToLanguage).map(
    ([extension, language]) =>
      [`${extension.startsWith(".") ? "" : "."}${extension.toLowerCase()}`, language] as const,
  );
  return {
    name: spec.name,
    program,
    args: spec.args ?? [],
    languages: new Map(languages),
    env: { ...search.env, ...spec.env },
    initializationOptions: spec.initializationOptions,
    settings: spec.settings,
    startupMs: spec.startupTimeoutMs ?? STARTUP_MS,
    // It runs programs of the workspace no matter where it is configured.
    needsTrust: spec.needsTrust === true || known?.needsTrust === "always",
    isNamed: true,
  };
}

/** A server that was not asked for must not download packages. */
const OFFLINE = { npm_config_offline: "true", CARGO_NET_OFFLINE: "true", GOPROXY: "off", GOVCS: "*:off" };

function installedServer(known: KnownServer, search: Search): FoundServer | undefined {
  const { name, args, languages, options } = known;
  const program = programOf(known.program, search);
  if (program === undefined || known.isUsable?.(program, search.env) === false) return undefined;
  const chosen = options?.(program, search.isTrusted);
  return {
    name,
    program,
    args,
    languages: new Map(Object.entries(languages)),
    env: { ...search.env, ...OFFLINE },
    initializationOptions: chosen,
    settings: known.settings,
    startupMs: STARTUP_MS,
    needsTrust: known.needsTrust === "always" || (options !== undefined && chosen === undefined),
    isNamed: false,
  };
}

/** Programs of the repository, also in `node_modules/.bin`, are used only if it is trusted. */
function programOf(command: string, { root, isTrusted, env }: Search): string | undefined {
  if (isAbsolute(command)) return isUsable(command, root, isTrusted) ? command : undefined;
  if (command.includes("/"))
    return isTrusted ? programOf(join(root, command), trusted(root, env)) : undefined;
  const own = isTrusted ? [join(root, "node_modules", ".bin")] : [];
  const folders = [...own, ...(env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder))];
  return folders.map((folder) => join(folder, command)).find((path) => isUsable(path, root, isTrusted));
}

function trusted(root: string, env: Search["env"]): Search {
  return { root, isTrusted: true, env, servers: [], usesInstalled: false, turnedOff: [] };
}

function isUsable(path: string, root: string, isTrusted: boolean): boolean {
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) return false;
    return isTrusted || [path, realpathSync(path)].every((one) => !isOfWorkspace(one, realpathSync(root)));
  } catch {
    return false;
  }
}

/** Inside the repository, or in a `node_modules` of a folder around it. */
function isOfWorkspace(path: string, root: string): boolean {
  if (isInside(path, root)) return true;
  const parts = path.split("/");
  const at = parts.indexOf("node_modules");
  return at >= 0 && isInside(root, parts.slice(0, at).join("/") || "/");
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

/** The folder that a server works in: the repository around the file, or the folder itself. */
export function rootOf(path: string, workspace: string): string {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (isThere(join(folder, ".git"))) return folder;
    if (folder === workspace || dirname(folder) === folder) break;
  }
  return isInside(path, workspace) ? workspace : dirname(path);
}

function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}
