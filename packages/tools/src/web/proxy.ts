/** Proxies and client certificates from the environment, for all requests of the process. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { createSecureContext } from "node:tls";
import type { buildConnector, Dispatcher, EnvHttpProxyAgent } from "undici";
import { type HostPattern, hostPattern, matchesHost } from "@runahead/base";
import { undici } from "./undici.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** How the process reaches the network. */
interface NetworkSettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
  readonly certificate: Certificate | undefined;
  /** The web pages that get the certificate. */
  readonly certifiedPages: readonly HostPattern[];
}

interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly passphrase?: string;
}

let current: NetworkSettings | undefined;
let hasAgent = false;

/**
 * Sends all requests of the process (`fetch`, and the web tools) as the environment says: `HTTP_PROXY`,
 * `HTTPS_PROXY`, `NO_PROXY` (also in lower case), and `RUNAHEAD_CLIENT_CERT`, `RUNAHEAD_CLIENT_KEY` and
 * `RUNAHEAD_CLIENT_KEY_PASSPHRASE` for servers that require a client certificate. Web pages get the certificate only at
 * the hosts in `RUNAHEAD_CLIENT_CERT_DOMAINS`. Without these variables it does nothing. Node itself reads
 * `NODE_EXTRA_CA_CERTS` when it starts.
 *
 * @throws Error if a file cannot be read or an address is not valid; its message names the variable.
 *
 * @example
 * ```ts
 * import { useNetworkSettings } from "@runahead/tools";
 *
 * useNetworkSettings(process.env);
 * ```
 */
export function useNetworkSettings(env: Env): void {
  if (typeof env !== "object" || env === null)
    throw new TypeError('useNetworkSettings: "env" must be an object such as process.env.');
  const settings = settingsIn(env);
  if (settings === undefined) return;
  current = settings;
  const { Pool, setGlobalDispatcher } = undici();
  // The limits of responses are the callers' own. The agent does not pass them on to every connection.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const factory = (origin: string | URL, options: object): Dispatcher =>
    new Pool(origin, { ...options, ...limits });
  setGlobalDispatcher(proxyAgent({ ...optionsOf(settings), ...limits, factory }));
}

/** The first agent prints a warning that it is experimental, which users can do nothing about. */
function proxyAgent(options: EnvHttpProxyAgent.Options): EnvHttpProxyAgent {
  const { EnvHttpProxyAgent: ProxyAgent } = undici();
  if (hasAgent) return new ProxyAgent(options);
  hasAgent = true;
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return new ProxyAgent(options);
  } finally {
    process.emitWarning = emitWarning;
  }
}

function settingsIn(env: Env): NetworkSettings | undefined {
  const httpProxy = address(env, "HTTP_PROXY");
  const httpsProxy = address(env, "HTTPS_PROXY") || httpProxy;
  const certificate = certificateIn(env);
  if (httpProxy + httpsProxy === "" && certificate === undefined) return undefined;
  const noProxy = variable(env, "NO_PROXY");
  return { httpProxy, httpsProxy, noProxy, certificate, certifiedPages: domainsIn(env) };
}

function domainsIn(env: Env): HostPattern[] {
  const names = (env[DOMAINS] ?? "").split(",").map((name) => name.trim());
  return names.filter((name) => name !== "").map(hostPattern);
}

/** The web pages that get the client certificate. Any page can ask for it, and it says who the user is. */
const DOMAINS = "RUNAHEAD_CLIENT_CERT_DOMAINS";

/** Returns the client certificate if a web page can have it. */
export function certificateFor(host: string): Certificate | undefined {
  const isCertified = current?.certifiedPages.some((pattern) => matchesHost(pattern, host)) === true;
  return isCertified ? current?.certificate : undefined;
}

/** Lower case wins, as in curl. */
function variable(env: Env, name: string): string {
  return env[name.toLowerCase()] || env[name] || "";
}

function address(env: Env, name: string): string {
  const given = variable(env, name).trim();
  if (given === "") return "";
  const url = given.includes("://") ? given : `http://${given}`;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new Error(`${name} is not the address of an HTTP proxy: ${given}. Use http://host:port.`);
}

function certificateIn(env: Env): Certificate | undefined {
  const cert = file(env, "CLIENT_CERT");
  const key = file(env, "CLIENT_KEY");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new Error("A client certificate needs both RUNAHEAD_CLIENT_CERT and RUNAHEAD_CLIENT_KEY.");
  const passphrase = own(env, "CLIENT_KEY_PASSPHRASE").value;
  const certificate = passphrase === "" ? { cert, key } : { cert, key, passphrase };
  throwIfUnusable(certificate, env);
  return certificate;
}

/** Otherwise every request would fail as if its server could not be reached. */
function throwIfUnusable(certificate: Certificate, env: Env): void {
  try {
    createSecureContext(certificate);
  } catch (error) {
    const names = ["CLIENT_CERT", "CLIENT_KEY", "CLIENT_KEY_PASSPHRASE"].map((name) => own(env, name).from);
    const [cert, key, passphrase] = names;
    const remedy =
      passphrase === ""
        ? "If the key is encrypted, set RUNAHEAD_CLIENT_KEY_PASSPHRASE."
        : `Check ${passphrase}.`;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Cannot use the client certificate of ${cert} with the key of ${key}: ${why}. ${remedy}`,
      {
        cause: error,
      },
    );
  }
}

function file(env: Env, name: string): Buffer | undefined {
  const { value, from } = own(env, name);
  if (value === "") return undefined;
  try {
    return readFileSync(value);
  } catch (error) {
    throw new Error(
      `Cannot read the file of ${from}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** The names that Claude Code uses work as well. */
function own(env: Env, name: string): { readonly value: string; readonly from: string } {
  const names = [`RUNAHEAD_${name}`, `CLAUDE_CODE_${name}`];
  const from = names.find((each) => (env[each] ?? "") !== "") ?? "";
  return { value: env[from] ?? "", from };
}

function optionsOf({
  httpProxy,
  httpsProxy,
  noProxy,
  certificate,
}: NetworkSettings): EnvHttpProxyAgent.Options {
  return {
    httpProxy,
    httpsProxy,
    noProxy,
    // Many proxies refuse tunnels to any port but 443, so plain requests are forwarded.
    proxyTunnel: false,
    ...(certificate === undefined ? {} : { connect: certificate, requestTls: certificate }),
  };
}

type Check = (host: string, done: (refused: Error | undefined) => void) => void;

interface CheckedProxy {
  readonly agent: Dispatcher;
  readonly close: () => Promise<void>;
}

/** A dispatcher for the web tools that checks each host before a proxy gets it. Undefined without settings. */
export function checkedProxy(connect: buildConnector.connector, check: Check): CheckedProxy | undefined {
  if (current === undefined) return undefined;
  const plain = proxyAgent({ ...optionsOf({ ...current, certificate: undefined }), connect });
  const certified = proxyAgent({ ...optionsOf(current), connect });
  const agent = plain.compose((dispatch) => (options, handler) => {
    const host = hostOf(options.origin);
    check(host, (refused) => {
      if (refused !== undefined) handler.onResponseError?.(null as never, refused);
      else if (certificateFor(host) === undefined) dispatch(options, handler);
      else certified.dispatch(options, handler);
    });
    return true;
  });
  const close = async (): Promise<void> => void (await Promise.all([plain.destroy(), certified.destroy()]));
  return { agent, close };
}

function hostOf(origin: Dispatcher.DispatchOptions["origin"]): string {
  return new URL(String(origin)).hostname.replace(/^\[|\]$/g, "");
}

/** Whether a name means this machine without a lookup. */
export function isLoopbackName(host: string): boolean {
  return isIP(host) === 0 && /(?:^|\.)localhost\.?$/i.test(host);
}

/** For tests: as if nothing had been set. */
export function forgetNetworkSettings(): void {
  current = undefined;
}
