/** Reads the body of a request: JSON, with a limit. */

import type { IncomingMessage } from "node:http";
import { isShape } from "@runahead/base";
import { Problem } from "./problem.ts";

export type Body = Readonly<Record<string, unknown>>;

/** Returns an empty object if there is no body. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Body> {
  const tooLarge = new Problem(413, `The body is larger than ${mostBytes} bytes.`, { connection: "close" });
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw tooLarge;
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  // A web page can send other types to any server without asking it first.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw new Problem(415, "The body must be JSON: Content-Type: application/json.");
  try {
    const value: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)),
    );
    if (isShape(value)) return value;
  } catch {
    throw new Problem(400, "The body is not valid JSON.");
  }
  throw new Problem(400, "The body must be a JSON object.");
}
