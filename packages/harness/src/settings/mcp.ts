/** Reads the servers of a project's `.mcp.json`. Callers must check `trusted` before they start one. */

import { checkSurroundings } from "../home.ts";
import { join } from "node:path";
import {
  type Shape,
  isShape,
  isOwnKey,
  withoutOwnKeys,
  aString,
  anObject,
  checkMembers,
  required,
} from "@runahead/base";
import { valueOf } from "./json.ts";
import type { FoundMcpServer, McpOAuth, McpServer } from "@runahead/mcp";
import { asTexts, asTime, documentedEntry, isFlag, serversOf, withUsableTime } from "./mcp-forms.ts";
import { unusedMembers } from "./mcp-members.ts";
import { toolMembers } from "./mcp-tools.ts";
import { parseJson } from "./parse.ts";
import { type Environment, type Where, projectRoot } from "./place.ts";
import { readText } from "./read.ts";
import type { Problem } from "./setting.ts";
import { trustIn } from "../trust/trust.ts";

/** The MCP servers that were found. */
export interface McpServers {
  /** The servers, in the order of the file. */
  readonly servers: readonly FoundMcpServer[];
  /** Entries that were left out, with the reason. */
  readonly problems: readonly Problem[];
}

export interface McpPlace extends Where {
  readonly isTrusted?: boolean;
  /** API keys that can be filled in. Default: none. */
  readonly passEnv?: readonly string[];
}

/**
 * Reads the MCP servers of the `.mcp.json` of a folder. `${VAR}` is filled in only if the folder is trusted.
 *
 * @example
 * ```ts
 * const { servers } = await mcpServers({ cwd, home, env });
 * ```
 */
export async function mcpServers(where: McpPlace): Promise<McpServers> {
  checkSurroundings(where, "mcpServers");
  const path = join(await projectRoot(where.cwd), ".mcp.json");
  const file = await readText(path);
  if (file.type === "missing") return { servers: [], problems: [] };
  if (file.type === "unreadable") return failed(path, file.why);
  const isTrusted = where.isTrusted ?? (await trustIn(where).isTrusted(where.cwd));
  return mcpServersIn(file.text, { ...where, path, isTrusted });
}

interface McpText extends Pick<McpPlace, "env" | "passEnv"> {
  /** Name of the text in messages. */
  readonly path: string;
  readonly isTrusted: boolean;
}

/**
 * Reads MCP servers from a text in the form of a `.mcp.json`. What is wrong in it is in `problems`.
 *
 * @example
 * ```ts
 * const { servers } = mcpServersIn(text, { path: "servers.json", isTrusted: true, env });
 * ```
 */
export function mcpServersIn(text: string, place: McpText): McpServers {
  required(aString)(text, 'mcpServersIn: "text"');
  checkMembers(place, { path: required(aString), env: required(anObject) }, "mcpServersIn");
  const { path, isTrusted, env, passEnv } = place;
  if (text.trim() === "")
    return { servers: [], problems: [{ ...problem(path, "", "the file is empty"), severity: "note" }] };
  const parsed = parseJson(text);
  if (parsed.type === "broken") return failed(path, `invalid JSON at ${parsed.why}`);
  const value = valueOf(parsed.node);
  const found = isShape(value) ? serversOf(value) : undefined;
  if (found === undefined) return failed(path, 'expected {"mcpServers": { … }}');
  const servers: FoundMcpServer[] = [];
  const problems: Problem[] = [];
  for (const [name, written] of Object.entries(found)) {
    // A remark of the author.
    if (/^[$_/]/.test(name) && !isShape(written)) continue;
    const key = `mcpServers.${name}`;
    const { entry, note } = withUsableTime(documentedEntry(written));
    if (note !== undefined) problems.push({ ...problem(path, key, note), severity: "note" });
    if (isOff(entry)) {
      problems.push({ ...problem(path, key, "it is turned off in this file"), severity: "note" });
      continue;
    }
    const warn = (words: string): number =>
      problems.push({ ...problem(path, key, words), severity: "warning" });
    const filled = isTrusted ? filledIn(entry, withoutOwnKeys(env, passEnv), warn) : entry;
    const read = typeof filled === "string" && isShape(entry) ? filled : serverOf(filled);
    const tools = toolMembers(isShape(entry) ? entry : {});
    const fault = [read, tools].find((one): one is string => typeof one === "string");
    if (fault !== undefined) problems.push(problem(path, key, `${fault}; this server is ignored`));
    if (typeof read !== "string" && typeof tools !== "string") {
      servers.push({ name, path, trusted: isTrusted, server: read, ...tools.members });
      if (tools.allowed.length > 0)
        warn(`tools: always_allow has no effect for ${tools.allowed.join(", ")}: ${USE_RULES}`);
    }
    for (const { severity, words } of isShape(entry) ? unusedMembers(entry) : [])
      problems.push({ ...problem(path, key, words), severity });
  }
  return { servers, problems };
}

const USE_RULES = "put rules such as mcp__server__tool into permissions.allow of the settings";

/** Not documented, but clearly meant: such a server is not started. */
function isOff(entry: unknown): boolean {
  return isShape(entry) && (isFlag(entry["enabled"], false) || isFlag(entry["disabled"], true));
}

/** Returns the server, or what is wrong with the entry. */
function serverOf(entry: unknown): McpServer | string {
  if (!isShape(entry)) return "expected an object";
  const type = entry["type"] ?? entry["transport"] ?? (isText(entry["url"]) ? "http" : "stdio");
  const known = typeof type === "string" ? TYPES[type.toLowerCase().replaceAll(/[-_]/g, "")] : undefined;
  if (known === "stdio") return stdioServer(entry);
  if (known !== undefined) return urlServer(known, entry);
  return `type: expected stdio, http, sse or ws, found ${JSON.stringify(type)}`;
}

/** Words of this and of other programs. */
const TYPES: Readonly<Record<string, "stdio" | "http" | "sse" | "ws">> = {
  stdio: "stdio",
  local: "stdio",
  http: "http",
  streamablehttp: "http",
  remote: "http",
  sse: "sse",
  ws: "ws",
  websocket: "ws",
};

function stdioServer({ command, args = [], env: given, cwd, timeout: limit }: Shape): McpServer | string {
  const [env, timeout] = [asTexts(given), asTime(limit)];
  if (!isText(command)) return "command: expected a string";
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) return "args: expected strings";
  if (!isTexts(env)) return "env: expected an object of strings";
  if (cwd !== undefined && cwd !== null && typeof cwd !== "string") return "cwd: expected a folder";
  if (timeout !== undefined && !isTime(timeout)) return "timeout: expected milliseconds";
  const folder = isText(cwd) ? { cwd } : {};
  return { type: "stdio", command, args, env, ...folder, ...(isTime(timeout) ? { timeoutMs: timeout } : {}) };
}

function urlServer(type: "http" | "sse" | "ws", entry: Shape): McpServer | string {
  const { url, headersHelper, oauth } = entry;
  const [headers, timeout] = [asTexts(entry["headers"]), asTime(entry["timeout"])];
  if (!isText(url)) return "url: expected a string";
  if (!isTexts(headers)) return "headers: expected an object of strings";
  if (timeout !== undefined && !isTime(timeout)) return "timeout: expected milliseconds";
  if (headersHelper !== undefined && !isText(headersHelper)) return "headersHelper: expected a command";
  // Logging in needs no settings.
  const client = oauth === undefined || typeof oauth === "boolean" ? undefined : oauthOf(oauth);
  if (typeof client === "string") return client;
  return {
    type,
    url,
    headers,
    timeoutMs: isTime(timeout) ? timeout : undefined,
    ...(headersHelper === undefined ? {} : { headersHelper }),
    ...(client === undefined ? {} : { oauth: client }),
  };
}

/** Returns how to log in, or what is wrong with it. */
function oauthOf(value: unknown): McpOAuth | string {
  if (!isShape(value)) return "oauth: expected an object";
  const { clientId, clientSecret } = value;
  const callbackPort = asTime(value["callbackPort"]);
  if (clientId !== undefined && !isText(clientId)) return "oauth.clientId: expected a string";
  if (clientSecret !== undefined && !isText(clientSecret)) return "oauth.clientSecret: expected a string";
  if (callbackPort !== undefined && !isPort(callbackPort)) return "oauth.callbackPort: expected a port";
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(callbackPort === undefined ? {} : { callbackPort }),
  };
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

/**
 * Fills variables in all strings, or returns what is wrong. A variable that is not set and has no default stays as it is
 * written.
 */
function filledIn(entry: unknown, env: Environment, warn: (words: string) => void): unknown {
  let withheld: string | undefined;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (isShape(value))
      return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, fill(held)]));
    if (typeof value !== "string") return value;
    const other = OTHER_VARIABLE.exec(value)?.[0];
    if (other !== undefined) warn(`${other} is not filled in: write \${NAME} or \${NAME:-default}`);
    return value.replaceAll(VARIABLE, (whole, name: string, otherwise?: string) => {
      const set = env[name];
      if ((set === undefined || set === "") && otherwise !== undefined) return otherwise;
      if (set !== undefined) return set;
      if (isOwnKey(name)) withheld ??= name;
      else warn(`the variable ${name} is not set and has no default, so it stays as \${${name}}`);
      return whole;
    });
  };
  const filled = fill(entry);
  if (withheld === undefined) return filled;
  return `${withheld} is not passed on to MCP servers; to pass it on, name it in passEnv of your user settings`;
}

/** Forms that shells and editors know, and that are not filled in. */
const OTHER_VARIABLE = /\$\{(?:[A-Za-z_]\w*(?::?[?+=]|-)|(?!env:)[A-Za-z]\w*:(?!-))[^}]*\}/;

/** Editors write `${env:NAME}`. */
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isShape(value) && Object.values(value).every((held) => typeof held === "string");
}

function failed(path: string, why: string): McpServers {
  return { servers: [], problems: [problem(path, "", why)] };
}

function problem(path: string, key: string, words: string): Problem {
  return { severity: "error", path, key, message: `${path}: ${key === "" ? "" : `${key}: `}${words}` };
}
