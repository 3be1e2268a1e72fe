/** Which MCP servers can start: lists of the settings, of the user and of the administrator. */

import { isShape, matchesStars } from "@runahead/base";
import type { FoundMcpServer } from "@runahead/mcp";
import type { LoadedSettings, OtherValue } from "./loaded.ts";

/** Returns why a server is not started; undefined if it can be. */
export type McpObjection = (server: FoundMcpServer) => string | undefined;

/**
 * Reads the lists. `disabledMcpjsonServers` and `deniedMcpServers` restrict in every file, also of an untrusted folder;
 * `allowedMcpServers` of managed settings restricts, and so do those of all other files together, unless
 * `allowManagedMcpServersOnly` is set. A list that cannot be read stops every server that it could name.
 */
export function mcpObjection({
  other,
  entries = [],
}: Pick<LoadedSettings, "other"> & Partial<Pick<LoadedSettings, "entries">>): McpObjection {
  const values = (key: string): readonly OtherValue[] => other.get(key) ?? [];
  const disabled = values("disabledMcpjsonServers");
  const denied = values("deniedMcpServers");
  const { managed, others } = allowLists(values("allowedMcpServers"), entries);
  const allowed = [...managed, ...others];
  const approved = approvals(values);
  return (server) => {
    const broken =
      [...disabled, ...denied, ...allowed].find(({ value }) => !isList(value)) ??
      denied.find(({ value }) => !entriesOf(value).every(isReadable)) ??
      disabled.find(({ value }) => !entriesOf(value).every((entry) => typeof entry === "string"));
    if (broken !== undefined) return `a list of MCP servers in ${broken.name} cannot be read`;
    const forbidding = denied.find(({ value }) => entriesOf(value).some((entry) => isMeant(entry, server)));
    if (forbidding !== undefined) return `deniedMcpServers in ${forbidding.name} forbids it`;
    const lists = (value: OtherValue): boolean => isAllowed(entriesOf(value.value), server);
    const own = others.filter(({ trusted }) => trusted);
    const isListed = own.length === 0 || own.some(lists);
    // The list of an untrusted file restricts too, but it adds nothing to the lists of others.
    const missing =
      [...managed, ...others.filter(({ trusted }) => !trusted)].find((value) => !lists(value)) ??
      (isListed ? undefined : own[0]);
    if (missing !== undefined) return `allowedMcpServers in ${missing.name} does not list it`;
    if (!server.path.endsWith(".mcp.json")) return undefined;
    const off = disabled.find(({ value }) => namesIn(value).includes(server.name));
    if (off !== undefined) return `disabledMcpjsonServers in ${off.name} lists it`;
    return approved(server.name);
  };
}

function allowLists(values: readonly OtherValue[], entries: LoadedSettings["entries"]) {
  const isManaged = ({ level }: OtherValue): boolean => level === "managed";
  const isManagedOnly = entries.some(
    ({ setting, status }) =>
      setting.type === "restriction" &&
      setting.name === "allowManagedMcpServersOnly" &&
      status.type === "in-force",
  );
  return {
    managed: values.filter(isManaged),
    others: isManagedOnly ? [] : values.filter((value) => !isManaged(value)),
  };
}

/** Once the settings choose servers, the others wait for the user. */
function approvals(values: (key: string) => readonly OtherValue[]): (name: string) => string | undefined {
  const isUsable = ({ trusted }: OtherValue): boolean => trusted;
  const lists = values("enabledMcpjsonServers").filter(isUsable);
  const all = values("enableAllProjectMcpServers").filter(isUsable)[0]?.value;
  if (all === true || (lists.length === 0 && all !== false)) return () => undefined;
  const names = lists.flatMap(({ value }) => namesIn(value));
  return (name) =>
    names.includes(name)
      ? undefined
      : "the settings choose servers and do not list it; add it to enabledMcpjsonServers to start it";
}

function isList(value: unknown): boolean {
  return value === null || typeof value === "string" || Array.isArray(value);
}

function entriesOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === null ? [] : [value];
}

/** An entry that cannot be read could forbid any server. */
function isReadable(entry: unknown): boolean {
  if (!isShape(entry)) return typeof entry === "string";
  const { serverName, serverCommand, serverUrl } = entry;
  return typeof serverName === "string" || Array.isArray(serverCommand) || typeof serverUrl === "string";
}

function namesIn(value: unknown): string[] {
  return entriesOf(value).filter((entry) => typeof entry === "string");
}

/** An entry names a server by name, by its command with arguments, or by a pattern of its URL. */
function isMeant(entry: unknown, { name, server }: FoundMcpServer): boolean {
  if (typeof entry === "string") return entry === name;
  if (!isShape(entry)) return false;
  const { serverName, serverCommand, serverUrl } = entry;
  if (typeof serverName === "string" && serverName === name) return true;
  if (Array.isArray(serverCommand) && server.type === "stdio")
    return JSON.stringify(serverCommand) === JSON.stringify([server.command, ...server.args]);
  return typeof serverUrl === "string" && "url" in server && matchesStars(serverUrl, server.url);
}

/** If the list names commands or URLs, a server of that kind must match one of them: a name can be chosen freely. */
function isAllowed(entries: readonly unknown[], found: FoundMcpServer): boolean {
  const key = found.server.type === "stdio" ? "serverCommand" : "serverUrl";
  const ofKind = entries.filter((entry) => isShape(entry) && entry[key] !== undefined);
  return (ofKind.length > 0 ? ofKind : entries).some((entry) => isMeant(entry, found));
}
