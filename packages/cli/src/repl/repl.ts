/** Starts and ends the interactive program, and restores the terminal in every case. */

import { resolve } from "node:path";
import { ProcessTerminal } from "@earendil-works/pi-tui";
import { type Listeners, SessionLocked, UsageError, trustIn } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { firstPrompt } from "../shared/first-prompt.ts";
import type { RunFlags } from "../shared/flags.ts";
import { onOutputError } from "../shared/terminal-output.ts";
import { writeTimeline } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import { App } from "./app.ts";
import type { Front } from "./front.ts";
import { terminalKind } from "./screen/terminal-kind.ts";
import { Conversation } from "./transcript/conversation.ts";
import { codeOf, wordsOf } from "../shared/failure.ts";
import { COPY, WHICH_SESSION, copyQuestion, sessionChoices } from "./transcript/session-list.ts";
import { trustQuestion } from "./panels/trust-question.ts";

/** After this time the program exits without waiting for the rest. */
const MOST_CLOSING_MS = 10_000;

interface Wanted {
  readonly prompt: string;
  readonly flags: RunFlags;
  /** Wraps the listeners, so that the demo can answer questions and exit. */
  readonly attend?: (listeners: Listeners, leave: () => void) => Listeners;
}

/** Runs the interactive program and returns the exit code. Standard input and output must be a terminal. */
export async function repl(world: World, wanted: Wanted): Promise<number> {
  const app = await frontFor(world);
  const stopListening = listen(app);
  let end: End;
  try {
    end = await run(app, world, wanted);
  } finally {
    app.restore();
    stopListening();
  }
  if (end.complaint !== "") world.complain(end.complaint);
  // Ends by the signal itself: Node crashes when it restores a terminal that is gone.
  if (end.code === HUNG_UP) process.kill(process.pid, "SIGHUP");
  // A second Ctrl+C does not wait for what is still closing (I08).
  if (!end.isClosed) process.exit(end.code === EXIT.done ? EXIT.interrupted : end.code);
  return end.code;
}

/** The lines for a plain terminal are loaded only if they are needed. */
async function frontFor(world: World): Promise<Front> {
  if (!terminalKind(world.env).isDumb) return new App(world, new ProcessTerminal());
  const { PlainApp } = await import("./plain/plain-app.ts");
  return new PlainApp(world);
}

interface End {
  readonly code: number;
  /** Whether everything was closed in time. */
  readonly isClosed: boolean;
  readonly complaint: string;
}

async function run(app: Front, world: World, { prompt, flags, attend }: Wanted): Promise<End> {
  let conversation: Conversation;
  try {
    const chosen = await withSession(app, world, await withTrust(app, world, flags));
    if (chosen === undefined) app.leave(EXIT.done);
    if (chosen === undefined || app.isLeaving) return left(app);
    const listeners = attend?.(app.listeners, () => app.leave(EXIT.done)) ?? app.listeners;
    const opened = await open(app, world, { flags: chosen, listeners });
    if (opened === undefined) return left(app);
    conversation = opened;
  } catch (error) {
    app.end();
    return { code: codeOf(error), isClosed: true, complaint: `runahead: ${wordsOf(error)}` };
  }
  app.begin(conversation);
  app.submit(firstPrompt(conversation.made, prompt));
  const code = await app.left;
  const isClosed = await close(app, conversation);
  const complaint = isClosed ? await drawn(conversation, world, flags) : "";
  return { code, isClosed, complaint };
}

interface Opening {
  readonly flags: RunFlags;
  readonly listeners: Listeners;
}

/** Offers a copy of a session that is open elsewhere. Undefined if the user does not want it. */
async function open(
  app: Front,
  world: World,
  { flags, listeners }: Opening,
): Promise<Conversation | undefined> {
  try {
    return await Conversation.open(world, flags, listeners);
  } catch (error) {
    if (!(error instanceof SessionLocked)) throw error;
    const answer = await app.choose(copyQuestion(error));
    if (answer !== COPY && !app.isLeaving) app.leave(EXIT.done);
    if (app.isLeaving) return undefined;
    const { continue: _continue, ...others } = flags;
    return Conversation.open(world, { ...others, resume: error.id, forkSession: true }, listeners);
  }
}

/** The user left before the conversation was opened. */
async function left(app: Front): Promise<End> {
  app.end();
  return { code: await app.left, isClosed: true, complaint: "" };
}

/** Asks whether to trust the folder. No answer means no trust. */
async function withTrust(app: Front, world: World, flags: RunFlags): Promise<RunFlags> {
  const question = await trustQuestion(world, flags);
  if (question === undefined) return flags;
  const answer = await app.choose(question);
  if (answer !== "yes") return answer === "once" ? { ...flags, trust: true } : flags;
  try {
    await trustIn(world).trust(world.cwd, question.accepted);
    return flags;
  } catch (error) {
    app.listeners.onNotice(`Trusted for this session only: cannot save the decision: ${wordsOf(error)}`);
    return { ...flags, trust: true };
  }
}

/** Lets the user choose the session for `--resume` without an id. Undefined if none was chosen. */
async function withSession(app: Front, world: World, flags: RunFlags): Promise<RunFlags | undefined> {
  const { choosesSession, ...others } = flags;
  if (choosesSession !== true || app.isLeaving) return others;
  const choices = await sessionChoices(world, undefined);
  if (choices.length === 0) throw new UsageError("there are no sessions in this folder to resume");
  const resume = await app.choose({ title: WHICH_SESSION, choices });
  return resume === undefined ? undefined : { ...others, resume };
}

async function close(app: Front, conversation: Conversation): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolved) => (timer = setTimeout(resolved, MOST_CLOSING_MS)));
  const all = Promise.all([app.close(), conversation.made.close()]).then(() => true);
  const isClosed = await Promise.race([all, limit, app.pressed]);
  clearTimeout(timer);
  app.end();
  return isClosed === true;
}

/** Writes the timeline for `--timeline`. Returns an error message, or an empty string. */
async function drawn({ made }: Conversation, { cwd }: World, { timeline }: RunFlags): Promise<string> {
  if (timeline === undefined) return "";
  const written = await writeTimeline(resolve(cwd, timeline), await made.timeline());
  return written.type === "failed" ? `runahead: ${written.message}` : "";
}

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
const HUNG_UP = 129;

/** Ends the program on a signal or when the terminal is gone. Returns a function that removes the listeners. */
function listen(app: Front): () => void {
  const gone = (): void => app.leave(HUNG_UP);
  const restore = (): void => app.restore();
  const signals = Object.entries(SIGNALS).map(([name, code]) => [name, () => app.press(code)] as const);
  for (const [name, press] of signals) process.on(name, press);
  process.on("SIGHUP", gone);
  // These listeners stay: a closed terminal keeps failing, which must not print a stack trace.
  process.stdin.on("error", gone);
  onOutputError(gone);
  process.stdin.on("end", gone);
  process.on("exit", restore);
  return () => {
    for (const [name, press] of signals) process.off(name, press);
    process.off("SIGHUP", gone);
    process.stdin.off("end", gone);
    process.off("exit", restore);
  };
}
