/** Turns network errors into readable ones. */

import { Refusal } from "../shared/refusal.ts";

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name could not be resolved; DNS may be unavailable",
  ECONNREFUSED: "the connection was refused, because no server listens on that port",
  ECONNRESET: "the server closed the connection",
  EPIPE: "the server closed the connection",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "the server did not respond in time",
  UND_ERR_BODY_TIMEOUT: "the server stopped in the middle of its response",
  UND_ERR_SOCKET: "the server closed the connection",
  UND_ERR_HEADERS_OVERFLOW: "the response headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response is not as long as its content-length header says",
  Z_DATA_ERROR: "the compressed response is corrupt",
  Z_BUF_ERROR: "the compressed response is truncated",
  CERT_HAS_EXPIRED: "its TLS certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its TLS certificate is signed by an unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its TLS certificate is for another host",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its TLS certificate cannot be verified",
};

/** Turns a network or server error into a readable one. Other errors are bugs and are returned unchanged. */
export function webFailure(error: unknown, doing: string): unknown {
  if (error instanceof Refusal) return new Refusal(`Cannot ${doing}: ${withoutStop(error.message)}.`);
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== "string") return error;
  const words = WORDS[code] ?? `${withoutStop((error as Error).message)} (${code})`;
  return new Refusal(`Cannot ${doing}: ${words}.`);
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}

/** Runs work with a time limit. */
export async function withinTime<Value>(
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limitMs);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    signal.throwIfAborted();
    throw late.signal.aborted ? new Refusal(`it took longer than ${limitMs / 1_000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}
