/** What can go wrong between a program and a model, and whether trying again can help. */

import { kindOfRefusal } from "./refusal.ts";

/** Says what went wrong between the program and a model. */
export type ModelErrorKind =
  /** No key, a bad key, or no right to the model. */
  | "credentials"
  /** The request itself is wrong. */
  | "bad-request"
  /** The conversation is longer than the model can read: it must become shorter. */
  | "context-overflow"
  /** Something in the conversation is not taken: a call without a result, a stale signature, a bad image. */
  | "bad-history"
  /** There is no such model or address. */
  | "not-found"
  /** Too many requests, or a spending cap. */
  | "rate-limit"
  /** The provider has no capacity at the moment. */
  | "overloaded"
  /** The provider failed. */
  | "server"
  /** Nobody answers. */
  | "unreachable"
  /** It broke off, or said nothing for too long. */
  | "cut"
  /** What answers is not the model: a proxy, a portal, a page. */
  | "protocol";

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set([
  "rate-limit",
  "overloaded",
  "server",
  "unreachable",
  "cut",
]);

export interface ModelErrorDetails {
  readonly status?: number;
  /** How long the server asks to be left alone. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Thrown by models: the request failed, or the response broke off. */
export class ModelError extends Error {
  /** The name of the class. */
  override readonly name = "ModelError";
  /** What went wrong. */
  readonly kind: ModelErrorKind;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ModelErrorKind, message: string, details: ModelErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  /**
   * Whether sending the request again can help. A rate limit without a time to wait is a spending cap: waiting does
   * not help.
   */
  get isRetryable(): boolean {
    if (this.kind === "rate-limit") return this.retryAfterMs !== undefined;
    return RETRYABLE.has(this.kind);
  }
}

/** From an HTTP answer that is not a stream. */
export function errorOfStatus(status: number, text: string, retryAfter: string | null): ModelError {
  const message = `${status}: ${messageIn(text)}`;
  const retryAfterMs = toMs(retryAfter);
  const details = retryAfterMs === undefined ? { status } : { status, retryAfterMs };
  return new ModelError(kindOfStatus(status, text), message, details);
}

function kindOfStatus(status: number, text: string): ModelErrorKind {
  if (status === 401 || status === 403) return "credentials";
  if (status === 404) return "not-found";
  if (status === 429) return "rate-limit";
  if (status === 529 || status === 503) return "overloaded";
  if (status >= 500 || status === 408 || status === 409) return "server";
  return status === 413 ? "context-overflow" : kindOfRefusal(text);
}

/** From an error that comes inside a stream. */
export function errorOfType(type: string, message: string): ModelError {
  const text = `${type}: ${message}`;
  if (type.includes("overloaded")) return new ModelError("overloaded", text);
  if (type.includes("rate_limit")) return new ModelError("rate-limit", text, { retryAfterMs: 0 });
  if (type.includes("authentication") || type.includes("permission"))
    return new ModelError("credentials", text);
  const kind = kindOfRefusal(text);
  if (type.includes("invalid_request") || kind === "context-overflow") return new ModelError(kind, text);
  return new ModelError("server", text);
}

const SHOWN_CHARS = 300;

/** The words of the error where it is in one of the usual forms, else its beginning. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string };
    const message = typeof error === "string" ? error : error?.message;
    if (typeof message === "string") return message;
  } catch {
    // Not JSON: a page of something on the way.
  }
  return text.slice(0, SHOWN_CHARS).toWellFormed() || "no explanation was given";
}

/** Seconds, or a date. */
function toMs(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === "") return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
