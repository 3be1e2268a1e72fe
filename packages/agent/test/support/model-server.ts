/** A model's server on this machine: real HTTP, scripted answers, and a refusal of what the real API would refuse. */

import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type HistoryMessage, checkHistory } from "@runahead/engine/history";
import { chatRefusal, responsesRefusal } from "./openai-history.ts";
import { listen } from "./listen.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
  /** What comes after the pieces: a proper end, a broken connection, or nothing. */
  readonly after?: "end" | "break" | "hang";
}

interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly body: Record<string, unknown>;
}

export interface ModelServer {
  readonly url: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

export async function modelServer(...answers: readonly ScriptedAnswer[]): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const body = JSON.parse(text) as Record<string, unknown>;
      requests.push({ path: request.url ?? "", headers: request.headers, text, body });
      const refusal = refusalOf(request.url ?? "", body);
      return give(
        response,
        refusal ?? answers[requests.length - 1] ?? { status: 500, pieces: ["no more answers"] },
      );
    });
  });
  return { ...(await listen(server)), requests };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function refusalOf(path: string, body: Record<string, unknown>): ScriptedAnswer | undefined {
  const message = complaintOf(path, body);
  if (message === undefined) return undefined;
  const error = { type: "error", error: { type: "invalid_request_error", message } };
  return { status: 400, pieces: [JSON.stringify(error)], headers: { "content-type": "application/json" } };
}

function complaintOf(path: string, body: Record<string, unknown>): string | undefined {
  const items = (name: string) =>
    Array.isArray(body[name]) ? (body[name] as Record<string, unknown>[]) : [];
  if (path.endsWith("/chat/completions")) return chatRefusal(items("messages"));
  if (path.endsWith("/responses")) return responsesRefusal(items("input"));
  if (!path.endsWith("/v1/messages")) return undefined;
  return checkHistory(body["messages"] as HistoryMessage[])[0]?.message;
}

async function give(response: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream", ...answer.headers });
  response.flushHeaders();
  for (const piece of answer.pieces) {
    response.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (answer.after === "break") response.destroy();
  else if (answer.after !== "hang") response.end();
}

/** Events in the form of the wire. */
export function sse(events: readonly object[]): string {
  return events
    .map(
      (event) =>
        `event: ${(event as { type?: string }).type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`,
    )
    .join("");
}
