/** `runahead web`: the running sessions in a browser. */

import { UsageError, runaheadHome } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import { Watcher } from "../shared/live/watch.ts";
import { startWebView } from "../shared/live/web-server.ts";
import type { World } from "../shared/world.ts";

interface WebFlags {
  readonly host?: string;
  readonly port?: string;
}

/** Serves until a signal ends the program. */
export async function web(world: World, { host, port }: WebFlags): Promise<number> {
  const number = port === undefined ? 0 : Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${port}`);
  const watcher = new Watcher(runaheadHome(world));
  const options = { watcher, port: number, ...(host === undefined ? {} : { host }) };
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
