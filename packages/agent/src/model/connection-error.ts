/** Why there is no connection to a model's server, and what to do about it. */

import { shapeOf, stringOf } from "@runahead/base";
import { ModelError } from "./error.ts";
import { type Target, isLocal } from "./target.ts";

interface Failure {
  readonly words: string;
  /** Sending the same request again would fail in the same way. */
  readonly isPermanent: boolean;
}

/** The codes of OpenSSL's verification, and Node's own for a wrong host. */
const CERTIFICATE =
  /^(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|ERROR_IN_CERT|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH|[A-Z]+_KEY_TOO_SMALL|[A-Z]+_MD_TOO_WEAK|AKID_|SUBJECT_ISSUER|KEYUSAGE_)/;
/** The server wants a certificate of the client, or does not accept it. */
const CLIENT_CERTIFICATE =
  /ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|CERTIFICATE_UNKNOWN|HANDSHAKE_FAILURE)/;
const TLS = /^(?:ERR_SSL|ERR_TLS|EPROTO)/;
const RESET = /^(?:UND_ERR_SOCKET|ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_CLOSED|UND_ERR_DESTROYED)/;
const TIMEOUT = /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)/;

/** From an error that `fetch` threw before there was a response. */
export function connectionError(error: unknown, target: Target): ModelError {
  const { words, isPermanent } = failureOf(error, target);
  return new ModelError("unreachable", words, { cause: error, isPermanent });
}

/** From an error that ended a response before its end. */
export function lostConnection(error: unknown, { host }: Target): ModelError {
  const { code, message } = reasonOf(error);
  const isPlain = code === "" || RESET.test(code) || TIMEOUT.test(code);
  const why = isPlain ? "" : ` Reason: ${withCode(message, code)}.`;
  return new ModelError("cut", `The connection to ${host} was lost during the response.${why}`, {
    cause: error,
  });
}

/** From a server that sent no content within the limit. */
export function noAnswerWithin(limitMs: number, target: Target): ModelError {
  const words = `${target.host} did not begin to answer within ${limitMs / 1000} s. Raise RUNAHEAD_STREAM_START_MS to wait longer. ${network(target)}`;
  return new ModelError("unreachable", words);
}

function failureOf(error: unknown, target: Target): Failure {
  const { host, url, addressFrom } = target;
  const { code, message } = reasonOf(error);
  const permanent = (words: string): Failure => ({ words, isPermanent: true });
  const passing = (words: string): Failure => ({ words, isPermanent: false });
  // A TypeError without a code means that fetch did not accept the request itself, for example its port.
  if (isBadUrl(url) || (code === "" && error instanceof TypeError))
    return permanent(
      `Cannot send a request to "${withoutPassword(url)}": ${addressProblem(url) ?? message}. Check ${addressFrom ?? "the address of the API"}.`,
    );
  const ofProxy = proxyFailure(error, target);
  if (ofProxy !== undefined) return ofProxy;
  if (code === "ECONNREFUSED" && isLocal(target))
    return permanent(
      `Nothing is listening at ${host} (connection refused). Start the server, or check ${addressFrom ?? "its address"}.`,
    );
  if (code === "ECONNREFUSED") return passing(`${host} refused the connection. ${network(target)}`);
  if (code === "ENOTFOUND")
    return permanent(`The host ${host} was not found: its name has no address. ${network(target)}`);
  if (code === "EAI_AGAIN")
    return passing(
      `The name ${host} could not be resolved: the DNS server did not answer. ${network(target)}`,
    );
  if (CERTIFICATE.test(code))
    return permanent(
      `The TLS certificate of ${host} was not accepted: ${message}. If a proxy inspects your traffic, set NODE_EXTRA_CA_CERTS to the file with its certificate.`,
    );
  if (CLIENT_CERTIFICATE.test(code))
    return permanent(
      `${host} refused the TLS connection (${code}): it probably requires a client certificate. Set RUNAHEAD_CLIENT_CERT and RUNAHEAD_CLIENT_KEY.`,
    );
  if (TLS.test(code))
    return permanent(
      `No TLS connection to ${host}: the server may expect http instead of https. ${network(target)}`,
    );
  if (/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)/.test(code))
    return passing(`There is no network route to ${host}. ${network(target)}`);
  if (TIMEOUT.test(code)) return passing(`${host} did not accept the connection in time. ${network(target)}`);
  if (RESET.test(code))
    return passing(`${host} closed the connection before it answered. ${network(target)}`);
  return passing(`${host} could not be reached: ${withCode(message, code)}. ${network(target)}`);
}

/** What undici says if a proxy refuses a tunnel or a request. No member of the error has the status. */
const PROXY_STATUS = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** Returns what went wrong between here and the proxy; undefined if it is not that. */
function proxyFailure(error: unknown, { host, url }: Target): Failure | undefined {
  const proxy = proxyOf(url);
  if (proxy === undefined) return undefined;
  const { code, message, port } = reasonOf(error);
  const status = Number(PROXY_STATUS.exec(message)?.[1]);
  if (status === 407)
    return {
      words: `The proxy of ${proxy.from} requires a user name and a password (407). Set ${proxy.from} to http://user:password@host:port.`,
      isPermanent: true,
    };
  if (status > 0) {
    const words = `The proxy of ${proxy.from} did not connect to ${host} (${status}). Check ${proxy.from}, or add the host to NO_PROXY.`;
    return { words, isPermanent: status < 500 };
  }
  if (code !== "ECONNREFUSED" || String(port) !== proxy.port) return undefined;
  return {
    words: `The proxy of ${proxy.from} refused the connection. Check ${proxy.from}.`,
    isPermanent: false,
  };
}

interface Proxy {
  /** The variable that names it. */
  readonly from: string;
  readonly port: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** Lower case wins, as in curl; requests over https also use the proxy for http. */
function proxyOf(url: string): Proxy | undefined {
  const names = url.startsWith("https:") ? ["HTTPS_PROXY", "HTTP_PROXY"] : ["HTTP_PROXY"];
  const from = names
    .flatMap((name) => [name.toLowerCase(), name])
    .find((name) => (process.env[name] ?? "") !== "");
  if (from === undefined) return undefined;
  const given = process.env[from] ?? "";
  const address = given.includes("://") ? given : `http://${given}`;
  if (!URL.canParse(address)) return undefined;
  const { port, protocol } = new URL(address);
  return { from, port: port || (DEFAULT_PORTS[protocol] ?? "") };
}

function network({ addressFrom, url }: Target): string {
  const proxy = proxyOf(url)?.from;
  if (addressFrom === undefined) return `Check your network connection and ${proxy ?? "proxy"}.`;
  return proxy === undefined
    ? `Check ${addressFrom} and your network connection.`
    : `Check ${addressFrom}, ${proxy} and your network connection.`;
}

function isBadUrl(url: string): boolean {
  return url !== "" && addressProblem(url) !== undefined;
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return url;
  const shown = new URL(url);
  shown.password = "";
  shown.username = "";
  return shown.href;
}

function addressProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return "this is not a valid URL";
  const { protocol, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return "the address must start with http:// or https://";
  return username + password === "" ? undefined : "the address contains a user name or password";
}

function withCode(message: string, code: string): string {
  const words = message === "" ? "no reason was given" : message.replace(/\.$/, "");
  return code === "" || words.includes(code) ? words : `${words} (${code})`;
}

const DEEPEST = 5;

interface Reason {
  readonly code: string;
  readonly message: string;
  /** The port of a connection that failed. */
  readonly port: unknown;
}

/** Node, undici and the AI SDK wrap the reason: the innermost error with a code has it. */
export function reasonOf(error: unknown): Reason {
  let found: Reason = { code: "", message: "", port: undefined };
  let next = error;
  for (let depth = 0; depth < DEEPEST && next !== undefined && next !== null; depth++) {
    const { code, message, port, cause } = shapeOf(next);
    const words = stringOf(message);
    if (typeof code === "string" && code !== "") found = { code, message: words, port };
    else if (found.code === "" && words !== "") found = { code: "", message: words, port };
    next = cause;
  }
  return found;
}
