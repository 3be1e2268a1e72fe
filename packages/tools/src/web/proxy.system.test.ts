import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, createServer } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { download } from "./web-download.ts";
import { forgetNetworkSettings, useNetworkSettings } from "./proxy.ts";

const GLOBAL = Symbol.for("undici.globalDispatcher.1");
void new Response();
const before = (globalThis as { [GLOBAL]?: unknown })[GLOBAL];
const closing: (() => void)[] = [];

afterEach(() => {
  forgetNetworkSettings();
  (globalThis as { [GLOBAL]?: unknown })[GLOBAL] = before;
  for (const close of closing.splice(0)) close();
});

async function portOf(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server, and a proxy that resolves every name to it and notes what it was asked for. */
async function proxied(
  answer = createServer((request, response) => response.end(`${request.headers.host} ok`)),
) {
  const target = await portOf(answer);
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer.emit("request", request, response);
  });
  proxy.on("connect", (request: IncomingMessage, client) => {
    asked.push(`CONNECT ${request.url}`);
    const server = connect(target, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) socket.on("error", () => {});
  });
  return { asked, address: `http://127.0.0.1:${await portOf(proxy)}`, target };
}

const text = async (url: string): Promise<string> => (await fetch(url)).text();

test("fetch goes through the proxy, which resolves the name; NO_PROXY goes around it", async () => {
  const { asked, address, target } = await proxied();
  useNetworkSettings({ HTTP_PROXY: address, NO_PROXY: "127.0.0.1" });
  expect(await text("http://api.model.test/v1")).toBe("api.model.test ok");
  expect(asked).toEqual(["GET http://api.model.test/v1"]);
  expect(await text(`http://127.0.0.1:${target}/`)).toBe(`127.0.0.1:${target} ok`);
  expect(asked).toHaveLength(1);
  // Only the tunnel is asked for: the server here does not speak TLS.
  await expect(text("https://api.model.test/v1")).rejects.toThrow();
  expect(asked[1]).toBe("CONNECT api.model.test:443");
});

test("names in lower case and addresses without a scheme work, and a wrong address is named", async () => {
  const { asked, address } = await proxied();
  useNetworkSettings({ http_proxy: address.replace("http://", "") });
  await text("http://mcp.test/");
  expect(asked).toEqual(["GET http://mcp.test/"]);
  expect(() => useNetworkSettings({ HTTPS_PROXY: "socks5://h:1" })).toThrow(
    "HTTPS_PROXY is not the address of an HTTP proxy: socks5://h:1. Use http://host:port.",
  );
  expect(() => useNetworkSettings({ RUNAHEAD_CLIENT_CERT: "/no/such/file" })).toThrow(
    "Cannot read the file of RUNAHEAD_CLIENT_CERT",
  );
});

test("a client certificate that cannot be used is reported at once, with the variables", () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-cert-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-passout", "pass:right", "-days", "2", "-subj", "/CN=me"],
      ...["-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  const given = { RUNAHEAD_CLIENT_CERT: cert, RUNAHEAD_CLIENT_KEY: key };
  useNetworkSettings({ ...given, RUNAHEAD_CLIENT_KEY_PASSPHRASE: "right" });
  const begins =
    "Cannot use the client certificate of RUNAHEAD_CLIENT_CERT with the key of RUNAHEAD_CLIENT_KEY: ";
  const used = (env: Record<string, string>) => () => useNetworkSettings({ ...given, ...env });
  expect(used({})).toThrow(begins);
  expect(used({})).toThrow("If the key is encrypted, set RUNAHEAD_CLIENT_KEY_PASSPHRASE.");
  expect(used({ RUNAHEAD_CLIENT_KEY_PASSPHRASE: "wrong" })).toThrow(begins);
  expect(used({ RUNAHEAD_CLIENT_KEY_PASSPHRASE: "wrong" })).toThrow("Check RUNAHEAD_CLIENT_KEY_PASSPHRASE.");
});

test("web tools go through the proxy, and private addresses do not reach it", async () => {
  const { asked, address } = await proxied(
    createServer((_request, response) => response.setHeader("content-type", "text/plain").end("page")),
  );
  useNetworkSettings({ HTTP_PROXY: address });
  const lookup = (
    host: string,
    _all: object,
    done: (error: Error | null, found: { address: string; family: number }[]) => void,
  ) =>
    host === "intranet.test"
      ? done(null, [{ address: "10.0.0.1", family: 4 }])
      : done(new Error("ENOTFOUND"), []);
  const get = (url: string) =>
    download(
      { url: new URL(url) },
      {
        network: { lookup, isPublic: (found) => !/^(?:10|127|169)\./.test(found) },
        allowPrivate: false,
        limitMs: 5_000,
      },
      new AbortController().signal,
    );
  expect(await get("http://public.test/")).toMatchObject({ text: "page" });
  expect(asked).toEqual(["GET http://public.test/"]);
  for (const url of [
    "http://169.254.169.254/",
    "http://localhost/",
    "http://a.localhost/",
    "http://intranet.test/",
  ])
    await expect(get(url)).rejects.toThrow("only public addresses are allowed");
  expect(asked).toHaveLength(1);
});

/** Runs a script in a process of its own, because Node reads the authorities when it starts. */
async function printed(script: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    cwd: new URL("../..", import.meta.url),
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  let output = "";
  child.stdout.on("data", (piece) => (output += String(piece)));
  await once(child, "close");
  return output.trim();
}

const moduleAt = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);

/** A server that answers with the name in the client's certificate. */
async function certifiedServer() {
  const folder = mkdtempSync(join(tmpdir(), "runahead-cert-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=me"],
      ...["-addext", "subjectAltName=DNS:localhost,DNS:*.corp.test", "-keyout", key, "-out", cert],
    ],
    { stdio: "ignore" },
  );
  const own = readFileSync(cert);
  const server = createHttps(
    { key: readFileSync(key), cert: own, ca: own, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.setHeader("content-type", "text/plain").end(`hello ${String(subject?.CN ?? "nobody")}`);
    },
  );
  const known = { NODE_EXTRA_CA_CERTS: cert };
  return { server, known, named: { RUNAHEAD_CLIENT_CERT: cert, RUNAHEAD_CLIENT_KEY: key } };
}

test("a server that requires a client certificate gets it", async () => {
  const { server, known, named } = await certifiedServer();
  const port = await portOf(server);
  const script = `const { useNetworkSettings } = await import(${moduleAt("./proxy.ts")});
    useNetworkSettings(process.env);
    console.log(await (await fetch("https://localhost:${port}/")).text());`;
  expect(await printed(script, { ...known, ...named })).toBe("hello me");
  expect(await printed(script, known)).toBe("hello nobody");
});

test("a web page gets the client certificate only at the domains that the user named, also through a proxy", async () => {
  const { server, known, named } = await certifiedServer();
  const { address, target } = await proxied(server);
  const script = `const { useNetworkSettings } = await import(${moduleAt("./proxy.ts")});
    const { download } = await import(${moduleAt("./web-download.ts")});
    useNetworkSettings(process.env);
    const lookup = (_host, _all, done) => done(null, [{ address: "127.0.0.1", family: 4 }]);
    const options = { network: { lookup, isPublic: () => true }, allowPrivate: true, limitMs: 5000 };
    for (const host of ["wiki.corp.test", "other.corp.test"]) {
      const url = new URL("https://" + host + ":${target}/");
      console.log((await download({ url }, options, new AbortController().signal)).text);
    }`;
  const domains = { RUNAHEAD_CLIENT_CERT_DOMAINS: "nowhere.test, wiki.corp.test" };
  for (const way of [{}, { HTTPS_PROXY: address }]) {
    expect(await printed(script, { ...known, ...named, ...way })).toBe("hello nobody\nhello nobody");
    expect(await printed(script, { ...known, ...named, ...domains, ...way })).toBe("hello me\nhello nobody");
  }
});
