/** `runahead web`: shows sessions in a browser: the running ones of this machine, or those of a server. */

import { UsageError, runaheadHome } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import { ServedSessions } from "../shared/live/served.ts";
import type { ViewedSessions } from "../shared/live/sessions.ts";
import { Watcher } from "../shared/live/watch.ts";
import { startWebView } from "../shared/live/web-server.ts";
import type { World } from "../shared/world.ts";

interface WebFlags {
  readonly host?: string;
  readonly port?: string;
  readonly server?: string;
}

/** Serves until Ctrl+C. */
export async function web(world: World, flags: WebFlags): Promise<number> {
  const { host, port } = flags;
  const number = port === undefined ? 0 : Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${port}`);
  const sessions = await sessionsOf(world, flags);
  const options = { sessions, port: number, ...(host === undefined ? {} : { host }) };
  const view = await startWebView(options).catch((error: unknown) => {
    throw new UsageError(`cannot serve on ${host ?? "127.0.0.1"}:${number}: ${wordsOf(error)}`);
  });
  world.print(`Open ${view.url}`);
  world.print("The address works once. Ctrl+C ends the server; sessions keep running.");
  if (host !== undefined && !["127.0.0.1", "localhost", "::1"].includes(host))
    world.complain(`warning: other machines can reach ${host}. The connection is not encrypted.`);
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
  await view.close();
  return EXIT.done;
}

async function sessionsOf(world: World, { server }: WebFlags): Promise<ViewedSessions> {
  if (server === undefined) return new Watcher(runaheadHome(world));
  const token = world.env["RUNAHEAD_SERVE_TOKEN"] ?? "";
  if (token === "") throw new UsageError("--server needs the token of the server in RUNAHEAD_SERVE_TOKEN");
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new UsageError(`--server must be an address such as http://127.0.0.1:7070, not ${server}`);
  const served = new ServedSessions({ url: server, token }, (message) =>
    world.complain(`warning: ${message}`),
  );
  await served.check().catch((error: unknown) => {
    throw new UsageError(`cannot read the sessions of ${server}: ${wordsOf(error)}`);
  });
  return served;
}
