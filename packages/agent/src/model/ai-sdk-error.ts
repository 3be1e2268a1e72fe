/** What providers of the AI SDK throw, or send in place of a part, as a `ModelError`. */

import { ModelError, errorOfStatus, errorOfType } from "./error.ts";
import { type Shape, isShape, shapeOf, stringOf } from "@runahead/base";

/** The SDK's own errors are known by their names, since its classes are not at hand. */
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

/** Some providers notice themselves, and have no error of their own for it. */
const ENDED_EARLY = /^response stream ended without/i;

/** `hasBegun`: the answer was coming in. */
export function errorOfAiSdk(error: unknown, hasBegun: boolean): ModelError {
  if (!isShape(error)) return errorOfType("error", stringOf(error, "no explanation was given"));
  if (ENDED_EARLY.test(stringOf(error["message"])))
    return new ModelError("cut", wordsOf(error), { cause: error });
  const kind = KINDS.get(stringOf(error["name"]));
  if (error["name"] === "AI_APICallError") return errorOfCall(error, hasBegun);
  if (kind !== undefined) return new ModelError(kind, wordsOf(error), { cause: error });
  if (error instanceof Error) {
    const isCut = hasBegun || isOfConnection(error);
    const what = isCut ? "the connection was cut" : "the provider failed";
    return new ModelError(isCut ? "cut" : "protocol", `${what}: ${wordsOf(error)}`, { cause: error });
  }
  const { type, code, message } = isShape(error["error"]) ? error["error"] : error;
  const said = stringOf(message, "no explanation was given");
  return errorOfType(
    [type, code]
      .map((word) => stringOf(word))
      .join(" ")
      .trim() || "error",
    said,
  );
}

/** As Node's fetch says that a connection broke, before a provider has made anything of the answer. */
function isOfConnection(error: Shape): boolean {
  const cause = shapeOf(error["cause"]);
  const isBroken = /^(UND_ERR_SOCKET|ECONN|EPIPE)/.test(stringOf(cause["code"]));
  return isBroken || error["message"] === "terminated" || cause["message"] === "terminated";
}

function errorOfCall(error: Shape, hasBegun: boolean): ModelError {
  const { statusCode: status, responseHeaders, responseBody, message } = error;
  if (typeof status !== "number")
    return new ModelError("unreachable", `the model cannot be reached: ${wordsOf(error)}`, { cause: error });
  // An answer that is well in its status broke off, or is not a model's.
  if (status < 400)
    return new ModelError(hasBegun || isOfConnection(error) ? "cut" : "protocol", wordsOf(error), {
      status,
      cause: error,
    });
  const body = stringOf(responseBody) || JSON.stringify({ error: { message: stringOf(message) } });
  return errorOfStatus(status, body, waitIn(shapeOf(responseHeaders)));
}

function waitIn(headers: Shape): string | null {
  const { "retry-after": wait, "retry-after-ms": waitMs } = headers;
  const ms = Number(waitMs);
  return stringOf(waitMs) !== "" && Number.isFinite(ms) ? String(ms / 1000) : stringOf(wait) || null;
}

/** The reason is often one level down. */
function wordsOf(error: Shape): string {
  const { code, message } = shapeOf(error["cause"]);
  const words = stringOf(error["message"], "no explanation was given");
  const reason = stringOf(code) || stringOf(message);
  return (reason === "" || words.includes(reason) ? words : `${words} (${reason})`)
    .slice(0, 1_000)
    .toWellFormed();
}
