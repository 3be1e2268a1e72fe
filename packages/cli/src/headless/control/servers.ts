/** MCP servers inside the host: their messages go through the control protocol. */

import { isDeepStrictEqual } from "node:util";
import type { HostMcpServer } from "@runahead/harness";
import { wordsOf as messageOf } from "../../shared/failure.ts";
import type { HostLink } from "./link.ts";
import { type Members, isMembers } from "./members.ts";

/** What the host says about a server of its own. */
export type HostServerSettings = Pick<HostMcpServer, "timeoutMs" | "tools">;

/** A code of JSON-RPC for failures inside the server. */
const INTERNAL_ERROR = -32_603;

export class HostServer {
  readonly #name: string;
  readonly #link: HostLink;
  readonly #settings: HostServerSettings;
  #listener: (message: Members) => void = () => {};

  constructor(name: string, link: HostLink, settings: HostServerSettings) {
    this.#name = name;
    this.#link = link;
    this.#settings = settings;
  }

  get options(): Omit<HostMcpServer, "name"> {
    return { connect: () => this.#channel(), ...this.#settings };
  }

  hasSettings(settings: HostServerSettings): boolean {
    return isDeepStrictEqual(this.#settings, settings);
  }

  /** Takes a message that the server sends by itself. */
  receive(message: Members): void {
    this.#listener(message);
  }

  #channel(): ReturnType<HostMcpServer["connect"]> {
    return {
      onMessage: (listener) => (this.#listener = listener),
      // An answer can take long, and the next message must not wait for it.
      send: async (message) => void this.#send(message),
    };
  }

  async #send(message: Members): Promise<void> {
    const request = { subtype: "mcp_message", server_name: this.#name, message };
    try {
      const { mcp_response: response } = await this.#link.request(request);
      if (message["id"] !== undefined && isMembers(response)) this.#listener(response);
    } catch (error) {
      const failure = { code: INTERNAL_ERROR, message: messageOf(error) };
      if (message["id"] !== undefined) this.#listener({ jsonrpc: "2.0", id: message["id"], error: failure });
    }
  }
}
