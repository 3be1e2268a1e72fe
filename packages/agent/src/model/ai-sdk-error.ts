/** Turns errors that AI SDK providers throw or send into a `ModelError`. */

import { connectionError, lostConnection, reasonOf } from "./connection-error.ts";
import { ModelError, NO_STOP_REASON, errorOfStatus, errorOfType } from "./error.ts";
import { type Target, UNKNOWN_TARGET, hostOf } from "./target.ts";
import { waitIn } from "./transport.ts";
import { type Shape, isShape, shapeOf, stringOf } from "@runahead/base";

/** The SDK is not imported, so its errors are recognised by name. */
const KINDS: ReadonlyMap<string, "credentials" | "not-found" | "bad-request" | "protocol" | "cut"> = new Map([
  ["AI_LoadAPIKeyError", "credentials"],
  ["AI_NoSuchModelError", "not-found"],
  ["AI_UnsupportedFunctionalityError", "bad-request"],
  ["AI_InvalidPromptError", "bad-request"],
  ["AI_InvalidArgumentError", "bad-request"],
  ["AI_JSONParseError", "protocol"],
  ["AI_TypeValidationError", "protocol"],
  ["AI_InvalidResponseDataError", "protocol"],
  ["AI_EmptyResponseBodyError", "cut"],
]);

/** Some providers notice a broken stream themselves, but have no error class for it. */
const ENDED_EARLY = /^response stream ended without/i;

/** Where in the request it failed. */
export interface AiSdkFailure {
  /** The response had begun. */
  readonly hasBegun: boolean;
  readonly provider: string;
  readonly model: string;
}

export function errorOfAiSdk(error: unknown, failure: AiSdkFailure): ModelError {
  const target = targetOf(error, failure);
  if (!isShape(error)) return errorOfType({ type: "", message: stringOf(error) }, target);
  if (ENDED_EARLY.test(stringOf(error["message"])))
    return new ModelError("cut", NO_STOP_REASON, { cause: error });
  const kind = KINDS.get(stringOf(error["name"]));
  if (error["name"] === "AI_APICallError") return errorOfCall(error, failure.hasBegun, target);
  if (kind !== undefined) return new ModelError(kind, wordsOf(error), { cause: error });
  if (error instanceof Error) return errorOfThrown(error, failure.hasBegun, target);
  const { type, code, message } = isShape(error["error"]) ? error["error"] : error;
  const types = `${stringOf(type)} ${stringOf(code)}`;
  return errorOfType({ type: types, message: stringOf(message) }, target);
}

/** The provider holds the key and the address, so only its errors say where a request went. */
function targetOf(error: unknown, { provider, model }: AiSdkFailure): Target {
  const url = stringOf(shapeOf(error)["url"]);
  const host = url === "" ? `the server of ${provider}` : hostOf(url);
  return { ...UNKNOWN_TARGET, host, url, model };
}

function errorOfThrown(error: Error & Shape, hasBegun: boolean, target: Target): ModelError {
  if (hasBegun) return lostConnection(error, target);
  if (!isOfConnection(error))
    return new ModelError("protocol", `The AI SDK provider failed: ${wordsOf(error)}`, { cause: error });
  const failed = connectionError(error, target);
  const wasRefused = reasonOf(error).code === "ECONNREFUSED";
  return wasRefused ? failed : new ModelError("cut", failed.message, { cause: error });
}

/** How Node's fetch reports a broken connection. Its error `terminated` has no code of its own. */
function isOfConnection(error: Shape): boolean {
  const { code, message } = reasonOf(error);
  return /^(UND_ERR_SOCKET|ECONN|EPIPE)/.test(code) || message === "terminated";
}

function errorOfCall(error: Shape, hasBegun: boolean, target: Target): ModelError {
  const { statusCode: status, responseHeaders, responseBody, message } = error;
  if (typeof status !== "number") return connectionError(error, target);
  // A successful status means that the response broke off or is not a model's.
  if (status < 400) {
    if (hasBegun || isOfConnection(error)) return lostConnection(error, target);
    const words = `${target.host} sent a response that is not a model's: ${wordsOf(error)}`;
    return new ModelError("protocol", words, { status, cause: error });
  }
  const text = stringOf(responseBody) || JSON.stringify({ error: { message: stringOf(message) } });
  const header = (name: string): string | null => stringOf(shapeOf(responseHeaders)[name]) || null;
  return errorOfStatus(
    { status, text, retryAfter: waitIn(header), shouldRetry: header("x-should-retry") },
    target,
  );
}

function wordsOf(error: Shape): string {
  const message = stringOf(error["message"], "no reason was given");
  const inner = stringOf(shapeOf(error["cause"])["message"]);
  const words = inner === "" || message.includes(inner) ? message : `${message} (${inner})`;
  return words.slice(0, 1_000).toWellFormed();
}
