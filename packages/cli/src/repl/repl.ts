/** The interactive program: begins, ends, and leaves the terminal as it was, whatever happens. */

import { ProcessTerminal } from "@earendil-works/pi-tui";
import { NoSuchSession, SessionLocked } from "@runahead/agent";
import { EXIT, NoModel, UsageError } from "../exit.ts";
import type { RunFlags } from "../run/flags.ts";
import type { World } from "../world.ts";
import { App } from "./app.ts";
import { Conversation } from "./conversation.ts";

/** Everything of ours ends by itself within this; what does not is left behind. */
const MOST_CLOSING_MS = 10_000;

/** Gives the exit code. Standard input and output must be a terminal. */
export async function repl(
  world: World,
  { prompt, flags }: { readonly prompt: string; readonly flags: RunFlags },
): Promise<number> {
  const app = new App(world, new ProcessTerminal());
  let conversation: Conversation;
  try {
    conversation = await Conversation.open(world, flags, app.listeners);
  } catch (error) {
    const code = codeOf(error);
    world.complain(`runahead: ${error instanceof Error ? error.message : String(error)}`);
    return code;
  }
  const stopListening = listen(app);
  let code: number;
  let isClosed: boolean;
  try {
    app.begin(conversation);
    app.submit(prompt);
    code = await app.left;
    isClosed = await close(app, conversation);
  } finally {
    app.restore();
    stopListening();
  }
  // By the signal itself: Node aborts when it is to give back a terminal that is gone.
  if (code === HUNG_UP) process.kill(process.pid, "SIGHUP");
  // Who pressed again does not want to wait for what holds it up (I08).
  if (!isClosed) process.exit(code === EXIT.done ? EXIT.interrupted : code);
  return code;
}

/** Whether everything has ended. */
async function close(app: App, conversation: Conversation): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, MOST_CLOSING_MS)));
  const all = Promise.all([app.stopOwn(), conversation.made.close()]).then(() => true);
  const isClosed = await Promise.race([all, limit, app.pressed]);
  clearTimeout(timer);
  app.end();
  return isClosed === true;
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
const HUNG_UP = 129;

/** A terminal that goes away ends the program as a signal does; gives what ends the listening. */
function listen(app: App): () => void {
  const gone = (): void => app.leave(HUNG_UP);
  const restore = (): void => app.restore();
  const signals = Object.entries(SIGNALS).map(([name, code]) => [name, () => app.press(code)] as const);
  for (const [name, press] of signals) process.on(name, press);
  process.on("SIGHUP", gone);
  // They stay: a terminal that is gone goes on failing, and that is no reason for a stack.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on("error", gone);
  process.stdin.on("end", gone);
  process.on("exit", restore);
  return () => {
    for (const [name, press] of signals) process.off(name, press);
    process.off("SIGHUP", gone);
    process.stdin.off("end", gone);
    process.off("exit", restore);
  };
}

function codeOf(error: unknown): number {
  if (error instanceof NoModel) return EXIT.credentials;
  if (error instanceof UsageError || error instanceof NoSuchSession || error instanceof SessionLocked)
    return EXIT.usage;
  throw error;
}
