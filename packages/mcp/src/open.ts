/** Opens a server with the protocol's client. Loaded only when there is a server to open. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Client, SdkHttpError, type Transport } from "@modelcontextprotocol/client";
import { codeOf, messageOf } from "@runahead/base";
import { answerRequests, capabilities } from "./ask-back.ts";
import { ChannelTransport } from "./channel.ts";
import { ClientServer } from "./client-server.ts";
import { Hopeless, McpFailure, networkReason } from "./failure.ts";
import { helperHeaders } from "./headers-helper.ts";
import { type HttpSpec, HttpTransport, sseTransport } from "./http.ts";
import { lenient } from "./lenient.ts";
import { needsLogin } from "./needs-login.ts";
import { oauthProvider } from "./oauth.ts";
import type { OpenSpec } from "./open-spec.ts";
import { Waits } from "./waits.ts";
import type { OpenServer } from "./server.ts";
import { StdioTransport } from "./stdio.ts";

/** An older server may not answer the first request of the newer protocol, or may exit. */
const MOST_PROBE_MS = 10_000;
const LIST_PAUSE_MS = 100;

type Era = "auto" | "legacy";

export async function openServer(spec: OpenSpec): Promise<OpenServer> {
  const { server } = spec.entry;
  if ("url" in server && !URL.canParse(server.url)) throw new Hopeless(`its url is not valid: ${server.url}`);
  switch (server.type) {
    case "host":
      return connect(new ChannelTransport(server.connect()), spec, "legacy");
    case "stdio":
      return openProcess(spec);
    case "sse":
      return connect(sseTransport(await httpSpec(spec, server)), spec, "legacy");
    case "http":
      return openHttp(spec, await httpSpec(spec, server));
    case "ws":
      throw new Hopeless("WebSocket servers are not supported; use stdio or http");
  }
}

async function openProcess(spec: OpenSpec): Promise<OpenServer> {
  try {
    return await connect(stdioTransport(spec), spec, "auto");
  } catch (error) {
    const fault = startFault(spec, codeOf(error));
    if (fault !== undefined) throw new Hopeless(fault);
    if (spec.signal.aborted) throw error;
    return connect(stdioTransport(spec), spec, "legacy");
  }
}

/** Returns why a program cannot be started, if a retry would not help. */
function startFault({ entry: { server }, cwd }: OpenSpec, code: string): string | undefined {
  if (server.type !== "stdio") return undefined;
  const folder = resolve(cwd, server.cwd ?? ".");
  // The system reports both as a program that was not found.
  if (code === "ENOENT" && !existsSync(folder)) return `its folder ${folder} does not exist`;
  if (code === "ENOENT") return `the program ${server.command} was not found`;
  return code === "EACCES" ? `there is no permission to run ${server.command}` : undefined;
}

function stdioTransport({ entry, limits, cwd, env, added, onNotice }: OpenSpec): StdioTransport {
  const { server, name } = entry;
  if (server.type !== "stdio") throw new Error("no process");
  return new StdioTransport({
    ...server,
    cwd: resolve(cwd, server.cwd ?? "."),
    inherited: env,
    added,
    mostMessageBytes: limits.mostMessageBytes,
    onStray: (line) =>
      onNotice(
        `The MCP server ${name} printed something to stdout that is not a protocol message; it is ignored: ${line}`,
      ),
  });
}

type NetworkServer = Extract<OpenSpec["entry"]["server"], { readonly url: string }>;

async function httpSpec(spec: OpenSpec, { url, headers, headersHelper }: NetworkServer): Promise<HttpSpec> {
  const { mostMessageBytes, retryMs, mostRetryMs } = spec.limits;
  const more = headersHelper === undefined ? {} : await helperHeaders(spec, { url, command: headersHelper });
  return {
    url,
    headers: { ...headers, ...more },
    mostMessageBytes,
    retryMs,
    mostRetryMs,
    authProvider: await savedLogin(spec, url),
  };
}

/** Without a saved login there is nothing to use or to refresh. */
async function savedLogin({ credentials }: OpenSpec, url: string): Promise<HttpSpec["authProvider"]> {
  if (credentials === undefined || (await credentials.load(url)) === undefined) return undefined;
  return oauthProvider(url, credentials, undefined);
}

/** As the protocol says, a server that does not accept a message at its address can be one of the older transport. */
async function openHttp(spec: OpenSpec, http: HttpSpec): Promise<OpenServer> {
  try {
    return await connect(new HttpTransport(http), spec, "auto");
  } catch (error) {
    const status = error instanceof SdkHttpError ? error.status : 0;
    const login = needsLogin(error, spec);
    if (login !== undefined) throw login;
    const network = networkReason(error);
    if (network !== undefined)
      throw new McpFailure(`cannot connect to ${new URL(http.url).origin}: ${network}`);
    if (![400, 404, 405].includes(status) || spec.signal.aborted) throw error;
    return connect(sseTransport(http), spec, "legacy").catch(() => {
      throw error;
    });
  }
}

async function connect(transport: Transport, spec: OpenSpec, era: Era): Promise<OpenServer> {
  const { signal, limits } = spec;
  const client = new Client(spec.clientInfo, {
    capabilities: capabilities(spec),
    listMaxPages: limits.mostPages,
    versionNegotiation: {
      mode: era,
      probe: {
        timeoutMs: transport instanceof StdioTransport ? probeMs(limits.connectMs) : limits.connectMs,
      },
    },
    listChanged: {
      tools: { autoRefresh: false, debounceMs: LIST_PAUSE_MS, onChanged: () => spec.onToolsChanged() },
    },
  });
  lenient(client);
  const waits = new Waits();
  answerRequests(client, { ...spec, waits });
  const given = giveUp(signal);
  try {
    // Some transports do not notice that they were closed while opening.
    await Promise.race([client.connect(transport, { timeout: limits.connectMs, signal }), given.up]);
    return new ClientServer(client, transport, { ...spec, waits });
  } catch (error) {
    await transport.close().catch(() => {});
    throw withFault(error, transport);
  } finally {
    given.end();
  }
}

function giveUp(signal: AbortSignal): { readonly up: Promise<never>; readonly end: () => void } {
  let stop = (): void => {};
  const up = new Promise<never>(
    (_, reject) => (stop = () => reject(new McpFailure("the attempt was cancelled"))),
  );
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return { up, end: () => signal.removeEventListener("abort", stop) };
}

function probeMs(connectMs: number): number {
  return Math.min(MOST_PROBE_MS, connectMs / 3);
}

/** The last output of a process explains more than a closed pipe. */
function withFault(error: unknown, transport: Transport): unknown {
  if (!(transport instanceof StdioTransport)) return error;
  const { fault, stderr } = transport;
  if (fault === "" && stderr.text === "") return error;
  const said = stderr.text === "" ? "" : `. Last lines of its stderr:\n${stderr.text}`;
  return new McpFailure(`${fault === "" ? messageOf(error) : fault}${said}`);
}
