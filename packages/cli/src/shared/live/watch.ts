/** Watches the running sessions of the user. */

import { readdir, rm } from "node:fs/promises";
import { type Socket, connect } from "node:net";
import { join } from "node:path";
import type { LiveItem } from "./item.ts";
import {
  type LiveAnswer,
  type LiveInfo,
  type LiveQuestion,
  type ToSession,
  type ToViewer,
  lines,
  liveFolder,
} from "./protocol.ts";
import type { ViewedSession, ViewedSessions } from "./sessions.ts";

const TIMELINE_MS = 10_000;

class WatchedSession implements ViewedSession {
  readonly #socket: Socket;
  readonly #listeners = new Set<(message: ToViewer) => void>();
  readonly #items = new Map<string, LiveItem>();
  /** The difference between the clock of the session and ours. */
  #aheadMs = 0;
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

  get items(): ViewedSession["items"] {
    return { type: "items", items: [...this.#items.values()], nowMs: performance.now() + this.#aheadMs };
  }

  get openQuestions(): number {
    return this.questions.size;
  }

  listen(listener: (message: ToViewer) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async answer(callId: string, answer: LiveAnswer): Promise<boolean> {
    if (!this.questions.has(callId)) return false;
    this.#send({ type: "answer", callId, answer });
    return true;
  }

  timeline(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), TIMELINE_MS);
      const stop = this.listen((message) => {
        if (message.type !== "timeline") return;
        stop();
        clearTimeout(timer);
        resolve(message.html);
      });
      this.#send({ type: "timeline" });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(message: ToSession): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  #hear(message: ToViewer): void {
    if (message.type === "info") this.info = message.info;
    if (message.type === "forget") this.#items.clear();
    if (message.type === "items") {
      this.#aheadMs = message.nowMs - performance.now();
      for (const item of message.items) this.#items.set(item.id, item);
    }
    if (message.type === "question") this.questions.set(message.question.callId, message.question);
    if (message.type === "answered") this.questions.delete(message.callId);
    for (const listener of this.#listeners) listener(message);
  }
}

export class Watcher implements ViewedSessions {
  readonly #folder: string;
  readonly #sessions = new Map<string, WatchedSession>();
  readonly #connecting = new Map<string, Promise<void>>();

  constructor(home: string) {
    this.#folder = liveFolder(home);
  }

  /** The running sessions, by the names of their sockets. Sockets that nobody answers are removed. */
  async sessions(): Promise<ReadonlyMap<string, ViewedSession>> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => /^\d+\.sock$/.test(name));
    await Promise.all(names.map((name) => this.#connect(name)));
    for (const [name, session] of this.#sessions) if (!session.isOpen) this.#sessions.delete(name);
    return this.#sessions;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  /** Two requests at once share a connection. */
  #connect(name: string): Promise<void> {
    if (this.#sessions.get(name)?.isOpen === true) return Promise.resolve();
    const known = this.#connecting.get(name);
    if (known !== undefined) return known;
    const connecting = this.#connectTo(name).finally(() => this.#connecting.delete(name));
    this.#connecting.set(name, connecting);
    return connecting;
  }

  async #connectTo(name: string): Promise<void> {
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
