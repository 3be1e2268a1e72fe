/** A TCP proxy between a worker and the server that can be made to swallow everything, as a broken network does. */

import { type Server, type Socket, connect, createServer } from "node:net";

export interface StallingProxy {
  readonly url: string;
  /** Connections stay open, and nothing passes. */
  stall(): void;
  /** What is asked still arrives; what is answered does not. */
  deafen(): void;
  /** What was swallowed is lost: connections are cut, new ones pass. */
  heal(): void;
  /** Nothing passes any more on the connections that are open now, and they stay open. New ones pass. */
  forget(): void;
  /** Calls back once, when this many further requests have arrived. From then on neither that request nor any answer passes. */
  atRequest(requests: number, then: () => void): void;
  /** The same, but that request still passes. */
  afterRequest(requests: number, then: () => void): void;
  /** Cuts all connections once, when this many further requests have arrived; the last one is lost. */
  cutAfter(requests: number): void;
  close(): Promise<void>;
}

export async function stallingProxy(port: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  let swallows: "nothing" | "answers" | "everything" = "nothing";
  let requestsLeft = Number.POSITIVE_INFINITY;
  let atLast: () => "pass" | "drop" = () => "drop";
  let generation = 0;
  const server: Server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    const own = generation;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      const passes = (): boolean =>
        own === generation && (swallows === "nothing" || (swallows === "answers" && from === near));
      from.on("data", (bytes) => {
        if (from === near && --requestsLeft === 0 && atLast() === "drop") return;
        if (passes()) to.write(bytes);
      });
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        if (own === generation) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as { port: number }).port}`,
    stall: () => void (swallows = "everything"),
    deafen: () => void (swallows = "answers"),
    forget: () => void generation++,
    cutAfter: (requests) => {
      requestsLeft = requests;
      atLast = () => {
        cut();
        return "drop";
      };
    },
    atRequest: (requests, then) => {
      requestsLeft = requests;
      atLast = () => {
        swallows = "everything";
        then();
        return "drop";
      };
    },
    afterRequest: (requests, then) => {
      requestsLeft = requests;
      atLast = () => {
        swallows = "answers";
        // The server gets the request before the client can be gone.
        setImmediate(then);
        return "pass";
      };
    },
    heal: () => {
      requestsLeft = Number.POSITIVE_INFINITY;
      swallows = "nothing";
      cut();
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
