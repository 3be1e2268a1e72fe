/**
 * The transport to a server process: one JSON-RPC message per line. Other output is reported once and ignored. A line, or
 * an amount of other output, above the limit closes the connection (H04).
 */

import {
  type JSONRPCMessage,
  type Transport,
  deserializeMessage,
  serializeMessage,
} from "@modelcontextprotocol/client";
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
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      return this.#stray(line);
    }
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
