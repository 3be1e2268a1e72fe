/** `runahead mcp`: adds, lists and removes MCP servers, and logs in at them. */

import {
  type McpScope,
  type ScopedMcpServer,
  UsageError,
  changeMcpServer,
  loginMcp,
  mcpCredentials,
  mcpServersIn,
  scopedMcpServers,
} from "@runahead/harness";
import { exchangeMcpServer } from "@runahead/harness/internal";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import { openPage } from "../shared/open-page.ts";
import { strip } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";

export interface AddFlags {
  readonly scope: McpScope;
  readonly transport?: "stdio" | "http" | "sse";
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

const NAME = /^[\w-]+$/;

/** `target` is a program or an address. */
export async function addServer(
  world: World,
  {
    name,
    target,
    args,
  }: { readonly name: string; readonly target: string; readonly args: readonly string[] },
  flags: AddFlags,
): Promise<number> {
  if (!NAME.test(name)) throw new UsageError(`invalid name ${name}: use only letters, digits, "-" and "_"`);
  const { transport = /^https?:\/\//.test(target) ? "http" : "stdio" } = flags;
  // A variable can stand for the start of the address.
  if (transport !== "stdio" && !/^(?:https?:\/\/|\$\{)/i.test(target))
    throw new UsageError(`${target} is not an address such as https://host/mcp`);
  const server =
    transport === "stdio"
      ? { command: target, args, env: pairs(flags.env, "=", "--env") }
      : { type: transport, url: target, headers: pairs(flags.header, ":", "--header") };
  return save(world, { name, scope: flags.scope }, server);
}

export async function addJson(
  world: World,
  { name, json }: { readonly name: string; readonly json: string },
  { scope }: Pick<AddFlags, "scope">,
): Promise<number> {
  let server: unknown;
  try {
    server = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`the server is not valid JSON: ${wordsOf(error)}`);
  }
  return save(world, { name, scope }, server as Record<string, unknown>);
}

async function save(
  world: World,
  { name, scope }: { readonly name: string; readonly scope: McpScope },
  server: Readonly<Record<string, unknown>>,
): Promise<number> {
  const text = JSON.stringify({ mcpServers: { [name]: server } });
  const { problems } = mcpServersIn(text, { path: "the server", isTrusted: false, env: {} });
  const problem = problems.find(({ severity }) => severity !== "note");
  if (problem !== undefined) throw new UsageError(problem.message);
  const { path, before } = await exchangeMcpServer({ ...placeOf(world), scope, name }, server);
  world.print(
    before === undefined
      ? `Added the MCP server ${name} (${scope}) to ${path}.`
      : `Replaced the MCP server ${name} (${scope}) in ${path}. It was: ${startOf(before)}`,
  );
  const { servers } = await scopedMcpServers(placeOf(world));
  const used = servers.find((one) => one.name === name);
  if (used !== undefined && used.scope !== scope)
    world.print(`It is not used here: ${name} (${used.scope}) in ${used.path} comes first.`);
  return EXIT.done;
}

/** How the server is reached, without variables and headers, which can hold secrets. */
function startOf(server: unknown): string {
  const { url, command, args } = (server ?? {}) as Readonly<Record<string, unknown>>;
  const parts = [url ?? command, ...(Array.isArray(args) ? (args as unknown[]) : [])];
  return strip(parts.filter((part) => typeof part === "string").join(" "));
}

export async function removeServer(
  world: World,
  name: string,
  { scope }: { scope?: McpScope },
): Promise<number> {
  const scopes: readonly McpScope[] = scope === undefined ? ["local", "project", "user"] : [scope];
  for (const one of scopes) {
    const path = await changeMcpServer({ ...placeOf(world), scope: one, name }, undefined);
    if (path === undefined) continue;
    world.print(`Removed the MCP server ${name} (${one}) from ${path}.`);
    return EXIT.done;
  }
  const { servers } = await scopedMcpServers(placeOf(world));
  const other = servers.find((one) => one.name === name && (scope ?? one.scope) === one.scope);
  if (other !== undefined)
    throw new UsageError(`${name} is defined in ${other.path}, a file of another program: remove it there`);
  throw new UsageError(
    `there is no MCP server named ${name}${scope === undefined ? "" : ` in the scope ${scope}`}`,
  );
}

export async function listServers(world: World, { json = false }: { json?: boolean }): Promise<number> {
  const { servers, problems } = await scopedMcpServers(placeOf(world));
  for (const { message } of problems) world.complain(message);
  if (json) world.print(JSON.stringify(servers.map(shownAs), undefined, 2));
  else if (servers.length === 0)
    world.print("No MCP servers. Add one with: runahead mcp add NAME COMMAND-OR-URL");
  else
    world.print(servers.map((one) => `${one.name} (${one.scope}): ${whatOf(one)}${trustOf(one)}`).join("\n"));
  return EXIT.done;
}

export async function showServer(world: World, name: string): Promise<number> {
  const found = await serverNamed(world, name);
  const login = "url" in found.server ? await loginsOf(world).place(found.server.url) : undefined;
  const lines = [
    `${found.name}:`,
    `  scope: ${found.scope} (${found.path})`,
    `  ${found.server.type}: ${whatOf(found)}${trustOf(found)}`,
    ...("url" in found.server ? [`  login: ${login === undefined ? "none" : `saved in ${login}`}`] : []),
  ];
  world.print(lines.join("\n"));
  return EXIT.done;
}

/** Five minutes to log in. */
const MOST_LOGIN_MS = 300_000;

export async function logIn(
  world: World,
  name: string,
  flags: { scope?: string; port?: string },
): Promise<number> {
  const { server } = await trustedServer(world, name);
  const open = (url: string): void => {
    world.print(`Open this page to log in at ${name}:\n${url}`);
    openPage(world.env, url);
  };
  const { clientId: id, clientSecret, callbackPort } = server.oauth ?? {};
  const secret = clientSecret ?? world.env["MCP_CLIENT_SECRET"];
  const port = flags.port === undefined ? callbackPort : Number(flags.port);
  const credentials = loginsOf(world);
  await loginMcp({
    url: server.url,
    credentials,
    open,
    signal: AbortSignal.timeout(MOST_LOGIN_MS),
    ...(flags.scope === undefined ? {} : { scope: flags.scope }),
    ...(port === undefined ? {} : { port }),
    ...(id === undefined ? {} : { client: { id, ...(secret === undefined ? {} : { secret }) } }),
  }).catch((error: unknown) => {
    throw new UsageError(`cannot log in at ${name}: ${wordsOf(error)}`);
  });
  const place = await credentials.place(server.url);
  world.print(`Logged in at ${name}.${place === undefined ? "" : ` The login is saved in ${place}.`}`);
  return EXIT.done;
}

export async function logOut(world: World, name: string): Promise<number> {
  const { server } = await networkServer(world, name);
  await loginsOf(world).save(server.url, undefined);
  world.print(`Removed the login of ${name} from this computer.`);
  return EXIT.done;
}

function loginsOf(world: World) {
  return mcpCredentials({ ...placeOf(world), onNotice: (message) => world.complain(message) });
}

function placeOf({ cwd, home, env }: World) {
  return { cwd, home, env };
}

async function serverNamed(world: World, name: string): Promise<ScopedMcpServer> {
  const { servers } = await scopedMcpServers(placeOf(world));
  const found = servers.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = servers.map((one) => one.name).join(", ");
  throw new UsageError(`there is no MCP server named ${name}. Servers: ${names === "" ? "none" : names}`);
}

async function networkServer(world: World, name: string) {
  const found = await serverNamed(world, name);
  const { server } = found;
  if (!("url" in server))
    throw new UsageError(`${name} is a process; only servers with an address have a login`);
  return { ...found, server };
}

/** A folder that is not trusted must not send the user to a page of its choice. */
async function trustedServer(world: World, name: string) {
  const found = await networkServer(world, name);
  if (!found.trusted)
    throw new UsageError(`${name} is defined in a folder that is not trusted; run \`runahead trust\` first`);
  return found;
}

function whatOf({ server }: ScopedMcpServer): string {
  if (server.type === "stdio") return strip([server.command, ...server.args].join(" "));
  return server.type === "host" ? "" : strip(server.url);
}

function trustOf({ trusted }: ScopedMcpServer): string {
  return trusted ? "" : " (not started: the folder is not trusted)";
}

function shownAs({ name, scope, path, trusted, server }: ScopedMcpServer): object {
  return { name, scope, path, trusted, ...server };
}

function pairs(given: readonly string[] = [], separator: string, flag: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(separator);
      if (at < 1) throw new UsageError(`${flag} must be NAME${separator}VALUE, got ${text.slice(0, 40)}`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}
