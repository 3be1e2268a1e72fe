/** The framing of the Language Server Protocol: a header with the length, an empty line, and JSON. */

const HEADER_BYTES = 8_192;
const BODY_BYTES = 64 * 1024 * 1024;
const SEPARATOR = "\r\n\r\n";

/** Encodes a message with its header. */
export function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}${SEPARATOR}`, "ascii"), body]);
}

/** Reads messages from bytes in any portions. A server that sends anything else is broken, so it throws. */
export class MessageReader {
  #header = Buffer.alloc(0);
  #body: Buffer[] = [];
  /** How many bytes of the body are missing; undefined while the header is read. */
  #missing: number | undefined;

  push(bytes: Buffer): unknown[] {
    const messages: unknown[] = [];
    let rest = bytes;
    while (rest.length > 0) {
      rest = this.#missing === undefined ? this.#readHeader(rest) : this.#readBody(rest, this.#missing);
      if (this.#missing === 0) messages.push(this.#takeBody());
    }
    return messages;
  }

  #readHeader(bytes: Buffer): Buffer {
    const held = this.#header.length;
    const all = held === 0 ? bytes : Buffer.concat([this.#header, bytes]);
    const end = all.indexOf(SEPARATOR);
    if ((end < 0 ? all.length : end) > HEADER_BYTES) throw new Error("it sent a header that never ends");
    if (end < 0) {
      this.#header = Buffer.from(all);
      return Buffer.alloc(0);
    }
    this.#missing = lengthIn(all.toString("latin1", 0, end));
    this.#header = Buffer.alloc(0);
    return all.subarray(end + SEPARATOR.length);
  }

  #readBody(bytes: Buffer, missing: number): Buffer {
    const part = bytes.subarray(0, missing);
    this.#body.push(Buffer.from(part));
    this.#missing = missing - part.length;
    return bytes.subarray(part.length);
  }

  #takeBody(): unknown {
    const text = Buffer.concat(this.#body).toString("utf8");
    this.#body = [];
    this.#missing = undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error("it sent a message that is not JSON");
    }
  }
}

function lengthIn(header: string): number {
  const digits = /^content-length:\s*(\d+)\s*$/im.exec(header)?.[1];
  if (digits === undefined) throw new Error("it sent text that is not part of the protocol");
  const length = Number(digits);
  if (length === 0 || length > BODY_BYTES) throw new Error(`it announced a message of ${digits} bytes`);
  return length;
}
