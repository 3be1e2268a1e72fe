/** Shares one caller per server and queue in a process, so that a thousand agents do not need a thousand connections. */

import { Caller, type CallerOptions } from "./caller.ts";
import type { Connection } from "./connection.ts";

interface Shared {
  readonly caller: Caller;
  users: number;
}

const open = new Map<Connection, Map<string, Shared>>();

export function shareCaller(options: CallerOptions): { caller: Caller; close: () => Promise<void> } {
  const { connection, queue } = options;
  const queues = open.get(connection) ?? new Map<string, Shared>();
  open.set(connection, queues);
  const shared = queues.get(queue) ?? { caller: new Caller(options), users: 0 };
  queues.set(queue, shared);
  shared.users++;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    if (--shared.users > 0) return;
    queues.delete(queue);
    if (queues.size === 0) open.delete(connection);
    await shared.caller.close();
  };
  return { caller: shared.caller, close };
}
