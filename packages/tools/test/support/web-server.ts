/** A server of web pages on this machine, gone after the test. */

import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import { SYSTEM_NETWORK, type Network } from "../../src/web/web-connect.ts";

export interface WebServer {
  /** By address: `http://127.0.0.1:…`. */
  readonly url: string;
  readonly port: number;
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }[];
  /** How many connections are open. */
  connections(): Promise<number>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

export async function webServer(handler: Handler): Promise<WebServer> {
  const requests: WebServer["requests"] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces).toString();
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      handler(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  const { port } = server.address() as AddressInfo;
  const connections = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  return { url: `http://127.0.0.1:${port}`, port, requests, connections };
}

/** Gives the same answer to everybody. */
export function page(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Handler {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  return (_request, response) =>
    void response.writeHead(status, { "content-type": "text/html", ...length, ...headers }).end(body);
}

/** A network in which names mean what a test says, one answer after the other. */
export function networkOf(names: Readonly<Record<string, readonly (readonly string[])[]>>): Network {
  const asked = new Map<string, number>();
  return {
    isPublic: SYSTEM_NETWORK.isPublic,
    lookup: (hostname, _options, done) => {
      const answers = names[hostname] ?? [];
      const at = asked.get(hostname) ?? 0;
      asked.set(hostname, at + 1);
      const found = answers[Math.min(at, answers.length - 1)];
      if (found === undefined) return done(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []);
      done(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
  };
}
