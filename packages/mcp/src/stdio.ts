/**
 * The transport to a server process: one JSON-RPC message per line. Other output is reported once and ignored. A line, or
 * an amount of other output, above the limit closes the connection (H04).
 */

import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from "@modelcontextprotocol/client";
import { isShape } from "@runahead/base";
import { LastLines } from "./last-lines.ts";
import { LineReader } from "./line-reader.ts";
import { type ProcessSpec, ServerProcess } from "./server-process.ts";

const SHOWN_CHARS = 200;

export interface StdioSpec extends ProcessSpec {
  readonly mostMessageBytes: number;
  /** Called once per connection, with the first line that is not a message. */
  readonly onStray: (line: string) => void;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The client recognises a process by this member and `pid`. */
  readonly stderr = new LastLines();
  readonly #spec: StdioSpec;
  #process: ServerProcess | undefined;
  #isClosed = false;
  #strayLines = 0;
  #strayBytes = 0;
  /** Why it ended; empty if it was stopped on purpose. */
  fault = "";

  constructor(spec: StdioSpec) {
    this.#spec = spec;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const started = await ServerProcess.start(this.#spec);
    this.#process = started;
    if (this.#isClosed) return started.end();
    const reader = new LineReader(this.#spec.mostMessageBytes, (line) => this.#take(line));
    started.stdout.on("data", (chunk: Buffer) => {
      if (!this.#isClosed && !reader.add(chunk))
        this.#fail(`it sent a message larger than ${this.#spec.mostMessageBytes} bytes`);
    });
    started.stderr.on("data", (chunk: Buffer) => this.stderr.add(chunk));
    void started.exited.then((how) => this.#fail(how));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (this.#isClosed || stdin === undefined || !stdin.writable) throw new Error("the server has exited");
    const { promise, resolve, reject } = settling();
    stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  async close(): Promise<void> {
    const wasClosed = this.#isClosed;
    this.#isClosed = true;
    if (!wasClosed) this.onclose?.();
    await this.#process?.end();
  }

  #fail(why: string): void {
    if (this.#isClosed) return;
    this.fault = why;
    void this.close();
  }

  #take(line: string): void {
    if (this.#isClosed) return;
    const message = messageIn(line);
    if (message === undefined) return this.#stray(line);
    this.#strayBytes = 0;
    this.onmessage?.(message);
  }

  #stray(line: string): void {
    this.#strayBytes += line.length;
    if (++this.#strayLines === 1) this.#spec.onStray(line.slice(0, SHOWN_CHARS));
    if (this.#strayBytes > this.#spec.mostMessageBytes)
      this.#fail(`it printed ${this.#strayLines} lines that are not protocol messages`);
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    return invalidAnswer(line);
  }
}

/** An answer that is not valid fails its request at once, instead of after the time limit. */
function invalidAnswer(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isShape(value) || "method" in value || !("result" in value || "error" in value)) return undefined;
    const { id } = value;
    if (typeof id !== "string" && typeof id !== "number") return undefined;
    const error = {
      code: ProtocolErrorCode.InternalError,
      message: `invalid answer: ${line.slice(0, SHOWN_CHARS)}`,
    };
    return { jsonrpc: "2.0", id, error };
  } catch {
    return undefined;
  }
}

interface Settling {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

function settling(): Settling {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
