/**
 * The network proxy of one sandboxed command: CONNECT tunnels and plain HTTP to allowed hosts. It resolves names itself
 * and checks the address that is actually connected to.
 */

import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request as ask,
} from "node:http";
import { type LookupFunction, type Socket, connect, isIP } from "node:net";
import { join } from "node:path";
import { type Duplex, pipeline } from "node:stream";
import { messageOf } from "@runahead/base";
import { type NetworkRules, type Target, shownTarget, targetOf } from "./sandbox-network.ts";
import { type Network, SYSTEM_NETWORK, checkedLookup } from "../web/web-connect.ts";

const CONNECT_MS = 15_000;
/** Limit per command; further connections are not accepted. */
const MOST_CONNECTIONS = 256;
const REMEMBERED = 20;

/** Headers of one connection rather than the request; `expect` was already answered here. */
const OF_CONNECTION = new Set(
  "connection expect keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

interface ProxyOptions {
  /** A private folder. */
  readonly folder: string;
  readonly rules: NetworkRules;
  readonly network?: Network;
}

/** An error response of the proxy itself. */
class Refused extends Error {
  readonly status: "403 Forbidden" | "400 Bad Request" | "502 Bad Gateway";

  constructor(status: Refused["status"], message: string) {
    super(message);
    this.status = status;
  }
}

export class NetworkProxy {
  /** Where it listens. */
  readonly path: string;
  readonly #rules: NetworkRules;
  readonly #network: Network;
  readonly #folder: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #refused = new Set<string>();
  #closing: Promise<void> | undefined;

  private constructor({ folder, rules, network = SYSTEM_NETWORK }: ProxyOptions) {
    const name = `${randomUUID()}.sock`;
    this.path = join(folder, name);
    this.#rules = rules;
    this.#network = network;
    this.#folder = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    // Uploads have no limit here; the command's own time limit ends them.
    this.#server = createServer({ requestTimeout: 0 }, (request, response) =>
      this.#forward(request, response),
    );
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on("connect", (request: IncomingMessage, near: Duplex, head: Buffer) =>
      this.#tunnel(request, near, head),
    );
    this.#server.on("connection", (socket: Socket) => this.#track(socket));
    // Socket paths are limited to about 100 bytes, which a path through the folder's descriptor never exceeds.
    this.#server.listen(`/proc/self/fd/${this.#folder}/${name}`);
  }

  /** Throws if it cannot listen; then nothing remains of it. */
  static async open(options: ProxyOptions): Promise<NetworkProxy> {
    const proxy = new NetworkProxy(options);
    try {
      await new Promise<void>((resolve, reject) => {
        proxy.#server.once("listening", resolve);
        proxy.#server.once("error", reject);
      });
      return proxy;
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** Refused hosts, for the model. */
  get refused(): readonly string[] {
    return [...this.#refused];
  }

  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    }).then(() => {
      closeSync(this.#folder);
      rmSync(this.path, { force: true });
    });
    return this.#closing;
  }

  #track<S extends Socket>(socket: S): S {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // Errors show in the request that used the socket.
    socket.on("error", () => {});
    return socket;
  }

  #tunnel(request: IncomingMessage, near: Duplex, head: Buffer): void {
    near.on("error", () => {});
    try {
      const target = this.#allowed(targetOf(request.url ?? "", 443));
      const far = this.#track(connect({ ...target, autoSelectFamily: true }));
      let isOpen = false;
      const fail = (error: Error): void => {
        if (!isOpen) near.end(rawAnswer(this.#failure(target, error)));
        far.destroy();
      };
      far.setTimeout(CONNECT_MS, () => fail(new Error("connection timed out")));
      far.once("error", fail);
      near.once("close", () => far.destroy());
      far.once("connect", () => {
        isOpen = true;
        far.setTimeout(0);
        near.write("HTTP/1.1 200 Connection established\r\n\r\n");
        far.write(head);
        pipeline(near, far, () => {});
        pipeline(far, near, () => {});
      });
    } catch (error) {
      near.end(rawAnswer(toRefused(error)));
    }
  }

  #forward(request: IncomingMessage, response: ServerResponse): void {
    let target: Allowed | undefined;
    const fail = (error: unknown): void => {
      if (response.headersSent) return void response.destroy();
      const { status, message } =
        target === undefined ? toRefused(error) : this.#failure(target, error as Error);
      response.writeHead(Number.parseInt(status, 10), OWN_HEADERS).end(`${message}\n`);
    };
    try {
      const url = plainUrl(request.url ?? "");
      target = this.#allowed(targetOf(url.host, 80));
      const { host, port, lookup } = target;
      const headers = { ...passed(request.headersDistinct), host: url.host };
      const path = `${url.pathname}${url.search}`;
      const far = ask({ host, port, lookup, path, method: request.method, headers, agent: false });
      far.setTimeout(CONNECT_MS, () => far.destroy(new Error("connection timed out")));
      far.on("socket", (socket) => this.#track(socket).once("connect", () => far.setTimeout(0)));
      far.on("error", fail);
      far.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, passed(answer.headersDistinct));
        answer.on("error", fail);
        answer.pipe(response);
      });
      response.on("close", () => far.destroy());
      request.pipe(far);
    } catch (error) {
      fail(error);
    }
  }

  /** Throws if the rules do not allow the host or its address. */
  #allowed(target: Target | undefined): Allowed {
    if (target === undefined) throw new Refused("400 Bad Request", "Sandbox proxy: invalid host.");
    const verdict = this.#rules.judge(target);
    if (verdict.type === "refused")
      throw this.#refuse(target, "the host is not on the list of allowed hosts");
    const check = (_host: string, addresses: readonly string[]): Error | undefined => {
      const found = addresses.find((address) => !this.#network.isPublic(address));
      if (found === undefined || verdict.mayBePrivate) return undefined;
      return this.#refuse(target, `${found} is an address of this machine or a private network`);
    };
    const problem = isIP(target.host) === 0 ? undefined : check(target.host, [target.host]);
    if (problem !== undefined) throw problem;
    return { ...target, lookup: checkedLookup(this.#network.lookup, check) };
  }

  #refuse(target: Target, why: string): Refused {
    const shown = shownTarget(target);
    if (this.#refused.size < REMEMBERED) this.#refused.add(shown);
    return new Refused(
      "403 Forbidden",
      `The sandbox blocked the connection to ${shown}: ${why}. Allowed: ${this.#rules.words}.`,
    );
  }

  #failure(target: Target, error: Error): Refused {
    if (error instanceof Refused) return error;
    return new Refused("502 Bad Gateway", `Cannot connect to ${shownTarget(target)}: ${messageOf(error)}.`);
  }
}

interface Allowed extends Target {
  readonly lookup: LookupFunction;
}

const OWN_HEADERS = { "content-type": "text/plain; charset=utf-8", connection: "close" };

/** A proxy request contains the full URL. */
function plainUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === "http:") return url;
  }
  throw new Refused("400 Bad Request", "Sandbox proxy: only http: URLs and CONNECT are supported.");
}

function toRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  return new Refused("502 Bad Gateway", `Sandbox proxy: ${messageOf(error)}`);
}

function rawAnswer({ status, message }: Refused): string {
  const body = `${message}\n`;
  const headers = { ...OWN_HEADERS, "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, "", body].join("\r\n");
}

function passed(headers: NodeJS.Dict<string[]>): Record<string, string[]> {
  const named = (headers["connection"] ?? []).flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  return Object.fromEntries(
    Object.entries(headers).filter(
      (header): header is [string, string[]] =>
        header[1] !== undefined && !OF_CONNECTION.has(header[0]) && !named.includes(header[0]),
    ),
  );
}
