/** `runahead demo`: plays a recorded session on a small project, with the real tools, permissions and screen. */

import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import type { PersonAnswer, PersonQuestion, Listeners } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { RunFlags } from "../shared/flags.ts";
import { withSignal } from "../shared/question-signal.ts";
import { isAtTerminal } from "../shared/terminal-output.ts";
import type { World } from "../shared/world.ts";
import { howToStart } from "./own-model.ts";
import { playPlainly } from "./plain.ts";
import { makeProject } from "./project.ts";
import { PROMPT, demoRecording } from "./recording.ts";

export interface DemoFlags {
  readonly interactive?: boolean;
  readonly keep?: boolean;
  /** The file for the timeline page. Default: a temporary file. */
  readonly timeline?: string;
}

interface Wanted {
  readonly prompt: string;
  readonly flags: RunFlags;
  /** Wraps the listeners, so that the demo can answer questions and exit. */
  readonly attend: (listeners: Listeners, leave: () => void) => Listeners;
}

/** Runs the interactive program. It is passed to the demo, because front ends do not import each other. */
export type Interactive = (world: World, wanted: Wanted) => Promise<number>;

/** How long a question stays on the screen before the demo answers it. */
const ANSWER_MS = 1_500;
/** How long the last screen stays before the program exits. */
const LEAVE_MS = 1_000;
const MOST_TEST_MS = 30_000;

/** Plays the demo and returns the exit code: an error if the tests of the project still fail afterwards. */
export async function demo(world: World, flags: DemoFlags, repl: Interactive): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "runahead-demo-")));
  const page = flags.timeline ?? `${folder}.html`;
  try {
    const own = await prepared(world, folder);
    const code = await play(own, { flags, repl, page: resolve(world.cwd, page) });
    if (code !== EXIT.done) return code;
    const isGreen = await testsPass(own.cwd);
    world.print(isGreen ? "Checked: the tests pass." : "Checked: the tests still fail.");
    world.print(`Timeline of this run: ${page}`);
    world.print(
      (await howToStart(world)) ?? "To use your own model, run `runahead`: it lists the API keys it accepts.",
    );
    if (flags.keep === true) world.print(`The project is in ${own.cwd}`);
    return isGreen ? EXIT.done : EXIT.error;
  } finally {
    if (flags.keep !== true) await rm(folder, { recursive: true, force: true });
  }
}

/** Prepares a home folder of its own, so that no files of the user are read or written. */
async function prepared(world: World, folder: string): Promise<World> {
  const home = join(folder, "home");
  const cwd = join(home, "shop");
  await makeProject(cwd);
  await writeFile(join(home, "recording.json"), JSON.stringify(demoRecording()));
  const path = [dirname(process.execPath), world.env["PATH"] ?? ""].join(delimiter);
  // The demo must work however the user has configured `node`.
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _test, ...env } = world.env;
  return { ...world, cwd, home, env: { ...env, PATH: path, RUNAHEAD_HOME: join(home, ".runahead") } };
}

interface Play {
  readonly flags: DemoFlags;
  readonly repl: Interactive;
  readonly page: string;
}

async function play(world: World, { flags: { interactive }, repl, page }: Play): Promise<number> {
  const flags: RunFlags = {
    replay: join(world.cwd, "..", "recording.json"),
    timeline: page,
    trust: true,
    sessionPersistence: false,
  };
  const isTerminal = isAtTerminal();
  const attend = attending(isTerminal && interactive === true);
  if (!isTerminal) {
    await playPlainly(world, { prompt: PROMPT, flags }, attend);
    return EXIT.done;
  }
  return repl(world, { prompt: PROMPT, flags, attend });
}

/** Answers the questions unless a person does, and exits when the prompt has been answered. */
function attending(isPerson: boolean) {
  return (listeners: Listeners, leave: () => void): Listeners => {
    const { askPerson } = listeners;
    return {
      ...listeners,
      onEvent: (event) => {
        listeners.onEvent(event);
        if (event.type === "ended") setTimeout(leave, LEAVE_MS);
      },
      ...(askPerson === undefined || isPerson
        ? {}
        : { askPerson: (question: PersonQuestion) => answered(question, askPerson) }),
    };
  };
}

/** Shows the question as to a user, then withdraws it and answers yes. */
async function answered(
  question: PersonQuestion,
  ask: NonNullable<Listeners["askPerson"]>,
): Promise<PersonAnswer> {
  const shown = new AbortController();
  const timer = setTimeout(() => shown.abort(), ANSWER_MS);
  const signal = AbortSignal.any([question.signal, shown.signal]);
  const said = await ask(withSignal(question, signal));
  clearTimeout(timer);
  return shown.signal.aborted && !question.signal.aborted ? { type: "once" } : said;
}

/** Runs the tests of the project, since the recording would claim success in any case. */
function testsPass(cwd: string): Promise<boolean> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _test, ...env } = process.env;
  return new Promise((done) => {
    const child = spawn(process.execPath, ["--test"], { cwd, env, stdio: "ignore", timeout: MOST_TEST_MS });
    child.on("error", () => done(false));
    child.on("exit", (code) => done(code === 0));
  });
}
