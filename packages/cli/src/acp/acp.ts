/** `runahead acp`: the Agent Client Protocol on standard input and output, until the client leaves. */

import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import { setTimeout as pause } from "node:timers/promises";
import { EXIT } from "../shared/exit.ts";
import { deferred } from "../shared/deferred.ts";
import type { RunFlags } from "../shared/flags.ts";
import type { World } from "../shared/world.ts";
import { acpServer } from "./server.ts";
import { AcpSessions } from "./sessions.ts";
import { takeStdio } from "./stdio.ts";

/** Everything of ours ends by itself within this; what does not is left behind. */
const MOST_CLOSING_MS = 10_000;
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;

/** Gives the exit code. */
export async function acp(world: World, flags: RunFlags): Promise<number> {
  const { complain } = world;
  const sessions = new AcpSessions({ ...world, print: complain }, flags);
  const signals = listen();
  const stdio = takeStdio();
  const { readable, writable } = ndJsonStream(stdio.output, stdio.input);
  const connection = acpServer(sessions, world).connect({ readable: inOrder(readable), writable });
  const left = connection.closed.then(() => codeOf(connection.signal.reason, complain));
  const code = await Promise.race([signals.told, left]);
  const isClosed = await Promise.race([
    sessions.closeAll().then(() => true),
    pause(MOST_CLOSING_MS, false, { ref: false }),
  ]);
  const isTaken = await stdio.end();
  connection.close();
  signals.end();
  // Nobody reads the rest, or something does not end: neither may keep the program.
  if (!isClosed || !isTaken) process.exit(code);
  return code;
}

/** The next message is heard when the one before it has reached its handler: a cancel means the prompts before it. */
function inOrder<Message>(messages: ReadableStream<Message>): ReadableStream<Message> {
  return messages.pipeThrough(
    new TransformStream<Message, Message>({
      transform: (message, controller) => {
        controller.enqueue(message);
        return new Promise((resolve) => setImmediate(resolve));
      },
    }),
  );
}

/** A client that has gone is how this ends, however it went. */
function codeOf(reason: unknown, complain: World["complain"]): number {
  if (!(reason instanceof MessageTooLargeError)) return EXIT.done;
  complain(`runahead: a message of the client is larger than ${reason.maxMessageBytes / 2 ** 20} MB`);
  return EXIT.error;
}

/** What comes twice ends the program at once. */
function listen(): { readonly told: Promise<number>; readonly end: () => void } {
  const { promise: told, resolve } = deferred<number>();
  let isTold = false;
  const listeners = Object.entries(SIGNALS).map(([name, code]) => {
    const hear = (): void => {
      if (isTold) process.exit(code);
      isTold = true;
      resolve(code);
    };
    process.on(name, hear);
    return [name, hear] as const;
  });
  return { told, end: () => listeners.forEach(([name, hear]) => process.off(name, hear)) };
}
