/** Checks the options of `connectMcp` and `loginMcp`, also from plain JavaScript. */

import {
  type Check,
  type Shape,
  aBoolean,
  aFunction,
  aNumberFromZero,
  aString,
  anArray,
  anObject,
  checkOptions,
  isShape,
  oneOf,
  rejectMisspelt,
  required,
  strings,
  withOptions,
  wrong,
} from "@runahead/base";
import type { McpOptions } from "./connect.ts";
import type { McpLogin } from "./login.ts";
import type { FoundMcpServer } from "./mcp-server.ts";
import type { Limits } from "./open-spec.ts";

/** A check for every member of a type: a missing one does not compile. */
type Checks<Options> = Readonly<Record<keyof Options, Check>>;

const LIMITS: Checks<Limits> = {
  connectMs: aNumberFromZero,
  idleMs: aNumberFromZero,
  callMs: aNumberFromZero,
  mostMessageBytes: aNumberFromZero,
  mostPages: aNumberFromZero,
  retryMs: aNumberFromZero,
  mostRetryMs: aNumberFromZero,
  mostRetries: aNumberFromZero,
};

const OPTIONS: Checks<McpOptions> = {
  servers: required(anArray),
  onNotice: required(aFunction),
  approvals: anObject,
  clientInfo: anObject,
  cwd: aString,
  env: anObject,
  added: anObject,
  limits: withOptions(LIMITS),
  askBack: anObject,
  credentials: anObject,
  tellsUntrusted: aBoolean,
};

const LOGIN: Checks<McpLogin> = {
  url: required(aString),
  credentials: required(anObject),
  open: required(aFunction),
  signal: required(anObject),
  clientName: aString,
  port: aNumberFromZero,
  scope: aString,
  clientMetadataUrl: aString,
  client: withOptions({ id: required(aString), secret: aString }),
};

const FOUND: Checks<FoundMcpServer> = {
  source: aString,
  name: required(aString),
  path: required(aString),
  trusted: required(aBoolean),
  server: required(aServer),
  tools: withOptions({ only: strings, without: strings, ask: strings }),
  alwaysLoad: aBoolean,
};

/** What each kind of server needs. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  host: { connect: required(aFunction) },
  stdio: { command: required(aString), args: required(strings), env: required(anObject) },
  http: { url: required(aString), headers: required(anObject) },
  sse: { url: required(aString), headers: required(anObject) },
  ws: { url: required(aString), headers: required(anObject) },
};

function aServer(value: unknown, what: string): void {
  if (!isShape(value)) throw wrong(what, 'an object such as { type: "stdio", command, args, env }', value);
  const type = value["type"];
  required(oneOf(...Object.keys(NEEDS)))(type, `${what}: "type"`);
  for (const [name, check] of Object.entries(NEEDS[type as string] ?? {}))
    check(value[name], `${what}: "${name}"`);
}

export function checkMcpOptions(options: McpOptions): void {
  checkOptions(options, OPTIONS, "connectMcp");
  checkServers(options.servers, "connectMcp: servers");
}

export function checkServers(servers: readonly FoundMcpServer[], what: string): void {
  required(anArray)(servers, what);
  for (const [at, server] of servers.entries()) {
    const where = `${what}[${at}]`;
    // Programs can keep their own members beside those of a server.
    rejectMisspelt(server, Object.keys(FOUND), where);
    for (const [name, check] of Object.entries(FOUND))
      check((server as unknown as Shape)[name], `${where}: "${name}"`);
  }
}

export function checkLogin(login: McpLogin): void {
  checkOptions(login, LOGIN, "loginMcp");
}
