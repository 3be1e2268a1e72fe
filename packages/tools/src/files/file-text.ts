/** Decodes bytes to text and back without changing anything that was not edited. */

import { isUtf8 } from "node:buffer";

/**
 * `bytes`: not valid in any known encoding. Each character of its text is one byte, so that the readable parts can be
 * edited and the rest stays unchanged.
 */
export type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "bytes";

export interface FileText {
  readonly text: string;
  readonly encoding: Encoding;
}

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16LE_BOM = Buffer.from([0xff, 0xfe]);
const UTF16BE_BOM = Buffer.from([0xfe, 0xff]);
const SNIFFED_BYTES = 8_192;

export function encodingOf(bytes: Buffer): Encoding {
  if (startsWith(bytes, UTF8_BOM)) return isUtf8(bytes) ? "utf-8-bom" : "bytes";
  if (startsWith(bytes, UTF16LE_BOM)) return bytes.length % 2 === 0 ? "utf-16le" : "bytes";
  if (startsWith(bytes, UTF16BE_BOM)) return bytes.length % 2 === 0 ? "utf-16be" : "bytes";
  return isUtf8(bytes) ? "utf-8" : "bytes";
}

/** Same test as git: a NUL among the first bytes, unless a byte order mark says UTF-16. */
export function isBinary(beginning: Buffer): boolean {
  if (startsWith(beginning, UTF16LE_BOM) || startsWith(beginning, UTF16BE_BOM)) return false;
  return beginning.subarray(0, SNIFFED_BYTES).includes(0);
}

export function decode(bytes: Buffer): FileText {
  const encoding = encodingOf(bytes);
  switch (encoding) {
    case "utf-8":
      return { text: bytes.toString("utf8"), encoding };
    case "utf-8-bom":
      return { text: bytes.toString("utf8", UTF8_BOM.length), encoding };
    case "utf-16le":
      return { text: bytes.toString("utf16le", UTF16LE_BOM.length), encoding };
    case "utf-16be":
      return { text: Buffer.from(bytes.subarray(UTF16BE_BOM.length)).swap16().toString("utf16le"), encoding };
    case "bytes":
      return { text: bytes.toString("latin1"), encoding };
  }
}

export function encode({ text, encoding }: FileText): Buffer {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(text, "utf8");
    case "utf-8-bom":
      return Buffer.concat([UTF8_BOM, Buffer.from(text, "utf8")]);
    case "utf-16le":
      return Buffer.concat([UTF16LE_BOM, Buffer.from(text, "utf16le")]);
    case "utf-16be":
      return Buffer.concat([UTF16BE_BOM, Buffer.from(text, "utf16le").swap16()]);
    case "bytes":
      return Buffer.from(text, "latin1");
  }
}

/** Converts a text from the model to how it appears in a decoded text of this encoding. */
export function inEncoding(text: string, encoding: Encoding): string {
  return encoding === "bytes" ? Buffer.from(text, "utf8").toString("latin1") : text;
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}
