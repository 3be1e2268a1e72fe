import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, type Server, createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { NetworkProxy } from "./sandbox-network-proxy.ts";
import { NetworkRules } from "./sandbox-network.ts";
import type { Network } from "../web/web-connect.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Names lead where the test says; 127.0.0.1 counts as public, so that a server of the test can be one. */
function bent(names: Readonly<Record<string, readonly string[]>>): Network {
  return {
    lookup: (name, _options, done) => {
      const found = names[name];
      if (found === undefined) return done(new Error(`there is no ${name}`), []);
      done(
        null,
        found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    },
    isPublic: (address) => address === "127.0.0.1",
  };
}

async function open(allowedDomains: string[], names: Readonly<Record<string, readonly string[]>>) {
  const folder = await mkdtemp(join(tmpdir(), "network-proxy-"));
  closing.push(() => rm(folder, { recursive: true }));
  const proxy = await NetworkProxy.open({
    folder,
    rules: new NetworkRules({ allowedDomains }),
    network: bent(names),
  });
  closing.push(() => proxy.close());
  return { proxy, folder };
}

/** A server, and the headers that came to it. */
async function serve() {
  const heard: IncomingHttpHeaders[] = [];
  const server: Server = createServer((asked, response) => {
    heard.push(asked.headers);
    response.setHeader("set-cookie", ["a=1", "b=2"]).setHeader("proxy-authenticate", "Basic").end("answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => (server.closeAllConnections(), new Promise((resolve) => server.close(resolve))));
  return { port: (server.address() as AddressInfo).port, heard };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function get(socketPath: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asked.on("error", reject).end();
  });
}

/** What comes back on a connection to which only this is said. */
function say(path: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect(path, () => socket.write(text));
    socket.setEncoding("utf8").on("data", (piece: string) => (heard += piece));
    socket.on("end", () => resolve(heard)).on("error", reject);
  });
}

test("hop-by-hop headers are removed, and the host is that of the URL, whatever the header says", async () => {
  const { port, heard } = await serve();
  const { proxy } = await open([`a.example:${port}`], { "a.example": ["127.0.0.1"] });
  const headers = {
    host: "other.example",
    "proxy-authorization": "secret",
    "proxy-connection": "keep-alive",
    connection: "keep-alive, x-hop",
    "x-hop": "1",
    "x-own": "2",
  };
  const answer = await get(proxy.path, `http://a.example:${port}/`, headers);
  expect(heard).toEqual([{ host: `a.example:${port}`, "x-own": "2", connection: "close" }]);
  expect([
    answer.status,
    answer.body,
    answer.headers["set-cookie"],
    answer.headers["proxy-authenticate"],
  ]).toEqual([200, "answer", ["a=1", "b=2"], undefined]);
});

test("a name that resolves to a private network is refused, even if only one of its addresses is private", async () => {
  const { port } = await serve();
  const names = { "in.example": ["10.0.0.1"], "both.example": ["127.0.0.1", "fd00::1"] };
  const { proxy } = await open([`*.example:${port}`], names);
  const words = (host: string, address: string): string =>
    `The sandbox blocked the connection to ${host}:${port}: ${address} is an address of this machine or a private network. Allowed: *.example:${port}.\n`;
  const plain = await get(proxy.path, `http://in.example:${port}/`);
  expect([plain.status, plain.body]).toEqual([403, words("in.example", "10.0.0.1")]);
  const tunnel = await say(proxy.path, `CONNECT both.example:${port} HTTP/1.1\r\n\r\n`);
  expect(tunnel).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(tunnel.endsWith(words("both.example", "fd00::1"))).toBe(true);
  expect(proxy.refused).toEqual([`in.example:${port}`, `both.example:${port}`]);
});

test("an unreachable host is reported as such, not as a refusal", async () => {
  const { proxy } = await open(["gone.example", "shut.example:1"], { "shut.example": ["127.0.0.1"] });
  const answers = [
    await get(proxy.path, "http://gone.example/"),
    await get(proxy.path, "http://shut.example:1/"),
  ];
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [502, "Cannot connect to gone.example:80: there is no gone.example.\n"],
    [502, "Cannot connect to shut.example:1: connect ECONNREFUSED 127.0.0.1:1.\n"],
  ]);
  expect(await say(proxy.path, "CONNECT shut.example:1 HTTP/1.1\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 502 Bad Gateway\r\n[^]*ECONNREFUSED/,
  );
  expect(proxy.refused).toEqual([]);
});

test.each([
  ["GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n", "400 Bad Request"],
  ["GET ftp://a.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "400 Bad Request"],
  ["CONNECT a.example:443/x HTTP/1.1\r\n\r\n", "400 Bad Request"],
  ["CONNECT user@a.example:443 HTTP/1.1\r\n\r\n", "400 Bad Request"],
  ["CONNECT a.example:99999 HTTP/1.1\r\n\r\n", "400 Bad Request"],
  ["CONNECT a.example%2eb:443 HTTP/1.1\r\n\r\n", "403 Forbidden"],
  ["\x16\x03\x01", "400 Bad Request"],
])("%j is refused and reaches no host", async (text, status) => {
  const { proxy } = await open(["a.example"], {});
  expect(await say(proxy.path, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
});

test("only the first twenty hosts that were refused are kept", async () => {
  const { proxy } = await open([], {});
  for (let at = 0; at < 25; at++) await get(proxy.path, `http://h${at}.example/`);
  expect(proxy.refused.length).toBe(20);
});

test("closing leaves no tunnel, no socket and no file", async () => {
  const { port } = await serve();
  const { proxy, folder } = await open([`a.example:${port}`], { "a.example": ["127.0.0.1"] });
  const tunnel = connect(proxy.path, () => tunnel.write(`CONNECT a.example:${port} HTTP/1.1\r\n\r\n`));
  await new Promise((resolve) => tunnel.once("data", resolve));
  expect((await readdir(folder)).length).toBe(1);
  const ended = new Promise((resolve) => tunnel.once("close", resolve));
  await proxy.close();
  tunnel.destroy();
  await ended;
  expect(await readdir(folder)).toEqual([]);
});
