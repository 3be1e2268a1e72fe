/** An S3-compatible bucket for large results: requests are signed with AWS Signature Version 4. */

import { createHash, createHmac } from "node:crypto";
import { type Check, aString, checkOptions, required } from "@runahead/base";
import type { ResultBucket } from "./bucket.ts";

/** Options of {@link s3Bucket}. */
export interface S3Options {
  /** The address of the service, such as `https://s3.eu-central-1.amazonaws.com`. The bucket becomes part of the path. */
  readonly endpoint: string;
  /** The name of the bucket. */
  readonly bucket: string;
  /** The region. Default: `us-east-1`. */
  readonly region?: string;
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret of the access key. */
  readonly secretAccessKey: string;
  /** What the keys of all objects start with. Default: `runahead/`. */
  readonly prefix?: string;
}

const OPTIONS: Readonly<Record<keyof S3Options, Check>> = {
  endpoint: required(aString),
  bucket: required(aString),
  region: aString,
  accessKeyId: required(aString),
  secretAccessKey: required(aString),
  prefix: aString,
};
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 100;
const REQUEST_MS = 30_000;

/**
 * Keeps large results in an S3-compatible bucket: `postgres(url, { results: s3Bucket({ … }) })`.
 *
 * Throws a TypeError for invalid options. A request that fails because of the network or the server is repeated.
 *
 * @example
 * ```ts
 * import { postgres, s3Bucket } from "@runahead/postgres";
 *
 * const results = s3Bucket({
 *   endpoint: "https://s3.eu-central-1.amazonaws.com",
 *   region: "eu-central-1",
 *   bucket: "agent-results",
 *   accessKeyId: process.env["AWS_ACCESS_KEY_ID"] ?? "",
 *   secretAccessKey: process.env["AWS_SECRET_ACCESS_KEY"] ?? "",
 * });
 * const store = postgres("postgres://db.example.com/runahead", { results });
 * await store.close();
 * ```
 */
export function s3Bucket(options: S3Options): ResultBucket {
  checkOptions(options, OPTIONS, "s3Bucket");
  const send = (method: string, key: string, body = ""): Promise<Reply> =>
    patiently(() => request(options, { method, key, body }));
  return {
    async put(key, text) {
      accepted(await send("PUT", key, text), key);
    },
    async get(key) {
      const reply = await send("GET", key);
      return isMissing(reply) ? undefined : accepted(reply, key).text;
    },
    async delete(key) {
      const reply = await send("DELETE", key);
      if (!isMissing(reply)) accepted(reply, key);
    },
  };
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

/** An object that does not exist; a bucket that does not exist is a mistake in the options. */
function isMissing({ status, text }: Reply): boolean {
  return status === 404 && !text.includes("<Code>NoSuchBucket</Code>");
}

function accepted(reply: Reply, key: string): Reply {
  const { status, text } = reply;
  if (status >= 200 && status < 300) return reply;
  throw new Error(`The bucket refused ${key}: HTTP ${status} ${text.slice(0, 300)}`);
}

async function patiently(work: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const reply = await work().catch((error: unknown) => error as Error);
    const hasFailed = reply instanceof Error || reply.status >= 500;
    if (!hasFailed) return reply;
    if (attempt === ATTEMPTS) {
      if (reply instanceof Error) throw new Error(`The bucket does not respond: ${wordsOf(reply)}`);
      return reply;
    }
    await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
  }
}

/** `fetch` says only that it failed. */
function wordsOf({ message, cause }: Error): string {
  return cause instanceof Error ? cause.message || message : message;
}

export interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly body: string;
}

async function request(options: S3Options, { method, key, body }: S3Request): Promise<Reply> {
  const { url, headers } = signed(options, { method, key, body }, new Date());
  const response = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(REQUEST_MS),
    ...(method === "PUT" ? { body } : {}),
  });
  // A connection that breaks in the middle of a text is a failure too.
  return { status: response.status, text: await response.text() };
}

/** Returns the address of a request and the headers to send, with the signature. */
export function signed(options: S3Options, { method, key, body }: S3Request, now: Date) {
  const { endpoint, bucket, region = "us-east-1", accessKeyId, prefix = "runahead/" } = options;
  const url = new URL(endpoint);
  url.pathname = `/${[bucket, ...`${prefix}${key}`.split("/")].map(encoded).join("/")}`;
  const hash = sha256(body);
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const sent = { "x-amz-content-sha256": hash, "x-amz-date": time };
  const headers = { host: url.host, ...sent };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, "", lines.join(""), names, hash].join("\n");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signature = hmac(signingKey(options.secretAccessKey, scope), text).toString("hex");
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { url, headers: { ...sent, authorization } };
}

/** The signature covers the path with all characters encoded but letters, digits and `-_.~`. */
function encoded(part: string): string {
  return encodeURIComponent(part).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function signingKey(secret: string, scope: string): Buffer {
  return scope.split("/").reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(`AWS4${secret}`));
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
