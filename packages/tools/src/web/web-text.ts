/** Detects the kind of a response from its headers and bytes, and decodes it to text. */

export type ContentKind = "html" | "text" | "binary";

export interface ContentType {
  /** Such as `text/html`; empty if the server sent none. */
  readonly mediaType: string;
  readonly charset: string | undefined;
}

export function contentType(header: string): ContentType {
  const mediaType = (header.split(";")[0] ?? "").trim().toLowerCase().slice(0, 100);
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(header)?.[1];
  return { mediaType, charset };
}

const HTML = /^(text\/html|application\/xhtml\+xml)$/;
const TEXT =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|toml)|application\/(x-)?(javascript|ecmascript|typescript|ndjson|jsonl|yaml|sh|latex|tex|sql|graphql|www-form-urlencoded)|application\/json-seq|image\/svg\+xml|message\/.+)$/;
/** Types that say nothing, so that the bytes must be inspected. */
const ANYTHING = /^(|application\/octet-stream|binary\/octet-stream|application\/x-unknown)$/;

/** Undefined if the bytes must be inspected. */
export function kindByType({ mediaType }: ContentType): ContentKind | undefined {
  if (HTML.test(mediaType)) return "html";
  if (TEXT.test(mediaType)) return "text";
  return ANYTHING.test(mediaType) ? undefined : "binary";
}

const LOOKED_AT_BYTES = 4_096;

export function kindByBytes(bytes: Buffer, claimed: ContentKind | undefined): ContentKind {
  const head = bytes.subarray(0, LOOKED_AT_BYTES);
  const isWide = byteOrderMark(bytes)?.startsWith("utf-16") === true;
  if (head.toString("latin1", 0, 5) === "%PDF-" || (!isWide && head.includes(0))) return "binary";
  if (claimed !== undefined) return claimed;
  return /^\s*(<!doctype html|<html[\s>])/i.test(head.toString("latin1").replace(/^\xef\xbb\xbf/, ""))
    ? "html"
    : "text";
}

export interface Decoded {
  readonly text: string;
  /** A note for the model; can be empty. */
  readonly note: string;
}

/** Like browsers: byte order mark, else the server's header, else the page's meta tag, else UTF-8. */
export function decodeBytes(bytes: Buffer, { charset }: ContentType, kind: ContentKind): Decoded {
  const said =
    byteOrderMark(bytes) ?? charset ?? (kind === "html" ? metaCharset(bytes) : undefined) ?? "utf-8";
  const decoder = decoderFor(said);
  if (decoder !== undefined) return { text: decoder.decode(bytes), note: "" };
  const note = `Unknown character set "${said.slice(0, 40)}"; decoded as UTF-8.`;
  return { text: new TextDecoder().decode(bytes), note };
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function metaCharset(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, LOOKED_AT_BYTES);
  const charset = /<meta[^>]{0,300}?charset\s*=\s*["']?([^\s"'>;/]+)/i.exec(head)?.[1];
  // The meta tag was readable as single bytes, so the page is not UTF-16, whatever the tag says.
  return charset !== undefined && /^utf-?16/i.test(charset) ? "utf-8" : charset;
}
