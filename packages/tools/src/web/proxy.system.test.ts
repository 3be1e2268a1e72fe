import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, createServer } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect } from "node:net";
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
  const proxy = createServer();
  proxy.on("connect", (request: IncomingMessage, client) => {
    asked.push(request.url ?? "");
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
  expect(asked).toEqual(["api.model.test:80"]);
  expect(await text(`http://127.0.0.1:${target}/`)).toBe(`127.0.0.1:${target} ok`);
  expect(asked).toHaveLength(1);
});

test("names in lower case and addresses without a scheme work, and a wrong address is named", async () => {
  const { asked, address } = await proxied();
  useNetworkSettings({ http_proxy: address.replace("http://", "") });
  await text("http://mcp.test/");
  expect(asked).toEqual(["mcp.test:80"]);
  expect(() => useNetworkSettings({ HTTPS_PROXY: "socks5://h:1" })).toThrow(
    "HTTPS_PROXY is not the address of an HTTP proxy: socks5://h:1. Use http://host:port.",
  );
  expect(() => useNetworkSettings({ RUNAHEAD_CLIENT_CERT: "/no/such/file" })).toThrow(
    "Cannot read the file of RUNAHEAD_CLIENT_CERT",
  );
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
  expect(asked).toEqual(["public.test:80"]);
  for (const url of [
    "http://169.254.169.254/",
    "http://localhost/",
    "http://a.localhost/",
    "http://intranet.test/",
  ])
    await expect(get(url)).rejects.toThrow("only public addresses are allowed");
  expect(asked).toHaveLength(1);
});

test("a server that requires a client certificate gets it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-cert-"));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
      ...["-addext", "subjectAltName=DNS:localhost", "-keyout", path("key.pem"), "-out", path("cert.pem")],
    ],
    { stdio: "ignore" },
  );
  const cert = readFileSync(path("cert.pem"));
  const server = createHttps(
    { key: readFileSync(path("key.pem")), cert, ca: cert, requestCert: true, rejectUnauthorized: true },
    (_request, response) => response.end("welcome"),
  );
  const port = await portOf(server);
  const script = `import("undici").then(async () => {
    const { useNetworkSettings } = await import(${JSON.stringify(new URL("./proxy.ts", import.meta.url).href)});
    useNetworkSettings(process.env);
    console.log(await (await fetch("https://localhost:${port}/")).text());
  }).catch((error) => console.log("failed", error.cause?.code ?? error));`;
  const printed = async (env: Record<string, string>): Promise<string> => {
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      cwd: new URL("../..", import.meta.url),
      env: { PATH: process.env["PATH"] ?? "", NODE_EXTRA_CA_CERTS: path("cert.pem"), ...env },
    });
    let output = "";
    child.stdout.on("data", (piece) => (output += String(piece)));
    await once(child, "close");
    return output.trim();
  };
  expect(
    await printed({ RUNAHEAD_CLIENT_CERT: path("cert.pem"), RUNAHEAD_CLIENT_KEY: path("key.pem") }),
  ).toBe("welcome");
  expect(await printed({})).toMatch(/^failed/);
});
