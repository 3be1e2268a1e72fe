/** Fetches a URL as text and follows redirects on the same host. */

import { STATUS_CODES } from "node:http";
import { Refusal } from "../shared/refusal.ts";
import { isSameSite, webAddress } from "./web-address.ts";
import { type Network, connections } from "./web-connect.ts";
import { webFailure, withinTime } from "./web-failure.ts";
import { type WebResponse, send } from "./web-request.ts";
import {
  type ContentKind,
  type ContentType,
  contentType,
  decodeBytes,
  kindByBytes,
  kindByType,
} from "./web-text.ts";

export const DOWNLOAD_BYTES = 10 * 1024 * 1024;
export const DOWNLOAD_MS = 60_000;
const MOST_REDIRECTS = 5;
/** How much of an error response is read. */
const ERROR_BYTES = 64 * 1024;
const ERROR_CHARS = 1_000;
const ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";

export interface Downloaded {
  readonly type: "downloaded";
  /** The URL after redirects. */
  readonly url: string;
  readonly mediaType: string;
  readonly kind: "html" | "text";
  readonly text: string;
  readonly bytes: number;
  readonly notes: readonly string[];
  /** What the server calls this version of the page; empty if it does not say, or forbids caching. */
  readonly etag: string;
}

/** The server still has the version that is known. */
export interface Unchanged<Known> {
  readonly type: "unchanged";
  readonly known: Known;
}

/** A redirect to another host, which the user may not have allowed. */
export interface Redirected {
  readonly type: "redirected";
  /** The URL that was fetched. */
  readonly from: string;
  /** Where it redirects to. */
  readonly to: string;
  /** The HTTP status. */
  readonly status: number;
}

export interface DownloadOptions {
  readonly network: Network;
  readonly allowPrivate: boolean;
  readonly limitMs: number;
}

/** A version of a page. */
export interface Version {
  readonly etag: string;
}

/** Asks the server for a page, or only for a version other than the known one. */
export async function download<Known extends Version>(
  { url, known }: { readonly url: URL; readonly known?: Known | undefined },
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Downloaded | Redirected | Unchanged<Known>> {
  const { agent, close } = connections(options.network, options.allowPrivate);
  try {
    return await withinTime(options.limitMs, signal, (inTime) =>
      follow(url, known, (at, headers) =>
        send({ url: at, headers, body: undefined, dispatcher: agent, signal: inTime }),
      ),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw webFailure(error, `fetch ${url.href}`);
  } finally {
    await close();
  }
}

function headersFor(known: Version | undefined): Record<string, string> {
  return { accept: ACCEPT, ...(known === undefined ? {} : { "if-none-match": known.etag }) };
}

async function follow<Known extends Version>(
  first: URL,
  known: Known | undefined,
  get: (url: URL, headers: Record<string, string>) => Promise<WebResponse>,
): Promise<Downloaded | Redirected | Unchanged<Known>> {
  let url = first;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    // Another page can have the same etag.
    const asked = hops === 0 ? known : undefined;
    const response = await get(url, headersFor(asked));
    const { status } = response;
    const location = response.header("location");
    if (status < 300 || status >= 400) return receive(url, response);
    response.drop();
    if (status === 304 && asked !== undefined) return { type: "unchanged", known: asked };
    if (location === "" || !URL.canParse(location, url.href))
      throw new Refusal(`the server responded ${named(status)} without a valid Location`);
    const to = webAddress(new URL(location, url).href);
    if (!isSameSite(url, to)) return { type: "redirected", from: url.href, to: to.href, status };
    url = to;
  }
  throw new Refusal(`it redirects more than ${MOST_REDIRECTS} times`);
}

async function receive(url: URL, response: WebResponse): Promise<Downloaded> {
  const type = contentType(response.header("content-type"));
  const claimed = kindByType(type);
  if (response.status >= 400) throw await errorResponse(response, type);
  if (claimed === "binary") {
    const length = response.header("content-length");
    response.drop();
    throw notText(type, length === "" ? "of unknown size" : `${Number(length)} bytes`);
  }
  const bytes = await response.bytes(DOWNLOAD_BYTES);
  const kind = kindByBytes(bytes, claimed);
  if (kind === "binary") throw notText(type, `${bytes.length} bytes`);
  return downloaded({ url, response, type, kind, bytes });
}

interface Received {
  readonly url: URL;
  readonly response: WebResponse;
  readonly type: ContentType;
  readonly kind: Exclude<ContentKind, "binary">;
  readonly bytes: Buffer;
}

/** Resolves with whether the server says that a page is still the version with this etag. */
export async function isStill(
  { url, etag }: Version & { readonly url: URL },
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { agent, close } = connections(options.network, options.allowPrivate);
  const headers = headersFor({ etag });
  try {
    const response = await withinTime(options.limitMs, signal, (inTime) =>
      send({ url, headers, body: undefined, dispatcher: agent, signal: inTime }),
    );
    response.drop();
    return response.status === 304;
  } finally {
    await close();
  }
}

function downloaded({ url, response, type, kind, bytes }: Received): Downloaded {
  const { text, note } = decodeBytes(bytes, type, kind);
  const plain =
    url.protocol === "http:"
      ? "Fetched over unencrypted http, so the content could have been changed in transit."
      : "";
  const mayKeep = !/\bno-store\b/i.test(response.header("cache-control"));
  return {
    type: "downloaded",
    url: url.href,
    mediaType: type.mediaType === "" ? "unknown type" : type.mediaType,
    kind,
    text,
    bytes: bytes.length,
    notes: [plain, note].filter((words) => words !== ""),
    etag: mayKeep ? response.header("etag") : "",
  };
}

function notText({ mediaType }: ContentType, size: string): Refusal {
  const what = mediaType === "" ? "binary data" : mediaType;
  return new Refusal(
    `it is ${what} (${size}), and WebFetch reads only text; download it with a Bash command, then use Read`,
  );
}

async function errorResponse(response: WebResponse, type: ContentType): Promise<Refusal> {
  const retryAfter = response.header("retry-after").slice(0, 40);
  const later = retryAfter === "" ? "" : ` (retry-after: ${retryAfter})`;
  const head = `the server responded ${named(response.status)}${later}`;
  if (kindByType(type) !== "text") {
    response.drop();
    return new Refusal(head);
  }
  const body = await response.bytes(ERROR_BYTES).catch(() => Buffer.alloc(0));
  const words = decodeBytes(body, type, "text").text.trim().slice(0, ERROR_CHARS).toWellFormed();
  return new Refusal(words === "" ? head : `${head}: ${words}`);
}

function named(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? String(status) : `${status} ${name}`;
}
