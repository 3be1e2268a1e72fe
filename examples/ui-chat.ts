/**
 * `useChat` of the AI SDK on an agent: the page shows text, calls, progress, sub-agents and approvals. An approval is kept in
 * the session, so that it can be answered hours later, after a restart.
 *
 * Run it with `node --import tsx examples/ui-chat.ts` and open the address that it prints. `PORT` sets the port, and
 * `CHAT_HOME` the folder of the sessions.
 */

import { mkdtempSync } from "node:fs";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toUIMessageStream, uiApprovals } from "@runahead/adapters/ai-sdk";
import { type AgentEvent, NoSuchSession, type Session, query, sessions } from "@runahead/agent";
import { pipeUIMessageStreamToResponse } from "ai";
import { build } from "esbuild";
import { chatModel, chatTools } from "./ui-chat-model.ts";

const MAX_BODY_BYTES = 1_000_000;
const home = process.env["CHAT_HOME"] ?? mkdtempSync(join(tmpdir(), "runahead-ui-chat-"));
const store = sessions({ home, onNotice: console.warn });

interface Chat {
  /** The id of the chat, which `useChat` makes: the id of the session. */
  readonly id: string;
  readonly messages: readonly {
    readonly role: string;
    readonly parts: readonly { readonly text?: string }[];
  }[];
}

async function answer({ id, messages }: Chat, response: ServerResponse): Promise<void> {
  const session = await opened(id);
  const approvals = uiApprovals(messages);
  for (const { id: question, approved, reason } of approvals)
    await session.answer(question, approved ? { behavior: "allow" } : { behavior: "deny", message: reason });
  const prompt =
    messages
      .at(-1)
      ?.parts.map(({ text = "" }) => text)
      .join("") ?? "";
  const run = query({
    // In your program: anthropic({ model: "claude-sonnet-4-6" }).
    model: chatModel(),
    tools: chatTools,
    session,
    canUseTool: ({ name }) =>
      name === "Refund" ? { behavior: "ask", reason: "It moves money." } : { behavior: "allow" },
    // The question waits in the session, and the answer comes with another request.
    ask: () => ({ behavior: "defer" }),
    ...(approvals.length > 0 ? {} : { prompt }),
  });
  const stream = toUIMessageStream(closing(run, session), { questions: () => session.questions });
  void pipeUIMessageStreamToResponse({ response, stream });
}

/** Another request can open the session as soon as the run has ended. */
async function* closing(run: AsyncIterable<AgentEvent>, session: Session): AsyncGenerator<AgentEvent> {
  try {
    yield* run;
  } finally {
    await session.close();
  }
}

async function opened(id: string): Promise<Session> {
  try {
    return await store.resume(id);
  } catch (error) {
    if (error instanceof NoSuchSession) return store.create(id);
    throw error;
  }
}

const bundle = await build({
  entryPoints: [fileURLToPath(new URL("ui-chat-page.jsx", import.meta.url))],
  bundle: true,
  write: false,
  format: "esm",
  platform: "browser",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
});
const SCRIPT = bundle.outputFiles[0]?.text ?? "";
const PAGE = `<!doctype html><meta charset="utf-8"><title>Chat</title><link rel="icon" href="data:,"><div id="chat"></div>
<script type="module" src="/page.js"></script>`;

const server = createServer((request, response) => {
  void handle(request, response).catch((error: unknown) => {
    console.warn(error);
    if (!response.headersSent) response.writeHead(400, { "content-type": "text/plain" });
    response.end(error instanceof Error ? error.message : "The request failed.");
  });
});

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "POST" && request.url === "/api/chat")
    return answer((await bodyOf(request)) as Chat, response);
  if (request.url === "/page.js")
    return void response.writeHead(200, { "content-type": "text/javascript" }).end(SCRIPT);
  if (request.url === "/") return void response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
  response.writeHead(404).end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) {
    text += String(piece);
    if (text.length > MAX_BODY_BYTES) throw new Error("The request is too large.");
  }
  return JSON.parse(text);
}

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
});
