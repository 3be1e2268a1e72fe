/** Logs in at an MCP server: the authorization code flow with PKCE, and a local address that the browser returns to. */

import { randomBytes } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { checkLogin } from "./check-options.ts";
import { McpFailure } from "./failure.ts";
import { type McpCredential, type McpCredentials, oauthProvider } from "./oauth.ts";

/** Options of `loginMcp`. */
export interface McpLogin {
  /** The address of the server. */
  readonly url: string;
  /** Where the registered client and its tokens are kept. */
  readonly credentials: McpCredentials;
  /** Shows the address of the login page to the user, for example in a browser. */
  readonly open: (url: string) => void | Promise<void>;
  /** Ends the wait for the user. */
  readonly signal: AbortSignal;
  /** The name of the program on the login page. Default: Runahead. */
  readonly clientName?: string;
  /** The port of the local address. Default: any free one. */
  readonly port?: number;
  /** The scopes to ask for. Default: those that the server names. */
  readonly scope?: string;
  /** An https address of client metadata that is used as the client id if the server supports it. Default: none. */
  readonly clientMetadataUrl?: string;
  /** A client that is registered at the server already. Default: the server registers a new one. */
  readonly client?: {
    /** The client id. */
    readonly id: string;
    /** The client secret, if the server has given one. */
    readonly secret?: string;
  };
}

const PATH = "/callback";
const STATE_BYTES = 24;

interface Answer {
  readonly code: string;
  readonly iss: string | undefined;
}

/**
 * Logs in at a server and keeps the tokens. Registers a client if the server supports it. Resolves when the login is
 * complete.
 *
 * Rejects if the user refuses, the server does not support OAuth, or the signal is aborted.
 *
 * @example
 * ```ts
 * const held = new Map<string, Readonly<Record<string, unknown>>>();
 * await loginMcp({
 *   url: "https://example.org/mcp",
 *   credentials: {
 *     load: async (url) => held.get(url),
 *     save: async (url, credential) => void (credential === undefined ? held.delete(url) : held.set(url, credential)),
 *   },
 *   open: (url) => console.log(`Open ${url}`),
 *   signal: AbortSignal.timeout(300_000),
 * });
 * ```
 */
export async function loginMcp(login: McpLogin): Promise<void> {
  checkLogin(login);
  const { auth } = await import("@modelcontextprotocol/client");
  const { url, credentials, open, signal, clientName = "Runahead", scope, clientMetadataUrl } = login;
  const state = randomBytes(STATE_BYTES).toString("base64url");
  const callback = await listen(login.port ?? 0, state, signal);
  try {
    // A client that was registered for another port would be refused.
    await credentials.save(url, registered(login));
    const redirectUrl = `http://127.0.0.1:${callback.port}${PATH}`;
    const how = { redirectUrl, open, state, clientName, clientMetadataUrl };
    const provider = oauthProvider(url, credentials, how);
    const found = await challenge(url, signal);
    const asked = { serverUrl: url, ...found, ...(scope === undefined ? {} : { scope }) };
    if ((await auth(provider, asked)) === "AUTHORIZED") return;
    const { code, iss } = await callback.answer;
    await auth(provider, { ...asked, authorizationCode: code, ...(iss === undefined ? {} : { iss }) });
  } finally {
    callback.close();
  }
}

/** What is kept before the login; undefined removes the rest of an earlier one. */
function registered({ client }: McpLogin): McpCredential | undefined {
  if (client === undefined) return undefined;
  const { id, secret } = client;
  return { client: { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) } };
}

/** The first request of a session. Servers that refuse it with 401 often have nothing at all for GET. */
const FIRST_REQUEST = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "runahead", version: "1" },
  },
});

/** The server names its metadata and scopes when it refuses a request. */
async function challenge(
  url: string,
  signal: AbortSignal,
): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  const response = await fetch(url, {
    method: "POST",
    signal,
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: FIRST_REQUEST,
  });
  await response.body?.cancel();
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

interface Callback {
  readonly port: number;
  readonly answer: Promise<Answer>;
  close(): void;
}

async function listen(port: number, state: string, signal: AbortSignal): Promise<Callback> {
  let resolve: (answer: Answer) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const answer = new Promise<Answer>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  // The flow can fail before anybody waits for the answer.
  answer.catch(() => {});
  const stop = (): void => reject(new McpFailure("the login was cancelled"));
  signal.addEventListener("abort", stop, { once: true });
  const server = createServer((request, response) => {
    const read = answerIn(request, state);
    if (read === undefined) return reply(response, 404, "Not found.");
    if (read instanceof Error) {
      reply(response, 400, `Login failed: ${read.message}. You can close this page.`);
      return read instanceof Foreign ? undefined : reject(read);
    }
    reply(response, 200, "You are logged in. You can close this page.");
    resolve(read);
  });
  await new Promise<void>((ready, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", ready);
  });
  const close = (): void => {
    signal.removeEventListener("abort", stop);
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, answer, close };
}

/** An answer that does not belong to this login: it is refused, and the login goes on. */
class Foreign extends McpFailure {}

/** Returns undefined for another path. */
function answerIn({ url = "" }: IncomingMessage, state: string): Answer | Error | undefined {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  if (pathname !== PATH) return undefined;
  if (searchParams.get("state") !== state) return new Foreign("the answer does not belong to this login");
  const error = searchParams.get("error");
  if (error !== null) return new McpFailure(searchParams.get("error_description") ?? error);
  const code = searchParams.get("code");
  if (code === null) return new McpFailure("the answer has no code");
  return { code, iss: searchParams.get("iss") ?? undefined };
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(text);
}
