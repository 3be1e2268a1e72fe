/** A model whose answers a test gives piece by piece, when it wants to. */

import { type ServerResponse, createServer } from "node:http";
import { sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { listen } from "../../../agent/test/support/listen.ts";

export interface AskedModel {
  readonly url: string;
  /** Bodies of the requests, as text. */
  readonly requests: string[];
  /** The next request that nobody has answered. */
  asked(): Promise<Answering>;
  close(): Promise<void>;
}

export class Answering {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    this.send(messageStart);
  }

  send(...events: readonly object[]): void {
    this.#response.write(sse(events));
  }

  says(text: string): void {
    this.send(...textBlock(0, text));
    this.ends("end_turn");
  }

  ends(reason: string): void {
    this.send(...messageEnd(reason));
    this.#response.end();
  }

  calls(...calls: readonly (readonly [name: string, input: object])[]): void {
    calls.forEach(([name, input], at) => this.send(...callEvents(at, name, input)));
    this.ends("tool_use");
  }
}

let count = 0;

export function callEvents(index: number, name: string, input: object): object[] {
  const content_block = { type: "tool_use", id: `toolu_${++count}`, name, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}

export async function askedModel(): Promise<AskedModel> {
  const requests: string[] = [];
  const open: Answering[] = [];
  const waiting: ((answering: Answering) => void)[] = [];
  const server = createServer((request, response) => {
    // It has no list of models.
    if (request.method === "GET") return void response.writeHead(404).end();
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      requests.push(body);
      const answering = new Answering(response);
      const taker = waiting.shift();
      if (taker === undefined) open.push(answering);
      else taker(answering);
    });
  });
  return {
    ...(await listen(server)),
    requests,
    asked: async () => open.shift() ?? (await new Promise((resolve) => waiting.push(resolve))),
  };
}
