/**
 * A chat server: one session per user, events to the browser as they happen, and approvals in the page.
 *
 * Run it with `node --import tsx examples/chat-server.ts` and open the address that it prints. `PORT` sets the port, and
 * `CHAT_HOME` the folder of the sessions.
 */

import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  NoSuchSession,
  createPermissionGate,
  type PersonAnswer,
  type PersonQuestion,
  createAgent,
  initialView,
  reduce,
  sessions,
} from "@runahead/agent";
import { shopModel, shopTools } from "./shop.ts";

const PAGE = readFileSync(new URL("chat-page.html", import.meta.url));
const MAX_BODY_BYTES = 100_000;
const home = process.env["CHAT_HOME"] ?? mkdtempSync(join(tmpdir(), "runahead-chat-"));
const store = sessions({ home, onNotice: console.warn });

/** One user's conversation: an agent, the browser tabs that watch it, and the questions that are open. */
class Chat {
  readonly #tabs = new Set<ServerResponse>();
  readonly #open = new Map<string, { question: PersonQuestion; answer: (answer: PersonAnswer) => void }>();
  readonly #view = initialView();
  readonly #agent: Agent;

  constructor(session: Awaited<ReturnType<typeof store.create>>) {
    const permissions = createPermissionGate({
      settings: {
        mode: "default",
        sources: [{ name: "server", root: process.cwd(), allow: ["Orders"] }],
      },
      askPerson: (question) => this.#ask(question),
    });
    this.#agent = createAgent({
      // In your program: anthropic({ model: "claude-sonnet-4-6" }).
      model: shopModel(),
      tools: shopTools,
      permissions,
      session,
      onEvent: (event) => {
        if (event.type === "text") this.#emit("text", { text: event.text });
        for (const { call, what } of reduce(this.#view, event)?.calls ?? [])
          if (what === "ended") this.#emit("call", { description: call.description, outcome: call.end?.how });
        if (event.type === "ended") this.#emit("ended", { reason: event.result.reason });
      },
    });
  }

  send(text: string): void {
    this.#emit("user", { text });
    // Problems of the model are in the result, which the event `ended` shows.
    void this.#agent.send(text);
  }

  /** False if the question is not open: it was answered in another tab, or withdrawn. */
  answer(id: string, answer: PersonAnswer): boolean {
    const open = this.#open.get(id);
    open?.answer(answer);
    return open !== undefined;
  }

  /** A tab that connects late still gets the open questions. */
  watch(tab: ServerResponse): void {
    tab.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    tab.write(": connected\n\n");
    this.#tabs.add(tab);
    tab.on("close", () => this.#tabs.delete(tab));
    for (const { question } of this.#open.values()) writeEvent(tab, "question", shownOf(question));
  }

  async close(): Promise<void> {
    await this.#agent.close();
    for (const tab of this.#tabs) tab.end();
  }

  async #ask(question: PersonQuestion): Promise<PersonAnswer> {
    const { callId, signal } = question;
    try {
      return await new Promise<PersonAnswer>((answer) => {
        this.#open.set(callId, { question, answer });
        signal.addEventListener("abort", () => answer({ type: "withdrawn" }), { once: true });
        this.#emit("question", shownOf(question));
      });
    } finally {
      this.#open.delete(callId);
      this.#emit("question-closed", { id: callId });
    }
  }

  #emit(type: string, data: object): void {
    for (const tab of this.#tabs) writeEvent(tab, type, data);
  }
}

const shownOf = ({ callId, description, reason }: PersonQuestion): object => ({
  id: callId,
  description,
  reason,
});

function writeEvent(tab: ServerResponse, type: string, data: object): void {
  tab.write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

const chats = new Map<string, Promise<Chat>>();

/** The chat of a user, with what was said before the server was restarted. */
function chatOf(user: string): Promise<Chat> {
  const known = chats.get(user);
  if (known !== undefined) return known;
  const chat = store
    .resume(user)
    .catch((error: unknown) => {
      if (error instanceof NoSuchSession) return store.create(user);
      throw error;
    })
    .then((session) => new Chat(session));
  chats.set(user, chat);
  chat.catch(() => chats.delete(user));
  return chat;
}

/** In your program: the user of your login. Here a random id in a cookie, which nobody can guess. */
function userOf(request: IncomingMessage, response: ServerResponse): string {
  const [, known] = /(?:^|; )user=([0-9a-f-]{36})(?:;|$)/.exec(request.headers.cookie ?? "") ?? [];
  if (known !== undefined) return known;
  const user = randomUUID();
  response.setHeader("set-cookie", `user=${user}; HttpOnly; SameSite=Strict; Path=/`);
  return user;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
}

const ANSWERS: Readonly<Record<string, PersonAnswer>> = {
  once: { type: "once" },
  session: { type: "session" },
  // With a message the model goes on; without one the turn would end.
  no: { type: "no", message: "The user does not want this." },
};

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const user = userOf(request, response);
  switch (`${request.method} ${request.url}`) {
    case "GET /":
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(PAGE);
      return;
    case "GET /events":
      (await chatOf(user)).watch(response);
      return;
    case "POST /messages": {
      const { text } = await bodyOf(request);
      if (typeof text !== "string" || text.trim() === "") return end(response, 400);
      (await chatOf(user)).send(text);
      return end(response, 202);
    }
    case "POST /answers": {
      const { id, answer } = await bodyOf(request);
      const given = ANSWERS[String(answer)];
      if (given === undefined) return end(response, 400);
      return end(response, (await chatOf(user)).answer(String(id), given) ? 204 : 409);
    }
    default:
      end(response, 404);
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.end();
    else end(response, 500);
  });
});
server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", () => {
  server.close();
  void Promise.allSettled([...chats.values()].map(async (chat) => (await chat).close())).then(() =>
    server.closeAllConnections(),
  );
});
