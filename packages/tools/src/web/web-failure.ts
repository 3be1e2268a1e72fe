/** What went wrong on the way to a server, in words. */

import { Refusal } from "../shared/refusal.ts";

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name of the host could not be looked up now",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the server broke the connection",
  EPIPE: "the server broke the connection",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "the host does not answer",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer",
  UND_ERR_HEADERS_TIMEOUT: "the server does not answer",
  UND_ERR_BODY_TIMEOUT: "the server stopped in the middle of its answer",
  UND_ERR_SOCKET: "the server broke the connection",
  UND_ERR_HEADERS_OVERFLOW: "the head of its answer is too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is not as long as the server said",
  Z_DATA_ERROR: "its packed data is corrupt",
  Z_BUF_ERROR: "its packed data ends too early",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by nobody else",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by nobody known",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
};

/** A failure of the network or of the server in words; anything else is a bug and stays what it is. */
export function webFailure(error: unknown, doing: string): unknown {
  if (error instanceof Refusal) return new Refusal(`Cannot ${doing}: ${withoutStop(error.message)}.`);
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== "string") return error;
  const words = WORDS[code] ?? (error as Error).message;
  return new Refusal(`Cannot ${doing}: ${words} (${code}).`);
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}

/** Runs work that ends after so long by itself. */
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
