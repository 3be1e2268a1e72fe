/**
 * An S3-compatible server for tests, on this machine only. It answers as S3 does, in XML, and checks the signature of every
 * request with aws4, which has nothing in common with the signatures of this package.
 */

import { createHash } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sign } from "aws4";
import type { S3Options } from "../../src/index.ts";

export interface S3Server {
  /** The endpoint, the bucket, the region and the credentials that it accepts. */
  readonly options: S3Options & { readonly region: string };
  /** The objects of the bucket, by key. */
  readonly objects: ReadonlyMap<string, string>;
  /** The next requests fail, as those to an overloaded server do. */
  failNext(requests: number): void;
  /** The next texts are sent only in part, and then the connection breaks. */
  cutNext(texts: number): void;
  close(): Promise<void>;
}

const SERVER = {
  bucket: "agents",
  region: "eu-central-1",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
/** S3 refuses requests that are older. */
const OLDEST_MS = 15 * 60_000;

export async function s3Server(): Promise<S3Server> {
  const objects = new Map<string, string>();
  let failures = 0;
  let cuts = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (failures-- > 0) return refuse(response, 503, "SlowDown");
      const isCut = request.method === "GET" && cuts-- > 0;
      answer({ request, response, body: Buffer.concat(chunks), objects, isCut });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    options: { endpoint: `http://127.0.0.1:${port}`, ...SERVER },
    objects,
    failNext: (requests) => void (failures = requests),
    cutNext: (texts) => void (cuts = texts),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly objects: Map<string, string>;
  readonly isCut: boolean;
}

function answer({ request, response, body, objects, isCut }: Exchange): void {
  const problem = problemWith(request, body);
  if (problem !== undefined) return refuse(response, 403, problem);
  const [, bucket, ...parts] = (request.url ?? "").split("/").map(decodeURIComponent);
  if (bucket !== SERVER.bucket) return refuse(response, 404, "NoSuchBucket");
  const key = parts.join("/");
  const found = objects.get(key);
  switch (request.method) {
    case "PUT":
      objects.set(key, body.toString());
      return void response.writeHead(200).end();
    case "DELETE":
      objects.delete(key);
      return void response.writeHead(204).end();
    case "GET":
      if (found === undefined) return refuse(response, 404, "NoSuchKey");
      if (!isCut) return void response.writeHead(200).end(found);
      response.writeHead(200, { "content-length": Buffer.byteLength(found) });
      return void response.write(found.slice(0, found.length / 2), () => response.destroy());
    default:
      return refuse(response, 405, "MethodNotAllowed");
  }
}

function problemWith({ method, url, headers }: IncomingMessage, body: Buffer): string | undefined {
  const { authorization = "" } = headers;
  const [, credential = "", names = ""] =
    /Credential=([^,]+), SignedHeaders=([^,]+),/.exec(authorization) ?? [];
  if (!credential.startsWith(`${SERVER.accessKeyId}/`)) return "InvalidAccessKeyId";
  const hash = createHash("sha256").update(body).digest("hex");
  if (headers["x-amz-content-sha256"] !== hash) return "XAmzContentSHA256Mismatch";
  const signed = Object.fromEntries(names.split(";").map((name) => [name, headers[name]]));
  const time = String(signed["x-amz-date"]).replace(/^(.{4})(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  // Also if the date was not signed, or is not a date.
  if (!(Math.abs(Date.now() - Date.parse(time)) < OLDEST_MS)) return "RequestTimeTooSkewed";
  const { region, ...keys } = SERVER;
  // It takes the time and the hash of the body from the headers.
  const given = { method: method ?? "", path: url ?? "", service: "s3", region };
  const again = sign({ ...given, headers: { ...signed } }, keys);
  return again.headers?.["Authorization"] === authorization ? undefined : "SignatureDoesNotMatch";
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`;
  response.writeHead(status, { "content-type": "application/xml" }).end(text);
}
