/** Watches the running sessions of the user. */

import { readdir, rm } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { join } from "node:path";
import type { LiveItem } from "./feed.ts";
import {
  type LiveInfo,
  type LiveQuestion,
  type ToSession,
  type ToViewer,
  lines,
  liveFolder,
} from "./protocol.ts";

/** One running session, as last heard of. */
export class WatchedSession {
  readonly #socket: Socket;
  readonly #listeners = new Set<(message: ToViewer) => void>();
  readonly items = new Map<string, LiveItem>();
  readonly questions = new Map<string, LiveQuestion>();
  info: LiveInfo | undefined;
  isOpen = true;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on(
      "data",
      lines((line) => this.#hear(line as ToViewer)),
    );
    socket.on("error", () => {});
    socket.once("close", () => {
      this.isOpen = false;
    });
  }

  /** Returns the function that removes the listener. */
  listen(listener: (message: ToViewer) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  send(message: ToSession): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #hear(message: ToViewer): void {
    if (message.type === "info") this.info = message.info;
    if (message.type === "forget") this.items.clear();
    if (message.type === "items") for (const item of message.items) this.items.set(item.id, item);
    if (message.type === "question") this.questions.set(message.question.callId, message.question);
    if (message.type === "answered") this.questions.delete(message.callId);
    for (const listener of this.#listeners) listener(message);
  }
}

export class Watcher {
  readonly #folder: string;
  readonly #sessions = new Map<string, WatchedSession>();

  constructor(home: string) {
    this.#folder = liveFolder(home);
  }

  /** The running sessions, by the names of their sockets. Sockets that nobody answers are removed. */
  async sessions(): Promise<ReadonlyMap<string, WatchedSession>> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /^\d+\.sock$/.test(name));
    await Promise.all(names.map((name) => this.#connect(name)));
    for (const [name, session] of this.#sessions) if (!session.isOpen) this.#sessions.delete(name);
    return this.#sessions;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  async #connect(name: string): Promise<void> {
    if (this.#sessions.get(name)?.isOpen === true) return;
    const path = join(this.#folder, name);
    const socket = connect(path);
    await new Promise<void>((resolve) => {
      socket.once("connect", () => {
        const session = new WatchedSession(socket);
        this.#sessions.set(name, session);
        const stop = session.listen(() => (stop(), resolve()));
      });
      socket.once("close", () => resolve());
      socket.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") void rm(path, { force: true });
        resolve();
      });
    });
  }
}
