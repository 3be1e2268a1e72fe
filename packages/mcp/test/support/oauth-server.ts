/** An authorization server and the MCP server that it protects, on one local address. */

import { createHash, randomUUID } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface Pending {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

export interface OAuthServer {
  readonly url: string;
  /** What happened, in order: register, authorize, token, refresh, refused. */
  readonly log: string[];
  /** The scopes of each login page. */
  readonly scopes: string[];
  /** Knows a client without a registration. */
  register(client: string): void;
  /** Makes the access tokens that were given so far invalid. */
  expire(): void;
  /** Makes all tokens invalid. */
  revoke(): void;
  close(): Promise<void>;
}

export async function oauthServer(): Promise<OAuthServer> {
  const log: string[] = [];
  const scopes: string[] = [];
  /** Clients that were registered by hand, with any address to return to. */
  const known = new Set<string>();
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, Pending>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let origin = "";

  const json = (response: ServerResponse, value: unknown, status = 200): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const tokens = (response: ServerResponse): void => {
    const [token, next] = [randomUUID(), randomUUID()];
    access.add(token);
    refresh.add(next);
    json(response, { access_token: token, token_type: "Bearer", expires_in: 3600, refresh_token: next });
  };

  const routes: Readonly<Record<string, (at: URL, body: string, response: ServerResponse) => void>> = {
    "/.well-known/oauth-protected-resource": (_at, _body, response) =>
      json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] }),
    "/.well-known/oauth-authorization-server": (_at, _body, response) =>
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      }),
    "/register": (_at, body, response) => {
      log.push("register");
      const asked = JSON.parse(body) as { redirect_uris: string[] };
      const id = randomUUID();
      clients.set(id, asked.redirect_uris);
      json(response, { ...asked, client_id: id }, 201);
    },
    "/authorize": ({ searchParams: given }, _body, response) => {
      log.push("authorize");
      scopes.push(given.get("scope") ?? "");
      const [client, redirect] = [given.get("client_id") ?? "", given.get("redirect_uri") ?? ""];
      const isClient = known.has(client) || clients.get(client)?.includes(redirect) === true;
      if (!isClient || given.get("code_challenge_method") !== "S256")
        return json(response, { error: "invalid_request" }, 400);
      const code = randomUUID();
      codes.set(code, { challenge: given.get("code_challenge") ?? "", redirect, client });
      const back = new URL(redirect);
      back.search = new URLSearchParams({ code, state: given.get("state") ?? "", iss: origin }).toString();
      response.writeHead(302, { location: back.href }).end();
    },
    "/token": (_at, body, response) => {
      const given = new URLSearchParams(body);
      if (given.get("grant_type") === "refresh_token") {
        log.push("refresh");
        if (!refresh.delete(given.get("refresh_token") ?? ""))
          return json(response, { error: "invalid_grant" }, 400);
        return tokens(response);
      }
      log.push("token");
      const pending = codes.get(given.get("code") ?? "");
      codes.delete(given.get("code") ?? "");
      const hashed = createHash("sha256")
        .update(given.get("code_verifier") ?? "")
        .digest("base64url");
      const isValid = pending?.challenge === hashed && pending.redirect === given.get("redirect_uri");
      return isValid ? tokens(response) : json(response, { error: "invalid_grant" }, 400);
    },
  };

  const protectedPart = (request: IncomingMessage, body: string, response: ServerResponse): void => {
    // As many servers do: only what is a request of the protocol is refused with 401.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!access.has(token)) {
      log.push("refused");
      const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource", scope="read write"`;
      response.writeHead(401, { "www-authenticate": where }).end();
      return;
    }
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    if (id === undefined) return void response.writeHead(202).end();
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: params?.protocolVersion ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "protected", version: "1" },
      },
      "tools/list": { tools: [{ name: "who", description: "Says who.", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "you" }] },
    };
    const result = results[method];
    json(response, {
      jsonrpc: "2.0",
      id,
      ...(result === undefined ? { error: { code: -32_601, message: "unknown method" } } : { result }),
    });
  };

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const at = new URL(request.url ?? "", origin);
      if (at.pathname === "/mcp") return protectedPart(request, body, response);
      const route = routes[at.pathname.replace(/\/mcp$/, "")];
      return route === undefined ? void response.writeHead(404).end() : route(at, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/mcp`,
    log,
    scopes,
    register: (client) => void known.add(client),
    expire: () => access.clear(),
    revoke: () => {
      access.clear();
      refresh.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
