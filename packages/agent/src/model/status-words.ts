/** What an error status of a model's server means, and what to do about it. */

import type { ModelErrorKind } from "./error.ts";
import type { Target } from "./target.ts";

export interface Refused {
  readonly kind: ModelErrorKind;
  /** The HTTP status. Undefined for an error inside a stream. */
  readonly status: number | undefined;
  /** The server's own explanation; empty without one. */
  readonly said: string;
  readonly retryAfterMs: number | undefined;
  /** A limit that waiting does not lift. */
  readonly isSpent: boolean;
}

type Words = (refused: Refused, target: Target) => string;

const WORDS: Readonly<Partial<Record<ModelErrorKind, Words>>> = {
  credentials: (refused, target) =>
    refused.status === 403 ? deniedWords(refused, target) : keyWords(refused, target),
  "not-found": (refused, target) =>
    isAboutModel(refused, target)
      ? `The model "${target.model}" was not found at ${target.host}${code(refused)}. Check the model name.`
      : `${target.url || target.host} was not found${code(refused)}. ${checkAddress(target)}`,
  "context-overflow": (refused, target) =>
    refused.status === 413
      ? `The request is too large for ${target.host}${code(refused)}. Compact the conversation, or attach less.`
      : `The conversation is too long for the model${code(refused)}. Compact it, or start a new one.`,
  "rate-limit": (refused, target) =>
    refused.isSpent
      ? `A spending limit of your account at ${target.host} is reached${code(refused)}. Raise the limit, or use another key.`
      : `The rate limit of ${target.host} is reached${code(refused)}. ${waitWords(refused.retryAfterMs ?? 0)}`,
  overloaded: (refused, target) =>
    `${target.host} is overloaded${code(refused)}. Try again later, or use another model.`,
  server: (refused, target) =>
    `${target.host} failed to process the request${code(refused)}. This is a server error: try again later.`,
  "bad-history": (refused, target) =>
    `${target.host} rejected something in the conversation${code(refused)}. If it persists, rewind or start a new one.`,
};

/** Says what happened, why and what to do; the server's own words come last. */
export function refusalWords(refused: Refused, target: Target): string {
  const words = (WORDS[refused.kind] ?? rejected)(refused, target);
  const { said } = refused;
  return sentence(said === "" ? words : `${words} Server message: ${said}`);
}

function rejected(refused: Refused, { host }: Target): string {
  const remedy =
    refused.said === "" ? "The server gave no reason." : "Correct what the server message names.";
  return `${host} rejected the request${code(refused)}. ${remedy}`;
}

function code({ status }: Refused): string {
  return status === undefined ? "" : ` (${status})`;
}

function keyWords(refused: Refused, { host, keyFrom, keyName }: Target): string {
  return keyFrom === undefined
    ? `${host} requires an API key${code(refused)}. Set ${keyName}.`
    : `The API key was refused by ${host}${code(refused)}. Check ${keyFrom}.`;
}

function deniedWords(refused: Refused, { host, keyFrom, keyName, model }: Target): string {
  const what = model === "" ? "the model" : `"${model}"`;
  const remedy = keyFrom === undefined ? `Set ${keyName}.` : `Check that ${keyFrom} has access to it.`;
  return `Access to ${what} was denied by ${host}${code(refused)}. ${remedy}`;
}

/** Servers that do not know a path answer with a page or with other words. Few have a code for an unknown model. */
function isAboutModel({ said }: Refused, { model }: Target): boolean {
  return model !== "" && (said.includes(model) || /\bmodel\b/i.test(said));
}

function checkAddress({ addressFrom }: Target): string {
  return addressFrom === undefined ? "Check the address of the API." : `Check ${addressFrom}.`;
}

const DAY_MS = 86_400_000;

function waitWords(waitMs: number): string {
  if (waitMs <= 0) return "Send fewer requests at a time.";
  if (waitMs >= DAY_MS)
    return `The server asks to wait ${Math.ceil(waitMs / DAY_MS)} days: check the limits of your account, or use another model.`;
  return `Wait ${Math.ceil(waitMs / 1000)} s before the next request.`;
}

/** Hosts keep their spelling: only the words of a target without one begin in lower case. */
function sentence(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}
