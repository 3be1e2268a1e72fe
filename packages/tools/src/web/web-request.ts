/** Sends one HTTP request with limits of time and size, without following redirects. */

import { once } from "node:events";
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { unlessStopped } from "@runahead/base";
import type { Dispatcher } from "undici";
import { Refusal } from "../shared/refusal.ts";
import { undici } from "./undici.ts";

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST. Undefined: GET. */
  readonly body: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

export interface WebResponse {
  readonly status: number;
  header(name: string): string;
  /** Resolves with the decompressed body. Throws above this many bytes, compressed or decompressed. */
  bytes(mostBytes: number): Promise<Buffer>;
  /** Discards the body. */
  drop(): void;
}

const USER_AGENT = "Runahead/0.1 (an AI agent's web tools)";

export async function send({ url, headers, body, dispatcher, signal }: WebRequest): Promise<WebResponse> {
  const sent = undici().request(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { "user-agent": USER_AGENT, "accept-encoding": "gzip, br", ...headers },
    body: body ?? null,
    dispatcher,
    signal,
  });
  // undici reacts to an abort only once it is connected.
  const response = await unlessStopped(sent, signal);
  const header = (name: string): string => String(response.headers[name] ?? "");
  // A discarded body ends with an error that nothing awaits.
  response.body.on("error", () => {});
  return {
    status: response.statusCode,
    header,
    bytes: async (mostBytes) => {
      const length = Number(header("content-length"));
      if (length > mostBytes) throw tooLarge(`${length} bytes`, mostBytes);
      const packed = bounded(response.body, mostBytes);
      const unpacker = unpackerFor(header("content-encoding"));
      return unpacker === undefined ? joined(packed) : joined(bounded(unpacked(packed, unpacker), mostBytes));
    },
    drop: () => void response.body.destroy(),
  };
}

function unpackerFor(encoding: string): Transform | undefined {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      return undefined;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new Refusal(`its content encoding "${encoding.slice(0, 100)}" is not supported`);
  }
}

/** Stops decompressing as soon as the consumer stops: a few bytes can expand to gigabytes. */
async function* unpacked(packed: AsyncIterable<Buffer>, unpacker: Transform): AsyncGenerator<Buffer> {
  const source = Readable.from(packed);
  source.on("error", (error) => unpacker.destroy(error));
  try {
    for await (const piece of source.pipe(unpacker)) yield piece as Buffer;
  } finally {
    source.destroy();
    unpacker.destroy();
    if (!source.closed) await once(source, "close").catch(() => {});
  }
}

async function* bounded(pieces: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer> {
  let count = 0;
  for await (const piece of pieces) {
    count += piece.length;
    if (count > mostBytes) throw tooLarge(`more than ${mostBytes} bytes`, mostBytes);
    yield piece;
  }
}

async function joined(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function tooLarge(size: string, mostBytes: number): Refusal {
  return new Refusal(`it has ${size} (limit: ${mostBytes})`);
}
