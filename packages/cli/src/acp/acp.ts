/** `runahead acp`: the Agent Client Protocol on standard input and output, until the client disconnects. */

import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk";
import { setTimeout as pause } from "node:timers/promises";
import { EXIT } from "../shared/exit.ts";
import { deferred } from "../shared/deferred.ts";
import type { RunFlags } from "../shared/flags.ts";
import type { World } from "../shared/world.ts";
import { acpServer } from "./server.ts";
import { AcpSessions } from "./sessions.ts";
import { takeStdio } from "./stdio.ts";

/** After this time the program exits without waiting for the rest. */
const MOST_CLOSING_MS = 10_000;
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: 129 } as const;

/** Runs until the client disconnects or a signal arrives, and returns the exit code. */
export async function acp(world: World, flags: RunFlags): Promise<number> {
  const { complain } = world;
  const sessions = new AcpSessions({ ...world, print: complain }, flags);
  const signals = listen();
  const stdio = takeStdio();
  const { readable, writable } = ndJsonStream(stdio.output, stdio.input);
  const connection = acpServer(sessions, world).connect({ readable: inOrder(readable), writable });
  const left = connection.closed.then(() => codeOf(connection.signal.reason, complain));
  const code = await Promise.race([signals.received, left]);
  const isClosed = await Promise.race([
    sessions.closeAll().then(() => true),
    pause(MOST_CLOSING_MS, false, { ref: false }),
  ]);
  const isTaken = await stdio.end();
  connection.close();
  signals.end();
  // The program exits even if nobody reads the rest or something does not close.
  if (!isClosed || !isTaken) process.exit(code);
  return code;
}

/** Delivers each message after the previous one has reached its handler, so that a cancel applies to earlier prompts. */
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

/** A client that disconnects is the normal end, in whatever way it does so. */
function codeOf(reason: unknown, complain: World["complain"]): number {
  if (!(reason instanceof MessageTooLargeError)) return EXIT.done;
  complain(`runahead: a message from the client is larger than ${reason.maxMessageBytes / 2 ** 20} MB`);
  return EXIT.error;
}

/** A second signal exits immediately. */
function listen(): { readonly received: Promise<number>; readonly end: () => void } {
  const { promise: received, resolve } = deferred<number>();
  let isEnding = false;
  const listeners = Object.entries(SIGNALS).map(([name, code]) => {
    const hear = (): void => {
      if (isEnding) process.exit(code);
      isEnding = true;
      resolve(code);
    };
    process.on(name, hear);
    return [name, hear] as const;
  });
  return { received, end: () => listeners.forEach(([name, hear]) => process.off(name, hear)) };
}
