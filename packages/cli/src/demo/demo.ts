/** `runahead demo`: a recorded session on a small project, with real tools, permissions and screen. */

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { PersonAnswer, PersonQuestion, Listeners } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import type { RunFlags } from "../shared/flags.ts";
import { isAtTerminal } from "../shared/terminal-output.ts";
import type { World } from "../shared/world.ts";
import { howToStart } from "./own-model.ts";
import { playPlainly } from "./plain.ts";
import { makeProject } from "./project.ts";
import { PROMPT, demoRecording } from "./recording.ts";

export interface DemoFlags {
  readonly interactive?: boolean;
  readonly keep?: boolean;
}

/** So long a question can be read before it is answered. */
const ANSWER_MS = 1_500;
/** So long the end can be read before the program leaves. */
const LEAVE_MS = 1_000;
const MOST_TEST_MS = 30_000;

/** Gives the exit code: an error where the tests do not pass in the end. */
export async function demo(world: World, flags: DemoFlags): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "runahead-demo-")));
  const page = `${folder}.html`;
  try {
    const code = await play(await prepared(world, folder), flags, page);
    if (code !== EXIT.done) return code;
    const isGreen = await testsPass(join(folder, "shop"));
    world.print(isGreen ? `Checked: the tests pass. What ran when: ${page}` : "The tests do not pass.");
    const own = await howToStart(world);
    world.print(own ?? "With a model of your own: `runahead` says how.");
    if (flags.keep === true) world.print(`The project: ${join(folder, "shop")}`);
    return isGreen ? EXIT.done : EXIT.error;
  } finally {
    if (flags.keep !== true) await rm(folder, { recursive: true, force: true });
  }
}

/** A world of its own: nothing of the person's is read or written, and `node` is the one that runs this. */
async function prepared(world: World, folder: string): Promise<World> {
  const [cwd, home] = [join(folder, "shop"), join(folder, "home")];
  await makeProject(cwd);
  await mkdir(home);
  await writeFile(join(folder, "recording.json"), JSON.stringify(demoRecording()));
  const path = [dirname(process.execPath), world.env["PATH"] ?? ""].join(delimiter);
  // How a person's own `node` is set up must not decide whether the demo works.
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _test, ...env } = world.env;
  return { ...world, cwd, home, env: { ...env, PATH: path, RUNAHEAD_HOME: join(home, ".runahead") } };
}

async function play(world: World, { interactive }: DemoFlags, page: string): Promise<number> {
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
  const { repl } = await import("../repl/repl.ts");
  return repl(world, { prompt: PROMPT, flags, attend });
}

/** Answers what is asked, unless a person does, and leaves when the prompt has been answered. */
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

/** The question is shown as it would be to a person, then withdrawn and answered with yes. */
async function answered(
  question: PersonQuestion,
  ask: NonNullable<Listeners["askPerson"]>,
): Promise<PersonAnswer> {
  const shown = new AbortController();
  const timer = setTimeout(() => shown.abort(), ANSWER_MS);
  const signal = AbortSignal.any([question.signal, shown.signal]);
  const asked = Object.create(question, { signal: { value: signal, enumerable: true } }) as PersonQuestion;
  const said = await ask(asked);
  clearTimeout(timer);
  return shown.signal.aborted && !question.signal.aborted ? { type: "once" } : said;
}

/** Not what the recording says, but what is so. */
function testsPass(cwd: string): Promise<boolean> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _test, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--test"], { cwd, env, stdio: "ignore", timeout: MOST_TEST_MS });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}
