/** Lets viewers of the same user watch a session and answer its questions. */

import { chmod, mkdir, rm } from "node:fs/promises";
import { type Server, type Socket, createServer } from "node:net";
import { join } from "node:path";
import type { AgentEvent, Message, PersonAnswer, PersonQuestion } from "@runahead/harness";
import { withSignal } from "../question-signal.ts";
import { reveal } from "../safe-text.ts";
import { LiveFeed } from "./feed.ts";
import {
  type LiveInfo,
  type LiveQuestion,
  type ToSession,
  type ToViewer,
  lines,
  liveFolder,
} from "./protocol.ts";

interface Ports {
  /** The user's folder. */
  readonly home: string;
  readonly info: () => LiveInfo;
  /** The timeline as a page. */
  readonly timeline: () => Promise<string>;
}

interface Asked {
  readonly question: LiveQuestion;
  readonly answer: (answer: PersonAnswer) => void;
}

export class LiveSession {
  readonly #ports: Ports;
  readonly #feed = new LiveFeed();
  readonly #viewers = new Set<Socket>();
  readonly #asked = new Map<string, Asked>();
  #server: Server | undefined;
  #path = "";

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Opens the socket. A session without one works as usual, so a failure is not reported. */
  async open(): Promise<void> {
    const folder = liveFolder(this.#ports.home);
    this.#path = join(folder, `${process.pid}.sock`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      await rm(this.#path, { force: true });
      const server = createServer((socket) => this.#welcome(socket));
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(this.#path, resolve);
      });
      server.on("error", () => {});
      server.unref();
      this.#server = server;
    } catch {
      this.#server = undefined;
    }
  }

  async close(): Promise<void> {
    for (const viewer of this.#viewers) viewer.destroy();
    if (this.#server === undefined) return;
    this.#server.close();
    await rm(this.#path, { force: true }).catch(() => {});
  }

  hear(event: AgentEvent): void {
    const items = this.#feed.hear(event);
    if (items.length > 0) this.#send({ type: "items", items });
  }

  /** Another conversation begins, with these messages. */
  begin(messages: readonly Message[]): void {
    this.#feed.forget();
    this.#feed.recall(messages);
    this.#send({ type: "forget" });
    this.#send({ type: "info", info: this.#ports.info() });
    this.#send({ type: "items", items: this.#feed.items });
  }

  /** Shows the question to viewers, too. Resolves with the first answer; the other side is closed. */
  async ask(
    question: PersonQuestion,
    askHere: (question: PersonQuestion) => Promise<PersonAnswer>,
  ): Promise<PersonAnswer> {
    const closing = new AbortController();
    const here = withSignal(question, AbortSignal.any([question.signal, closing.signal]));
    const elsewhere = new Promise<PersonAnswer>((answer) => this.#show(question, answer));
    try {
      return await Promise.race([askHere(here), elsewhere]);
    } finally {
      closing.abort();
      this.#asked.delete(question.callId);
      this.#send({ type: "answered", callId: question.callId });
      this.#send({ type: "info", info: this.#ports.info() });
    }
  }

  #show({ callId, toolName, description, reason, input }: PersonQuestion, answer: Asked["answer"]): void {
    // Characters that change how text looks must not hide what is approved.
    const question = {
      callId,
      toolName,
      description: reveal(description),
      reason: reveal(reason),
      input: reveal(JSON.stringify(input, null, 2) ?? ""),
    };
    this.#asked.set(callId, { question, answer });
    this.#send({ type: "question", question });
  }

  #welcome(socket: Socket): void {
    socket.setEncoding("utf8");
    socket.on("error", () => {});
    socket.once("close", () => this.#viewers.delete(socket));
    socket.on(
      "data",
      // A timeline that cannot be made must not end the session.
      lines((line) => void this.#take(socket, line as ToSession).catch(() => {})),
    );
    socket.unref();
    this.#viewers.add(socket);
    write(socket, { type: "info", info: this.#ports.info() });
    write(socket, { type: "items", items: this.#feed.items });
    for (const { question } of this.#asked.values()) write(socket, { type: "question", question });
  }

  async #take(socket: Socket, message: ToSession): Promise<void> {
    if (message.type === "timeline")
      return write(socket, { type: "timeline", html: await this.#ports.timeline() });
    if (message.type !== "answer") return;
    const asked = this.#asked.get(message.callId);
    const { isYes, comment } = message;
    if (isYes) asked?.answer({ type: "once" });
    else
      asked?.answer(
        typeof comment === "string" && comment !== "" ? { type: "no", message: comment } : { type: "no" },
      );
  }

  #send(message: ToViewer): void {
    for (const viewer of this.#viewers) write(viewer, message);
  }
}

function write(socket: Socket, message: ToViewer): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
