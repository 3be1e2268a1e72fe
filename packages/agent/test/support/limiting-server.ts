/** A model's server that enforces limits as providers do: it refuses requests with 429 and counts what it refuses. */

import { type IncomingMessage, createServer } from "node:http";
import { listen } from "./listen.ts";
import { sse } from "./model-server.ts";
import { messageEnd, messageStart, textBlock } from "./responses.ts";

export interface ServerLimits {
  readonly requests?: number;
  readonly tokens?: number;
  readonly windowMs: number;
  /** The tokens of each answer. */
  readonly outputTokens?: number;
}

export interface LimitingServer {
  readonly url: string;
  /** The status of every answer, in order. */
  readonly answers: number[];
  close(): Promise<void>;
}

export async function limitingServer(limits: ServerLimits): Promise<LimitingServer> {
  const { requests = Infinity, tokens = Infinity, windowMs, outputTokens = 10 } = limits;
  const answers: number[] = [];
  const counted: { readonly at: number; readonly tokens: number }[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const now = performance.now();
      const recent = counted.filter(({ at }) => now - at < windowMs);
      const input = Math.ceil(body.length / 4);
      const used = recent.reduce((sum, one) => sum + one.tokens, 0);
      const isRefused = recent.length >= requests || used + input > tokens;
      answers.push(isRefused ? 429 : 200);
      if (isRefused) {
        const error = { type: "error", error: { type: "rate_limit_error", message: "too many" } };
        return response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify(error));
      }
      counted.push({ at: now, tokens: input + outputTokens });
      const start = { ...messageStart, message: { ...messageStart.message, usage: { input_tokens: input } } };
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(sse([start, ...textBlock(0, "Fine."), ...messageEnd("end_turn", outputTokens)]));
    });
  });
  return { ...(await listen(server)), answers };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
