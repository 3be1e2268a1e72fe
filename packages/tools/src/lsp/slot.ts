/** A language server for one folder: started on demand, restarted with growing pauses, and turned off if it keeps failing. */

import type { Ledger } from "../shell/background-ledger.ts";
import { Connection } from "./connection.ts";
import { ServerProcess } from "./server-process.ts";
import type { FoundServer } from "./server-spec.ts";

/** Pauses before the first, second, … restart. After the last, the server stays off. */
const PAUSES_MS = [1_000, 5_000, 20_000];
/** A server that worked for this long before it failed starts with a new count. */
const PROVEN_MS = 300_000;

/** The state of a language server in one folder. */
export type ServerState =
  | { readonly type: "starting" | "stopped" }
  | {
      readonly type: "ready";
      /** Process id. */
      readonly pid: number;
    }
  | {
      /** `paused`: it failed and is started again on demand, but not yet. `off`: it failed too often. */
      readonly type: "paused" | "off";
      /** How it failed. */
      readonly why: string;
    };

export interface SlotParts {
  readonly server: FoundServer;
  readonly root: string;
  readonly ledger: Ledger;
  readonly onNotice: (message: string) => void;
  readonly now?: () => number;
}

export class Slot {
  readonly server: FoundServer;
  readonly root: string;
  readonly #parts: SlotParts;
  readonly #now: () => number;
  #state: ServerState = { type: "stopped" };
  #connection: Connection | undefined;
  #process: ServerProcess | undefined;
  #starting: Promise<Connection | undefined> | undefined;
  #failures = 0;
  #readyAt = 0;
  #notBefore = 0;
  #isClosed = false;

  constructor(parts: SlotParts) {
    this.#parts = parts;
    this.server = parts.server;
    this.root = parts.root;
    this.#now = parts.now ?? Date.now;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The running server; undefined if there is none now. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Starts the server if it is not running. Resolves with undefined if it cannot be used now. Never rejects. */
  use(): Promise<Connection | undefined> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    if (this.#isClosed || this.#state.type === "off" || this.#now() < this.#notBefore)
      return Promise.resolve(undefined);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    this.#connection = undefined;
    this.#state = { type: "stopped" };
    if (connection !== undefined) await connection.close();
    // A server that has not answered yet is not asked to shut down.
    else await this.#process?.end();
    await this.#starting;
  }

  async #start(): Promise<Connection | undefined> {
    this.#state = { type: "starting" };
    const { server, root, ledger } = this.#parts;
    try {
      const { program: command, args, env } = server;
      const started = await ServerProcess.start({ command, args, env, cwd: root, ledger });
      this.#process = started;
      if (this.#isClosed) throw new Error("the session ended");
      const connection = new Connection(server, started, root);
      await connection.initialize();
      if (this.#isClosed) throw new Error("the session ended");
      this.#ready(connection);
      return connection;
    } catch (error) {
      await this.#process?.end();
      this.#failed((error as Error).message);
      return undefined;
    }
  }

  #ready(connection: Connection): void {
    this.#connection = connection;
    this.#readyAt = this.#now();
    this.#state = { type: "ready", pid: connection.process.pid };
    void connection.ended.then(async (why) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      if (this.#now() - this.#readyAt > PROVEN_MS) this.#failures = 0;
      this.#failed(why);
      await connection.process.end();
    });
  }

  #failed(why: string): void {
    if (this.#isClosed) return;
    const pause = PAUSES_MS[this.#failures];
    this.#failures++;
    if (pause !== undefined) {
      this.#notBefore = this.#now() + pause;
      this.#state = { type: "paused", why };
      return;
    }
    this.#state = { type: "off", why };
    this.#parts.onNotice(
      `The language server ${this.server.name} is turned off for this session: it failed ${this.#failures} times, the last time because ${why}.`,
    );
  }
}
