/** Who sends a request, and what they are allowed to do. */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Check, aString, checkOptions, strings, wrong } from "@runahead/base";
import { Problem } from "./problem.ts";

/** What a token is allowed to do. */
export type Scope =
  /** Read sessions, their events, questions and timelines. */
  | "read"
  /** Create sessions, send prompts, interrupt and delete. */
  | "write"
  /** Answer questions: decide whether calls run. */
  | "answer"
  /** Read the metrics of the server, of all tenants. */
  | "metrics";

const SCOPES: readonly Scope[] = ["read", "write", "answer", "metrics"];

/** A token for requests: `Authorization: Bearer …`. */
export interface ServeToken {
  /** The token itself, at least 16 characters. Give `token` or `sha256`. */
  readonly token?: string;
  /** The SHA-256 hash of the token, in hexadecimal: so the configuration does not contain the token. */
  readonly sha256?: string;
  /** The tenant whose sessions it reaches. Default: `default`. */
  readonly tenant?: string;
  /** What it is allowed to do. Default: `read`, `write` and `answer`. */
  readonly scopes?: readonly Scope[];
}

export interface Caller {
  /** Identifies the token in limits and logs; not secret. */
  readonly id: string;
  readonly tenant: string;
  readonly scopes: ReadonlySet<string>;
}

const OPTIONS: Readonly<Record<keyof ServeToken, Check>> = {
  token: aString,
  sha256: aString,
  tenant: aString,
  scopes: strings,
};
const LEAST_CHARS = 16;
const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const HASH = /^[0-9a-f]{64}$/;

export class Tokens {
  readonly #known: readonly { readonly hash: Buffer; readonly caller: Caller }[];

  constructor(tokens: readonly ServeToken[]) {
    this.#known = tokens.map((given, index) => known(given, `serve: token ${index + 1}`));
  }

  /** Throws if the request has no valid token, or its token lacks the scope. */
  callerOf({ headers }: IncomingMessage, scope: Scope): Caller {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (token === undefined)
      throw new Problem(401, "Send the token: Authorization: Bearer …", { "www-authenticate": "Bearer" });
    const hash = sha256(token);
    // All are compared, so that the time does not depend on which one matches.
    const found = this.#known.filter((one) => timingSafeEqual(one.hash, hash))[0];
    if (found === undefined)
      throw new Problem(401, "The token is not known.", {
        "www-authenticate": 'Bearer error="invalid_token"',
      });
    if (!found.caller.scopes.has(scope))
      throw new Problem(403, `The token does not have the scope "${scope}".`);
    return found.caller;
  }
}

function known(given: ServeToken, what: string): { hash: Buffer; caller: Caller } {
  // Without the value, which is probably a token.
  if (typeof given === "string") throw wrong(what, 'an object such as { token: "…" }', "a string");
  checkOptions(given, OPTIONS, what);
  const { token, sha256: hex, tenant = "default", scopes = ["read", "write", "answer"] } = given;
  if ((token === undefined) === (hex === undefined))
    throw new TypeError(`${what}: give either "token" or "sha256".`);
  if (token !== undefined && token.length < LEAST_CHARS)
    throw new TypeError(`${what} must have at least ${LEAST_CHARS} characters.`);
  if (hex !== undefined && !HASH.test(hex)) throw wrong(`${what}: "sha256"`, "64 hexadecimal digits", hex);
  if (!TENANT.test(tenant)) throw wrong(`${what}: "tenant"`, 'letters, digits, "-" or "_"', tenant);
  for (const scope of scopes)
    if (!SCOPES.includes(scope)) throw wrong(`${what}: a scope`, `one of ${SCOPES.join(", ")}`, scope);
  const hash = hex === undefined ? sha256(token ?? "") : Buffer.from(hex, "hex");
  return { hash, caller: { id: hash.toString("hex").slice(0, 12), tenant, scopes: new Set(scopes) } };
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Protects against web pages that a browser on this machine shows: they cannot set these headers to what is allowed. */
export class Origins {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(hosts: readonly string[], origins: readonly string[]) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origins = new Set(origins);
  }

  /** Returns the origin to allow in the response, if the request has one. */
  check({ headers, rawHeaders }: IncomingMessage): string | undefined {
    const { host = "", origin } = headers;
    // A proxy could look at the other one.
    if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length > 1)
      throw new Problem(400, "The request has more than one Host header.");
    const name = host.toLowerCase().replace(/:\d+$/, "");
    if (!this.#hosts.has(host.toLowerCase()) && !this.#hosts.has(name))
      throw new Problem(
        421,
        `This server does not answer for the host ${JSON.stringify(host.slice(0, 100))}.`,
      );
    if (origin === undefined) return undefined;
    if (!this.#origins.has(origin)) throw new Problem(403, "Requests from this origin are not allowed.");
    return origin;
  }
}
