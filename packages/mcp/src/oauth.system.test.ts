import { afterEach, beforeEach, expect, test } from "vitest";
import { type OAuthServer, oauthServer } from "../test/support/oauth-server.ts";
import { connectMcp, type McpConnections } from "./connect.ts";
import { loginMcp } from "./login.ts";
import type { McpCredential, McpCredentials } from "./oauth.ts";

let server: OAuthServer;
let kept: Map<string, McpCredential>;
const open: McpConnections[] = [];

beforeEach(async () => {
  server = await oauthServer();
  kept = new Map();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((mcp) => mcp.close()));
  await server.close();
});

const credentials: McpCredentials = {
  load: async (url) => kept.get(url),
  save: async (url, credential) =>
    void (credential === undefined ? kept.delete(url) : kept.set(url, credential)),
};

async function connect(notices: string[] = []): Promise<McpConnections> {
  const entry = { type: "http", url: server.url, headers: {}, timeoutMs: undefined } as const;
  const mcp = connectMcp({
    servers: [{ name: "safe", path: "settings", trusted: true, server: entry }],
    onNotice: (message) => notices.push(message),
    credentials,
    limits: { retryMs: 10, mostRetries: 1 },
  });
  open.push(mcp);
  await mcp.settled();
  return mcp;
}

/** A browser whose user agrees at once. */
const browser = async (url: string): Promise<void> => {
  await fetch(url);
};

const login = (how: (url: string) => Promise<void> = browser): Promise<void> =>
  loginMcp({ url: server.url, credentials, open: how, signal: AbortSignal.timeout(10_000) });

test("a server that requires a login is not retried, and the notice says what to do", async () => {
  const notices: string[] = [];
  const mcp = await connect(notices);
  expect(mcp.servers()[0]?.state.type).toBe("needs-auth");
  expect(notices).toEqual([
    "The MCP server safe is not available: it requires authentication (HTTP 401): run `runahead mcp login safe`, or add a token as a header in settings",
  ]);
  expect(server.log).not.toContain("register");
});

test("a login registers a client, uses PKCE and keeps the tokens; later connections use and refresh them", async () => {
  await login();
  expect(server.log.filter((what) => what !== "refused")).toEqual(["register", "authorize", "token"]);
  const first = await connect();
  expect([first.servers()[0]?.state.type, first.tools()[0]?.name]).toEqual(["ready", "mcp__safe__who"]);
  const before = kept.get(server.url);
  server.expire();
  const second = await connect();
  expect(second.servers()[0]?.state.type).toBe("ready");
  expect(server.log.filter((what) => what === "refresh")).toHaveLength(1);
  expect(kept.get(server.url)).not.toEqual(before);
});

test("a login asks for the scopes that the server names when it refuses a request", async () => {
  await login();
  expect(server.scopes).toEqual(["read write"]);
});

test("a client that is registered already is used, and refreshed later", async () => {
  server.register("ours");
  const client = { id: "ours", secret: "x" };
  const signal = AbortSignal.timeout(10_000);
  await loginMcp({ url: server.url, credentials, open: browser, signal, client });
  server.expire();
  expect((await connect()).servers()[0]?.state.type).toBe("ready");
  expect(server.log.filter((what) => what !== "refused")).toEqual(["authorize", "token", "refresh"]);
});

test("if the login was revoked, nobody is sent to a browser: a new login is needed, and works", async () => {
  await login();
  server.revoke();
  const mcp = await connect();
  expect(mcp.servers()[0]?.state.type).toBe("needs-auth");
  expect(server.log.filter((what) => what === "authorize")).toHaveLength(1);
  await login();
  expect((await connect()).servers()[0]?.state.type).toBe("ready");
});

test("an answer with a foreign state is refused, a refusal of the user ends the login, and so does the signal", async () => {
  const callbackOf = (url: string): URL => new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
  let status = 0;
  await login(async (url) => {
    const foreign = callbackOf(url);
    foreign.search = "?code=stolen&state=other";
    status = (await fetch(foreign)).status;
    await browser(url);
  });
  expect(status).toBe(400);
  const refused = login(async (url) => {
    const back = callbackOf(url);
    const state = new URL(url).searchParams.get("state") ?? "";
    back.search = new URLSearchParams({ error: "access_denied", error_description: "No.", state }).toString();
    await fetch(back);
  });
  await expect(refused).rejects.toThrow("No.");
  const stopping = new AbortController();
  const waiting = loginMcp({
    url: server.url,
    credentials,
    open: () => stopping.abort(),
    signal: stopping.signal,
  });
  await expect(waiting).rejects.toThrow("the login was cancelled");
});
