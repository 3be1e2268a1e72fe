/** A model's server whose answers wait for what happens meanwhile: real HTTP, each piece when the test says so. */

import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { listen } from "./listen.ts";

/** Pieces of one answer. One that throws breaks the connection. */
export type SteppedAnswer = () => AsyncIterable<string> | Iterable<string>;

export interface SteppedServer {
  readonly url: string;
  /** The bodies of the requests. */
  readonly requests: Record<string, unknown>[];
  close(): Promise<void>;
}

export async function steppedServer(...answers: readonly SteppedAnswer[]): Promise<SteppedServer> {
  const requests: Record<string, unknown>[] = [];
  const give = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body: Buffer[] = [];
    for await (const piece of request) body.push(piece as Buffer);
    requests.push(JSON.parse(Buffer.concat(body).toString()) as Record<string, unknown>);
    const answer = answers[requests.length - 1];
    response.writeHead(answer === undefined ? 400 : 200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    for await (const piece of answer?.() ?? []) response.write(piece);
    response.end();
  };
  const server = createServer((request, response) => {
    give(request, response).catch(() => response.destroy());
  });
  return { ...(await listen(server)), requests };
}

/** A promise that a test fulfils. */
export function moment(): { readonly reached: Promise<void>; reach(): void } {
  let reach!: () => void;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}
