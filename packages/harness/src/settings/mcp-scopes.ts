/** MCP servers by scope: `local` and `user` in the user's own files, `project` in `.mcp.json`. */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isShape, type Shape, aString, anObject, checkMembers, oneOf, required } from "@runahead/base";
import type { FoundMcpServer } from "@runahead/mcp";
import { changeFile } from "./change.ts";
import { NotSaved } from "./error.ts";
import { valueOf } from "./json.ts";
import { type McpPlace, type McpServers, mcpServers, mcpServersIn } from "./mcp.ts";
import { parseJson } from "./parse.ts";
import { runaheadHome, checkSurroundings } from "../home.ts";
import { type Where, projectRoot } from "./place.ts";
import { readText } from "./read.ts";

/** Where an MCP server is defined, the strongest first. */
export type McpScope = "local" | "project" | "user";

/** A server with its scope. */
export interface ScopedMcpServer extends FoundMcpServer {
  /** Where it is defined. */
  readonly scope: McpScope;
}

/** All servers that are defined for a folder. */
export interface ScopedMcpServers extends Pick<McpServers, "problems"> {
  /** If two have the same name, only the one of the stronger scope is listed: local, then project, then user. */
  readonly servers: readonly ScopedMcpServer[];
}

/**
 * Reads the MCP servers of all scopes: the project's `.mcp.json`, and `mcp.json` in `~/.runahead` and `.claude.json` in
 * the home folder for the user's own. The user's own are trusted.
 *
 * @example
 * ```ts
 * const { servers } = await scopedMcpServers({ cwd, home, env });
 * console.log(servers.map(({ scope, name }) => `${scope} ${name}`));
 * ```
 */
export async function scopedMcpServers(where: McpPlace): Promise<ScopedMcpServers> {
  checkSurroundings(where, "scopedMcpServers");
  const root = await projectRoot(where.cwd);
  const project = await mcpServers(where);
  const own = await Promise.all(ownFiles(where).map((path) => ownServers(path, root, where)));
  const all: ScopedMcpServer[] = [
    ...own.flatMap(({ local }) => local.servers.map((one) => ({ ...one, scope: "local" as const }))),
    ...project.servers.map((one) => ({ ...one, scope: "project" as const })),
    ...own.flatMap(({ user }) => user.servers.map((one) => ({ ...one, scope: "user" as const }))),
  ];
  const problems = own.flatMap(({ local, user }) => [...local.problems, ...user.problems]);
  return {
    servers: all.filter(({ name }, at) => all.findIndex((other) => other.name === name) === at),
    problems: [...project.problems, ...problems],
  };
}

function ownFiles(where: Where): readonly string[] {
  return [ownFile(where), join(where.home, ".claude.json")];
}

function ownFile(where: Where): string {
  return join(runaheadHome(where), "mcp.json");
}

const NONE: McpServers = { servers: [], problems: [] };

async function ownServers(
  path: string,
  root: string,
  where: McpPlace,
): Promise<{ readonly user: McpServers; readonly local: McpServers }> {
  const file = await readText(path);
  if (file.type !== "text") return { user: NONE, local: NONE };
  const parsed = parseJson(file.text);
  const value = parsed.type === "broken" ? undefined : valueOf(parsed.node);
  if (!isShape(value))
    return { user: mcpServersIn(file.text, { ...where, path, isTrusted: true }), local: NONE };
  const projects = isShape(value["projects"]) ? value["projects"] : {};
  const inProject = projects[root] ?? projects[where.cwd];
  const serversOf = (held: Shape): McpServers =>
    isShape(held["mcpServers"])
      ? mcpServersIn(JSON.stringify({ mcpServers: held["mcpServers"] }), { ...where, path, isTrusted: true })
      : NONE;
  return { user: serversOf(value), local: isShape(inProject) ? serversOf(inProject) : NONE };
}

const SCOPE = oneOf("local", "project", "user");

/** Where a server is added to or removed from. */
interface ScopePlace extends Where {
  readonly scope: McpScope;
  readonly name: string;
}

/**
 * Adds a server in the form of `.mcp.json`, or replaces the one with this name. Undefined removes it. Resolves with the
 * path of the file, or undefined if there was nothing to remove.
 *
 * @throws {NotSaved} if the file cannot be read or written.
 * @example
 * ```ts
 * await changeMcpServer({ cwd, home, env, scope: "project", name: "docs" }, { command: "docs-server" });
 * ```
 */
export async function changeMcpServer(
  place: ScopePlace,
  server: Shape | undefined,
): Promise<string | undefined> {
  const { path, before } = await exchangeMcpServer(place, server);
  return server === undefined && before === undefined ? undefined : path;
}

/** The same, and returns what the file had before under this name. */
export async function exchangeMcpServer(
  place: ScopePlace,
  server: Shape | undefined,
): Promise<{ readonly path: string; readonly before: unknown }> {
  checkSurroundings(place, "changeMcpServer");
  checkMembers(place, { scope: required(SCOPE), name: required(aString) }, "changeMcpServer");
  anObject(server, 'changeMcpServer: "server"');
  const { scope, name, ...where } = place;
  const root = await projectRoot(where.cwd);
  const path = scope === "project" ? join(root, ".mcp.json") : ownFile(where);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let replaced: unknown;
  await changeFile({ path, mode: scope === "project" ? 0o644 : 0o600 }, async () => {
    const before = await readShape(path);
    const holder = scope === "local" ? memberOf(memberOf(before, "projects"), root) : before;
    const { [name]: found, ...others } = memberOf(holder, "mcpServers");
    replaced = found;
    const left = server === undefined ? others : { ...others, [name]: server };
    const changed = { ...holder, mcpServers: left };
    const projects = { ...memberOf(before, "projects"), [root]: changed };
    return `${JSON.stringify(scope === "local" ? { ...before, projects } : changed, undefined, 2)}\n`;
  });
  return { path, before: replaced };
}

function memberOf(from: Shape, name: string): Shape {
  const value = from[name];
  return isShape(value) ? value : {};
}

async function readShape(path: string): Promise<Shape> {
  const file = await readText(path);
  if (file.type === "missing") return {};
  if (file.type === "unreadable") throw new NotSaved(path, file.why);
  const parsed = parseJson(file.text);
  if (parsed.type === "broken") throw new NotSaved(path, `invalid JSON at ${parsed.why}`);
  const value = valueOf(parsed.node);
  if (!isShape(value)) throw new NotSaved(path, "expected a JSON object");
  return value;
}
