import { once } from "node:events";
import { type Server as HttpServer, createServer as createHttp } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect } from "../../test/support/collect.ts";
import { runQuery } from "../../test/support/run-query.ts";
import { anthropic } from "./anthropic.ts";
import { connectionError, noAnswerWithin } from "./connection-error.ts";
import type { ModelError } from "./error.ts";
import { openai } from "./openai.ts";
import { UNKNOWN_TARGET } from "./target.ts";

const REQUEST = { system: "", tools: [], messages: [{ role: "user", content: "go" }], maxTokens: 9 } as const;
const closing: (() => void)[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) close();
});

async function failureAt(baseURL: string): Promise<ModelError | undefined> {
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL });
  return (await collect(model.stream(REQUEST, new AbortController().signal))).error;
}

async function listening(server: HttpServer | ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a closed port on this machine fails at once, and says what to start or check", async () => {
  const port = await closedPort();
  const error = await failureAt(`http://127.0.0.1:${port}`);
  expect(error).toMatchObject({
    kind: "unreachable",
    isRetryable: false,
    message: `Nothing is listening at 127.0.0.1:${port} (connection refused). Start the server, or check the baseURL option.`,
  });
  vi.stubEnv("OLLAMA_HOST", `localhost:${port}`);
  vi.stubEnv("OPENAI_BASE_URL", undefined);
  const model = openai({ model: "qwen" });
  const local = (await collect(model.stream(REQUEST, new AbortController().signal))).error;
  expect(local?.message).toBe(
    `Nothing is listening at localhost:${port} (connection refused). Start the server, or check OLLAMA_HOST.`,
  );
});

test("the loop does not retry an address that cannot work", async () => {
  const model = anthropic({ model: "m", apiKey: "key", baseURL: `http://127.0.0.1:${await closedPort()}` });
  const { events, result } = await runQuery({ model, tools: [], prompt: "go" });
  expect(events.filter(({ type }) => type === "retry")).toEqual([]);
  expect(result).toMatchObject({ reason: "model_error", error: { kind: "unreachable" } });
});

test("an invalid address fails at once, and names the variable that it came from", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "key");
  for (const [address, why] of [
    ["localhost 8080", "this is not a valid URL"],
    ["api.example.com", "this is not a valid URL"],
    ["ftp://api.example.com", "the address must start with http:// or https://"],
    ["http://127.0.0.1:25", "bad port"],
    ["http://me:secret@127.0.0.1:8080", "the address contains a user name or password"],
  ] as const) {
    vi.stubEnv("ANTHROPIC_BASE_URL", address);
    const model = anthropic({ model: "claude-test" });
    const { error } = await collect(model.stream(REQUEST, new AbortController().signal));
    expect(error).toMatchObject({
      kind: "unreachable",
      isRetryable: false,
      message: `Cannot send a request to "${address.replace("me:secret@", "")}/v1/messages": ${why}. Check ANTHROPIC_BASE_URL.`,
    });
  }
});

test("a host without an address fails at once", async () => {
  const error = await failureAt("http://no-such-host.invalid");
  // Without a DNS server, the resolver reports a failure that can pass.
  expect(error?.message).toMatch(
    /^The (?:host no-such-host\.invalid was not found|name no-such-host\.invalid could not be resolved): .*Check the baseURL option and your network connection\.$/,
  );
  const unknown = connectionError(
    Object.assign(new TypeError("fetch failed"), { cause: { code: "ENOTFOUND", message: "getaddrinfo" } }),
    { ...UNKNOWN_TARGET, host: "api.exampel.com" },
  );
  expect([unknown.isRetryable, unknown.message]).toEqual([
    false,
    "The host api.exampel.com was not found: its name has no address. Check your network connection and proxy.",
  ]);
});

test("a certificate that is not accepted fails at once, and says how to add one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  closing.push(() => rmSync(folder, { recursive: true }));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const server = createHttps({ key: readFileSync(key), cert: readFileSync(cert) });
  const port = await listening(server);
  const error = await failureAt(`https://127.0.0.1:${port}`);
  expect([error?.kind, error?.isRetryable]).toEqual(["unreachable", false]);
  expect(error?.message).toMatch(
    /^The TLS certificate of 127\.0\.0\.1:\d+ was not accepted: .*certificate.*set NODE_EXTRA_CA_CERTS/,
  );
});

test("https to a server that speaks http fails at once", async () => {
  const port = await listening(createHttp());
  const error = await failureAt(`https://127.0.0.1:${port}`);
  expect([error?.kind, error?.isRetryable]).toEqual(["unreachable", false]);
  expect(error?.message).toMatch(/^No TLS connection to 127\.0\.0\.1:\d+: the server may expect http/);
});

test("a connection that is reset before the response is retried, and reported without internal codes", async () => {
  const port = await listening(createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
  const error = await failureAt(`http://127.0.0.1:${port}`);
  expect(error).toMatchObject({
    kind: "unreachable",
    isRetryable: true,
    message: `127.0.0.1:${port} closed the connection before it answered. Check the baseURL option and your network connection.`,
  });
});

test("a connection that is lost during the response is retried, and reported without internal codes", async () => {
  const server = createHttp((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\n", () => response.destroy());
  });
  const port = await listening(server);
  const error = await failureAt(`http://127.0.0.1:${port}`);
  expect(error).toMatchObject({
    kind: "cut",
    isRetryable: true,
    message: `The connection to 127.0.0.1:${port} was lost during the response.`,
  });
});

test("failures of a proxy name the variable that sets it", () => {
  vi.stubEnv("HTTPS_PROXY", "http://proxy.test:3128");
  const causeOf = (message: string) =>
    message.startsWith("connect") ? { code: "ECONNREFUSED", port: 3128, message } : { code: "X", message };
  const failed = (message: string) =>
    connectionError(Object.assign(new TypeError("fetch failed"), { cause: causeOf(message) }), {
      ...UNKNOWN_TARGET,
      host: "api.example.com",
      url: "https://api.example.com/v1",
    });
  try {
    for (const [message, words, isRetryable] of [
      [
        "Proxy response (407) !== 200 when HTTP Tunneling",
        "The proxy of HTTPS_PROXY requires a user name and a password (407). Set HTTPS_PROXY to http://user:password@host:port.",
        false,
      ],
      [
        "Proxy response (403) !== 200 when HTTP Tunneling",
        "The proxy of HTTPS_PROXY did not connect to api.example.com (403). Check HTTPS_PROXY, or add the host to NO_PROXY.",
        false,
      ],
      [
        "Proxy response (503) !== 200 when HTTP Tunneling",
        "The proxy of HTTPS_PROXY did not connect to api.example.com (503). Check HTTPS_PROXY, or add the host to NO_PROXY.",
        true,
      ],
      [
        "connect ECONNREFUSED 10.0.0.1:3128",
        "The proxy of HTTPS_PROXY refused the connection. Check HTTPS_PROXY.",
        true,
      ],
      [
        "odd",
        "api.example.com could not be reached: odd (X). Check your network connection and HTTPS_PROXY.",
        true,
      ],
    ] as const) {
      const error = failed(message);
      expect([error.message, error.isRetryable]).toEqual([words, isRetryable]);
    }
  } finally {
    vi.unstubAllEnvs();
  }
});

test("failures of the network that can pass are retried, and say what to check", () => {
  const failed = (code: string) =>
    connectionError(Object.assign(new TypeError("fetch failed"), { cause: { code, message: code } }), {
      ...UNKNOWN_TARGET,
      host: "api.example.com",
      url: "https://api.example.com/v1",
    });
  const check = "Check your network connection and proxy.";
  for (const [code, words] of [
    ["ECONNREFUSED", "api.example.com refused the connection."],
    ["EAI_AGAIN", "The name api.example.com could not be resolved: the DNS server did not answer."],
    ["ENETUNREACH", "There is no network route to api.example.com."],
    ["UND_ERR_CONNECT_TIMEOUT", "api.example.com did not accept the connection in time."],
    ["ETIMEDOUT", "api.example.com did not accept the connection in time."],
  ] as const) {
    const { message, isRetryable } = failed(code);
    expect([message, isRetryable]).toEqual([`${words} ${check}`, true]);
  }
  const late = noAnswerWithin(60_000, { ...UNKNOWN_TARGET, host: "api.example.com" });
  expect([late.message, late.isRetryable]).toEqual([
    `api.example.com did not begin to answer within 60 s. Raise RUNAHEAD_STREAM_START_MS to wait longer. ${check}`,
    true,
  ]);
});
