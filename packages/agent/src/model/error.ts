/** Errors of models, and whether sending the request again can help. */

import { shapeOf, stringOf } from "@runahead/base";
import { kindOfRefusal } from "./refusal.ts";
import { refusalWords } from "./status-words.ts";
import { type Target, UNKNOWN_TARGET } from "./target.ts";

/** Names what went wrong between the program and a model. */
export type ModelErrorKind =
  /** The API key is missing, wrong, or has no access to the model. */
  | "credentials"
  /** The request itself is invalid. */
  | "bad-request"
  /** The conversation does not fit into the context window. */
  | "context-overflow"
  /** The server rejects a part of the conversation, such as a call without a result or a bad image. */
  | "bad-history"
  /** The model or the address does not exist. */
  | "not-found"
  /** A rate limit or a spending limit is reached. */
  | "rate-limit"
  /** The budget of a {@link Limiter} is spent. */
  | "budget"
  /** The provider is overloaded. */
  | "overloaded"
  /** The provider failed. */
  | "server"
  /** There is no connection to the server. */
  | "unreachable"
  /** The response broke off, or nothing came for too long. */
  | "cut"
  /** The answer is not a model's, for example the page of a proxy. */
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
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
  /** Sending the request again would fail in the same way, whatever the kind. Default: false. */
  readonly isPermanent?: boolean;
  /** The server asks to send the request again, whatever the kind. Default: false. */
  readonly isTransient?: boolean;
  readonly cause?: unknown;
}

/** Thrown by models if a request fails or a response breaks off. Its message says what happened and what to do. */
export class ModelError extends Error {
  /** The name of the class. */
  override readonly name = "ModelError";
  /** What went wrong. */
  readonly kind: ModelErrorKind;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;
  readonly #isPermanent: boolean;
  readonly #isTransient: boolean;

  constructor(kind: ModelErrorKind, message: string, details: ModelErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.#isPermanent = details.isPermanent ?? false;
    this.#isTransient = details.isTransient ?? false;
  }

  /**
   * Whether sending the request again can help. The server's `x-should-retry` decides; otherwise the kind does. It
   * cannot help at a spending limit, at an address that cannot work, such as an unknown host, or if the server asks
   * to wait longer than a timer can.
   */
  get isRetryable(): boolean {
    if (this.#isPermanent || (this.retryAfterMs ?? 0) > LONGEST_TIMER_MS) return false;
    return this.#isTransient || RETRYABLE.has(this.kind);
  }
}

/** A longer timer would expire at once: about 24.8 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const NO_STOP_REASON = "The response ended early: the server closed it without a stop reason.";

/** An HTTP response with an error status. */
export interface StatusAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  /** The header `x-should-retry`. */
  readonly shouldRetry?: string | null;
}

/** Limits that waiting does not lift. OpenAI has codes for them; Anthropic and compatible servers only say it. */
const SPENT = /insufficient_quota|billing|credit balance|spend(?:ing)? limit|exceeded your current quota/i;

export function errorOfStatus(
  { status, text, retryAfter, shouldRetry = null }: StatusAnswer,
  target: Target = UNKNOWN_TARGET,
): ModelError {
  const kind = kindOfStatus(status, text);
  const retryAfterMs = toMs(retryAfter);
  const isSpent = kind === "rate-limit" && retryAfterMs === undefined && SPENT.test(text);
  const words = refusalWords({ kind, status, said: messageIn(text), retryAfterMs, isSpent }, target);
  return new ModelError(kind, words, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    isPermanent: shouldRetry === "false" || (isSpent && shouldRetry !== "true"),
    isTransient: shouldRetry === "true",
  });
}

function kindOfStatus(status: number, text: string): ModelErrorKind {
  if (status === 401 || status === 403) return "credentials";
  // OpenAI answers so if it does not know an item of the conversation.
  if (status === 404) return kindOfRefusal(text) === "bad-history" ? "bad-history" : "not-found";
  if (status === 429) return "rate-limit";
  if (status === 529 || status === 503) return "overloaded";
  if (status >= 500 || status === 408 || status === 409) return "server";
  return status === 413 ? "context-overflow" : kindOfRefusal(text);
}

/** From an error event inside a stream. Its type decides the kind, and only the message is shown. */
export function errorOfType(
  { type, message }: { readonly type: string; readonly message: string },
  target: Target = UNKNOWN_TARGET,
): ModelError {
  const kind = kindOfType(type, message);
  const isSpent = kind === "rate-limit" && SPENT.test(`${type} ${message}`);
  const retryAfterMs = kind === "rate-limit" && !isSpent ? 0 : undefined;
  const refused = { kind, status: undefined, said: shortened(message), retryAfterMs, isSpent };
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ModelError(kind, refusalWords(refused, target), { ...details, isPermanent: isSpent });
}

/** From the error object of an event: servers differ in which members it has. */
export function errorOfEvent(error: unknown, target: Target): ModelError {
  const { type, code, status, status_code, message } = shapeOf(error);
  const number = [code, status, status_code].map(Number).find((each) => each >= 400 && each < 600);
  const said = stringOf(message) || stringOf(error);
  const types = [type, code, status].map((each) => stringOf(each)).join(" ");
  const kind = kindOfType(types, said);
  // The number decides only where the words do not.
  if (kind !== "server" || number === undefined) return errorOfType({ type: types, message: said }, target);
  const text = JSON.stringify({ error: { message: said } });
  return errorOfStatus({ status: number, text, retryAfter: null }, target);
}

function kindOfType(type: string, message: string): ModelErrorKind {
  if (type.includes("overloaded")) return "overloaded";
  if (/rate_limit|too_many_requests|quota/.test(type)) return "rate-limit";
  if (type.includes("authentication") || type.includes("permission")) return "credentials";
  const kind = kindOfRefusal(`${type}: ${message}`);
  return type.includes("invalid_request") || kind === "context-overflow" ? kind : "server";
}

const SHOWN_CHARS = 1_000;

function shortened(text: string): string {
  return text.slice(0, SHOWN_CHARS).toWellFormed().trim();
}

/** The message of an error in one of the usual forms, the title of a page, or the beginning of a text. */
function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    // Gemini puts its errors into a list.
    const { error, message: own, detail } = shapeOf(Array.isArray(body) ? body[0] : body);
    const message = typeof error === "string" ? error : (shapeOf(error)["message"] ?? own ?? detail);
    if (typeof message === "string") return shortened(message);
    if (Object.keys(body ?? {}).length === 0) return "";
  } catch {
    // A proxy or a gateway often answers with a page.
  }
  if (!text.trimStart().startsWith("<")) return shortened(text);
  return shortened(/<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? "");
}

/** Reads `retry-after`: seconds, or a date. */
function toMs(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === "") return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
