/** Lets viewers of the same user watch a session and answer its questions. */

import { chmod, mkdir, rm } from "node:fs/promises";
import { type Server, type Socket, createServer } from "node:net";
import { join } from "node:path";
import type { AgentEvent, AskUser, Message, Mode, PersonAnswer, PersonQuestion } from "@runahead/harness";
import { answersOf, liveAsked } from "./asked-user.ts";
import { withSignal } from "../question-signal.ts";
import { LiveFeed } from "./feed.ts";
import {
  type LiveAnswer,
  type LiveInfo,
  type LiveQuestion,
  type ToSession,
  type ToViewer,
  answerIn,
  lines,
  liveFolder,
} from "./protocol.ts";
import { liveQuestion, meaningOf } from "./question.ts";

interface Ports {
  /** The user's folder. */
  readonly home: string;
  readonly info: () => LiveInfo;
  /** The timeline as a page. */
  readonly timeline: () => Promise<string>;
  /** A plan was approved in a viewer: continue in this mode. */
  readonly setMode: (mode: Mode) => void;
  /** The change that a call makes, in the file; undefined for any other call. Default: what its input says. */
  readonly changeOf?: (question: PersonQuestion) => string | undefined;
}

interface Asked {
  readonly question: LiveQuestion;
  readonly answer: (answer: LiveAnswer) => void;
}

export class LiveSession {
  readonly #ports: Ports;
  readonly #feed = new LiveFeed();
  readonly #viewers = new Set<Socket>();
  readonly #asked = new Map<string, Asked>();
  #server: Server | undefined;
  #path = "";
  #lastAsked = 0;

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
    if (items.length > 0) this.#send({ type: "items", items, nowMs: performance.now() });
  }

  /** Another conversation begins, with these messages. */
  begin(messages: readonly Message[]): void {
    this.#feed.forget();
    this.#feed.recall(messages);
    this.#send({ type: "forget" });
    this.#send({ type: "info", info: this.#ports.info() });
    this.#send(this.#items);
  }

  get #items(): ToViewer {
    return { type: "items", items: this.#feed.items, nowMs: performance.now() };
  }

  /** Shows the question to viewers, too. Resolves with the first answer; the other side is closed. */
  async ask(
    question: PersonQuestion,
    askHere: (question: PersonQuestion) => Promise<PersonAnswer>,
  ): Promise<PersonAnswer> {
    const meaning = (given: LiveAnswer): PersonAnswer | undefined => {
      const { answer, mode } = meaningOf(given, question) ?? {};
      if (mode !== undefined) this.#ports.setMode(mode);
      return answer;
    };
    // Ids of calls are not unique: a model can number its calls from 0 again, and so can each sub-agent. An answer must
    // never count for another call than the one that was shown.
    const change = this.#ports.changeOf?.(question);
    const shown = { ...liveQuestion(question, change), callId: `question-${++this.#lastAsked}` };
    return this.#race(shown, meaning, (closing) =>
      askHere(withSignal(question, AbortSignal.any([question.signal, closing]))),
    );
  }

  /** The same for the model's own questions. */
  askUser(
    questions: Parameters<AskUser>[0],
    signal: AbortSignal,
    askHere: AskUser,
  ): Promise<Awaited<ReturnType<AskUser>>> {
    const shown = liveAsked(`asked-${++this.#lastAsked}`, questions);
    return this.#race(
      shown,
      (given) => answersOf(given, questions),
      async (closing) => askHere(questions, AbortSignal.any([signal, closing])),
    );
  }

  /** `closing` ends the question here when a viewer has answered it. */
  async #race<Value>(
    shown: LiveQuestion,
    meaning: (given: LiveAnswer) => Value | undefined,
    askHere: (closing: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const { callId } = shown;
    const closing = new AbortController();
    const elsewhere = new Promise<Value>((done) => {
      let isAnswered = false;
      // Two answers can arrive at once. The second one must not even change the mode.
      const answer = (given: LiveAnswer): void => {
        const meant = isAnswered ? undefined : meaning(given);
        if (meant === undefined) return;
        isAnswered = true;
        done(meant);
      };
      this.#asked.set(callId, { question: shown, answer });
      this.#send({ type: "question", question: shown });
    });
    try {
      return await Promise.race([askHere(closing.signal), elsewhere]);
    } finally {
      closing.abort();
      this.#asked.delete(callId);
      this.#send({ type: "answered", callId });
      this.#send({ type: "info", info: this.#ports.info() });
    }
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
    write(socket, this.#items);
    for (const { question } of this.#asked.values()) write(socket, { type: "question", question });
  }

  async #take(socket: Socket, message: ToSession): Promise<void> {
    if (message.type === "timeline")
      return write(socket, { type: "timeline", html: await this.#ports.timeline() });
    if (message.type !== "answer") return;
    const answer = answerIn(message.answer);
    if (answer !== undefined) this.#asked.get(message.callId)?.answer(answer);
  }

  #send(message: ToViewer): void {
    for (const viewer of this.#viewers) write(viewer, message);
  }
}

function write(socket: Socket, message: ToViewer): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
