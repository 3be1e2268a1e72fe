/** A server inside the program that uses this package: messages go through functions. */

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";

/** A connection to a server inside the program. Messages have the form of JSON-RPC. */
export interface McpChannel {
  /** Sends a message to the server. Rejects if it cannot be delivered. */
  send(message: Readonly<Record<string, unknown>>): Promise<void>;
  /** Called once, with the function that takes messages of the server. */
  onMessage(listener: (message: Readonly<Record<string, unknown>>) => void): void;
  /** Called when the connection ends. */
  close?(): void;
}

export class ChannelTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #channel: McpChannel;
  #isClosed = false;

  constructor(channel: McpChannel) {
    this.#channel = channel;
  }

  async start(): Promise<void> {
    this.#channel.onMessage((message) => {
      if (!this.#isClosed) this.onmessage?.(message as JSONRPCMessage);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("Not connected");
    await this.#channel.send(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.close?.();
    this.onclose?.();
  }
}
