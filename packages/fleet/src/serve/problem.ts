/** Errors of the HTTP interface, as `application/problem+json`. */

import { isOfMachine } from "../machine-failure.ts";

export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  415: "Unsupported media type",
  421: "Wrong host",
  429: "Too many requests",
  500: "Internal error",
  503: "Not available",
};

export function problemBody({ status, message }: Problem): string {
  return JSON.stringify({ type: "about:blank", title: TITLES[status] ?? "Error", status, detail: message });
}

/** Errors of the queue and the store have names; anything else is a bug, and its message is not shown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { name } = error instanceof Error ? error : new Error(String(error));
  if (name === "NoSuchSession") return new Problem(404, "There is no session with this id.");
  if (name === "SessionExists")
    return new Problem(409, "A session with this id exists. Send a prompt to it instead.");
  if (name === "SessionLocked")
    return new Problem(409, "The session is in use. Interrupt it first, or wait.");
  if (isOfMachine(error))
    return new Problem(503, "The store cannot be used at the moment. Send the request again.", {
      "retry-after": "5",
    });
  return new Problem(500, "The server failed to handle the request. Its log has the details.");
}
