/** One request over HTTP and its answer, within limits of time and size, and without following redirects. */

import { once } from "node:events";
import { Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Dispatcher, request } from "undici";
import { Refusal } from "../shared/refusal.ts";
import { unlessStopped } from "../shared/unless-stopped.ts";

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST; GET where undefined. */
  readonly body: string | undefined;
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

export interface WebResponse {
  readonly status: number;
  header(name: string): string;
  /** The body, decompressed; refused above so many bytes, packed or unpacked. */
  bytes(mostBytes: number): Promise<Buffer>;
  /** The body is not wanted. */
  drop(): void;
}

const USER_AGENT = "Runahead/0.1 (an AI agent's web tools)";

export async function send({ url, headers, body, dispatcher, signal }: WebRequest): Promise<WebResponse> {
  const sent = request(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { "user-agent": USER_AGENT, "accept-encoding": "gzip, br", ...headers },
    body: body ?? null,
    dispatcher,
    signal,
  });
  // The library notices a stop only once it is connected.
  const response = await unlessStopped(sent, signal);
  const header = (name: string): string => String(response.headers[name] ?? "");
  // What is dropped ends with an error that nobody waits for.
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
      throw new Refusal(`it is packed as "${encoding.slice(0, 100)}", which cannot be unpacked here`);
  }
}

/** Ends the unpacking as soon as nobody wants more: a few bytes can stand for gigabytes. */
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
  return new Refusal(`it has ${size}, and at most ${mostBytes} are read`);
}
