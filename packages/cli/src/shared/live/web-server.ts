/**
 * Serves the running sessions to a browser on this machine. A one-time token in the address gives the browser a cookie and
 * a key; requests with another Host or Origin are refused, so that no page of another site can reach it. Browsers send
 * cookies to every port of a host, also to servers of others. The key stays in the storage of this port.
 */

import { randomBytes, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { type ToViewer, answerIn } from "./protocol.ts";
import type { ViewedSession, ViewedSessions } from "./sessions.ts";
import { PAGE, STYLE } from "./web-page.ts";
import { SCRIPT } from "./web-script.ts";

interface Options {
  readonly sessions: ViewedSessions;
  /** Default: 127.0.0.1, which no other machine can reach. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
}

export interface WebView {
  /** With the token, which can be used once. */
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
/** All addresses of this machine. */
const EVERYWHERE = new Set(["0.0.0.0", "::"]);
const COOKIE = "runahead_web";
const MOST_BODY = 100_000;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The page has its own script and nothing else; it can neither load nor send anything. */
const TIMELINE_POLICY =
  "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

export async function startWebView({ sessions, host = LOOPBACK, port = 0 }: Options): Promise<WebView> {
  const web = new Web(sessions, host);
  const server = createServer((request, response) => {
    web.answer(request, response).catch(() => send(response, 500, "Internal error."));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  web.listens(address.port);
  const [name = host] = namesOf(host);
  return {
    url: `http://${bracketed(name)}:${address.port}/?token=${web.token}`,
    close: () => closed(server, sessions),
  };
}

/** The names under which a browser can reach the server, the one to print first. */
function namesOf(host: string): string[] {
  const local = [LOOPBACK, "localhost"];
  if (host === LOOPBACK) return local;
  if (!EVERYWHERE.has(host)) return [host];
  const all = Object.values(networkInterfaces()).flatMap((one = []) => one);
  const own = all.filter(({ internal, address }) => !internal && !address.startsWith("fe80:"));
  const usual = own.toSorted((one, other) => one.family.localeCompare(other.family));
  return [...usual.map(({ address }) => address), ...local, "::1", hostname().toLowerCase()];
}

function bracketed(name: string): string {
  return name.includes(":") ? `[${name}]` : name;
}

async function closed(server: Server, sessions: ViewedSessions): Promise<void> {
  sessions.close();
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await done;
}

class Web {
  readonly #sessions: ViewedSessions;
  readonly #host: string;
  readonly token = secret();
  readonly #cookie = secret();
  readonly #key = secret();
  #isTokenUsed = false;
  #hosts: readonly string[] = [];

  constructor(sessions: ViewedSessions, host: string) {
    this.#sessions = sessions;
    this.#host = host;
  }

  listens(port: number): void {
    this.#hosts = namesOf(this.#host).map((name) => `${bracketed(name)}:${port}`);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host = "", origin } = request.headers;
    if (!this.#hosts.includes(host)) return send(response, 403, "Unknown host.");
    const site = request.headers["sec-fetch-site"];
    const isForeign =
      (origin !== undefined && !this.#hosts.some((name) => origin === `http://${name}`)) ||
      site === "cross-site";
    const url = new URL(request.url ?? "/", `http://${host}`);
    // A click on the address in another program counts as a navigation from elsewhere, which only the token allows.
    if (url.pathname === "/" && url.searchParams.has("token") && request.method === "GET")
      return this.#enter(url, response);
    if (isForeign) return send(response, 403, "Requests from other sites are refused.");
    const isKnown = this.#hasCookie(request) && (!url.pathname.startsWith("/api/") || this.#hasKey(url));
    if (!isKnown) return send(response, 401, "Open the address that `runahead web` printed.");
    if (request.method === "POST") return this.#post(url, request, response);
    return request.method === "GET" ? this.#get(url, response) : send(response, 405, "Not allowed.");
  }

  /** The token works once, so that an address in a history or a log is worth nothing. */
  #enter(url: URL, response: ServerResponse): void {
    const isRight = isSame(url.searchParams.get("token") ?? "", this.token);
    if (!isRight || this.#isTokenUsed)
      return send(response, 403, "This address was used already. Start `runahead web` again.");
    this.#isTokenUsed = true;
    response.setHeader("set-cookie", `${COOKIE}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`);
    // A redirect would still count as coming from another site, so that the cookie would not be sent.
    send(
      response,
      200,
      `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/#${this.#key}">`,
      "text/html",
    );
  }

  #hasKey({ searchParams }: URL): boolean {
    return isSame(searchParams.get("key") ?? "", this.#key);
  }

  #hasCookie(request: IncomingMessage): boolean {
    const cookies = (request.headers.cookie ?? "").split(/;\s*/);
    return cookies.some(
      (one) => one.startsWith(`${COOKIE}=`) && isSame(one.slice(COOKIE.length + 1), this.#cookie),
    );
  }

  async #get({ pathname }: URL, response: ServerResponse): Promise<void> {
    if (pathname === "/") return send(response, 200, PAGE, "text/html");
    if (pathname === "/app.js") return send(response, 200, SCRIPT, "text/javascript");
    if (pathname === "/app.css") return send(response, 200, STYLE, "text/css");
    const sessions = await this.#sessions.sessions();
    if (pathname === "/api/sessions")
      return send(response, 200, JSON.stringify(listed(sessions)), "application/json");
    const [, name = "", what] = /^\/api\/sessions\/([^/]+)\/(events|timeline)$/.exec(pathname) ?? [];
    const session = sessions.get(name);
    if (session === undefined) return send(response, 404, "There is no such session.");
    return what === "events" ? stream(session, response) : timeline(session, response);
  }

  async #post({ pathname }: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = ""] = /^\/api\/sessions\/([^/]+)\/answer$/.exec(pathname) ?? [];
    const session = (await this.#sessions.sessions()).get(name);
    if (session === undefined) return send(response, 404, "There is no such session.");
    // A form of another page cannot send this type.
    if (request.headers["content-type"] !== "application/json") return send(response, 415, "Expected JSON.");
    const { callId, answer: given } = ((await bodyOf(request)) ?? {}) as Readonly<Record<string, unknown>>;
    const answer = answerIn(given);
    if (typeof callId !== "string" || answer === undefined) return send(response, 400, "Invalid answer.");
    if (!(await session.answer(callId, answer)))
      return send(response, 409, "This question was answered already.");
    send(response, 200, "{}", "application/json");
  }
}

function listed(sessions: ReadonlyMap<string, ViewedSession>): object[] {
  return [...sessions].map(([name, { info, openQuestions, items }]) => ({
    name,
    ...info,
    // Sessions of the same folder differ by it.
    prompt: items.items.findLast(({ kind }) => kind === "prompt")?.text ?? "",
    questions: openQuestions,
  }));
}

/** Sends what is there, then every change. */
function stream(session: ViewedSession, response: ServerResponse): void {
  headers(response, POLICY);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = (message: ToViewer): void => void response.write(`data: ${JSON.stringify(message)}\n\n`);
  if (session.info !== undefined) write({ type: "info", info: session.info });
  write(session.items);
  for (const question of session.questions.values()) write({ type: "question", question });
  const stop = session.listen((message) => message.type !== "timeline" && write(message));
  response.once("close", stop);
}

async function timeline(session: ViewedSession, response: ServerResponse): Promise<void> {
  const html = await session.timeline();
  if (html === undefined) return send(response, 404, "The session has no timeline yet.");
  headers(response, TIMELINE_POLICY);
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  request.setEncoding("utf8");
  for await (const part of request) {
    text += part as string;
    if (text.length > MOST_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headers(response: ServerResponse, policy: string): void {
  response.setHeader("content-security-policy", policy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cache-control", "no-store");
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain"): void {
  if (response.headersSent) return void response.end();
  headers(response, POLICY);
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(text);
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
