/** The sessions of a `runahead serve` server, for the web view. */

import { wordsOf } from "../failure.ts";
import { membersOf, oneLine } from "../words.ts";
import type { LiveAnswer, LiveInfo, LiveQuestion, ToViewer } from "./protocol.ts";
import { ServedJournal } from "./served-journal.ts";
import type { ViewedSession, ViewedSessions } from "./sessions.ts";

export interface ServerAddress {
  /** Such as `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly token: string;
}

/** The newest sessions are listed, and of the newest of them it is known what they do: servers limit requests. */
const MOST_LISTED = 30;
const MOST_LOOKED_AT = 8;
/** The list is requested at most this often. */
const LIST_MS = 3_000;
const AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 30_000;
/** The status for a position after the end of a session. */
const INVALID = 400;

class Server {
  readonly #address: ServerAddress;

  constructor(address: ServerAddress) {
    this.#address = address;
  }

  send(path: string, init: RequestInit = {}): Promise<Response> {
    const { url, token } = this.#address;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return fetch(`${url.replace(/\/$/, "")}/v1/sessions${path}`, { ...init, headers });
  }

  async json(path: string): Promise<Readonly<Record<string, unknown>>> {
    const response = await this.send(path);
    if (!response.ok) throw new Error(`status ${response.status}: ${oneLine(await response.text())}`);
    return membersOf(await response.json());
  }
}

class ServedSession implements ViewedSession {
  readonly #server: Server;
  readonly #id: string;
  readonly #listeners = new Set<(message: ToViewer) => void>();
  #journal = new ServedJournal();
  /** Ends the reading; undefined while nobody listens. */
  #reading: AbortController | undefined;
  #hasRead = false;
  #position = 0;
  #count: number | undefined;
  info: LiveInfo;

  constructor(server: Server, id: string, title: string) {
    this.#server = server;
    this.#id = id;
    this.info = { id, title: oneLine(title) || id, model: "", mode: "" };
  }

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  get items(): ViewedSession["items"] {
    return { type: "items", items: this.#journal.items, nowMs: performance.now() };
  }

  /** Questions that were only counted so far have no content yet. */
  get questions(): ReadonlyMap<string, LiveQuestion> {
    return this.#journal.questions;
  }

  /** How many questions wait. */
  get openQuestions(): number {
    return this.#reading !== undefined && this.#hasRead ? this.questions.size : (this.#count ?? 0);
  }

  /** Reads its status, for the list. */
  async look(): Promise<void> {
    const { status, questions } = await this.#server.json(`/${this.#id}`);
    this.#count = Array.isArray(questions) ? questions.length : 0;
    const mode = String(status);
    if (mode === this.info.mode) return;
    this.info = { ...this.info, mode };
    this.#send({ type: "info", info: this.info });
  }

  /** Its journal is read while somebody listens. */
  listen(listener: (message: ToViewer) => void): () => void {
    this.#listeners.add(listener);
    if (this.#reading === undefined) {
      this.#reading = new AbortController();
      void this.#follow(this.#reading.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  async answer(callId: string, answer: LiveAnswer): Promise<boolean> {
    const behavior = answer.type === "no" ? "deny" : "allow";
    const message = answer.type === "no" && answer.comment !== "" ? { message: answer.comment } : {};
    const body = JSON.stringify({ behavior, ...message });
    const path = `/${this.#id}/questions/${encodeURIComponent(callId)}/answer`;
    return (await this.#server.send(path, { method: "POST", body })).ok;
  }

  async timeline(): Promise<string | undefined> {
    const response = await this.#server.send(`/${this.#id}/timeline`);
    return response.ok ? response.text() : undefined;
  }

  close(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let waitMs = AGAIN_MS; !signal.aborted; ) {
      const isRead = await this.#read(signal).catch(() => false);
      waitMs = isRead ? AGAIN_MS : Math.min(waitMs * 2, LONGEST_AGAIN_MS);
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
    }
  }

  /** Reads server-sent events until the connection ends. Resolves with false if the server refuses. */
  async #read(signal: AbortSignal): Promise<boolean> {
    const path = `/${this.#id}/events?from=${this.#position}&deltas=true`;
    const { ok, status, body } = await this.#server.send(path, { signal });
    if (status === INVALID) this.#forget();
    if (!ok || body === null) return false;
    this.#hasRead = true;
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) this.#take(event);
    }
    return true;
  }

  /** There is another session with this id now, which is shorter. */
  #forget(): void {
    this.#journal = new ServedJournal();
    this.#position = 0;
    this.#send({ type: "forget" });
  }

  #take(event: string): void {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return;
    // Parts of a text do not move the position.
    const position = /^id: (\d+)$/m.exec(event)?.[1];
    if (position !== undefined) this.#position = Number(position);
    const { items, asked, answered } = this.#journal.take(JSON.parse(data));
    if (items.length > 0) this.#send({ type: "items", items, nowMs: performance.now() });
    for (const question of asked) this.#send({ type: "question", question });
    for (const callId of answered) this.#send({ type: "answered", callId });
  }

  #send(message: ToViewer): void {
    for (const listener of this.#listeners) listener(message);
  }
}

export class ServedSessions implements ViewedSessions {
  readonly #server: Server;
  readonly #onNotice: (message: string) => void;
  #sessions: ReadonlyMap<string, ServedSession> = new Map();
  #listing: Promise<void> | undefined;
  #listedMs = Number.NEGATIVE_INFINITY;

  constructor(address: ServerAddress, onNotice: (message: string) => void) {
    this.#server = new Server(address);
    this.#onNotice = onNotice;
  }

  async sessions(): Promise<ReadonlyMap<string, ViewedSession>> {
    if (performance.now() - this.#listedMs > LIST_MS) this.#listing ??= this.#list();
    await this.#listing;
    return this.#sessions;
  }

  /** Rejects if the server does not accept the address and the token. */
  async check(): Promise<void> {
    await this.#server.json("");
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  async #list(): Promise<void> {
    try {
      const { sessions } = await this.#server.json("");
      const listed = (Array.isArray(sessions) ? sessions : []).slice(0, MOST_LISTED).map(membersOf);
      this.#sessions = this.#listed(listed);
      const newest = listed
        .slice(0, MOST_LOOKED_AT)
        .flatMap(({ id }) => this.#sessions.get(String(id)) ?? []);
      await Promise.all(newest.map((session) => session.look()));
    } catch (error) {
      this.#onNotice(`cannot list the sessions of the server: ${wordsOf(error)}`);
    } finally {
      this.#listedMs = performance.now();
      this.#listing = undefined;
    }
  }

  /** The newest first. A session that is watched stays, although newer ones have pushed it out of the list. */
  #listed(found: readonly Readonly<Record<string, unknown>>[]): ReadonlyMap<string, ServedSession> {
    const sessions = new Map<string, ServedSession>();
    for (const { id, firstPrompt } of found)
      if (typeof id === "string") {
        const title = typeof firstPrompt === "string" ? firstPrompt : "";
        sessions.set(id, this.#sessions.get(id) ?? new ServedSession(this.#server, id, title));
      }
    for (const [id, session] of this.#sessions)
      if (!sessions.has(id) && session.isWatched) sessions.set(id, session);
    return sessions;
  }
}
