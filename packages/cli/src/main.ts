/** The program `runahead`: what is asked for, by word and option. Each command is loaded when it is asked for. */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { Command, CommanderError } from "commander";
import { addAcp } from "./acp/command.ts";
import type { WorkerFlags } from "./commands/worker.ts";
import type { WorkersFlags } from "./commands/workers.ts";
import { UsageError } from "@runahead/harness";
import { EXIT } from "./shared/exit.ts";
import { addRun, modeName, several } from "./headless/command.ts";
import { answerer, complainer, printer } from "./shared/terminal-output.ts";
import type { World } from "./shared/world.ts";

export { crashed } from "./shared/terminal-output.ts";

/** Gives the exit code. */
export async function main(args: readonly string[], given: Partial<World> = {}): Promise<number> {
  const world: World = {
    cwd: process.cwd(),
    home: homedir(),
    env: process.env,
    ...given,
    print: given.print ?? printer(),
    complain: given.complain ?? complainer(),
    answer: given.answer ?? given.print ?? answerer(),
  };
  const run = { code: EXIT.done as number };
  try {
    await program(world, (code) => (run.code = code)).parseAsync([...args], { from: "user" });
    return run.code;
  } catch (error) {
    return failed(error, world);
  }
}

/** Words for the person, and the code for programs. A bug is not hidden. */
function failed(error: unknown, world: World): number {
  // Its words have been said; help and the version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof UsageError)) throw error;
  world.complain(`runahead: ${error.message}`);
  return EXIT.usage;
}

export function program(world: World, done: (code: number) => void): Command {
  const root = new Command("runahead")
    .description("Runs an AI agent's tools while the model is still talking.")
    .configureOutput({ writeOut: world.print, writeErr: world.complain })
    .showSuggestionAfterError(true)
    // What stands behind a command is the command's.
    .enablePositionalOptions()
    .version(version(), "-v, --version", "the version of this program")
    .exitOverride();
  addRun(root, world, done);
  addSettings(root, world, done);
  addTrust(root, world, done);
  addPermissions(root, world, done);
  addHooks(root, world, done);
  addPrompt(root, world, done);
  addTimeline(root, world, done);
  addDemo(root, world, done);
  addAcp(root, world, done);
  addWorker(root, world, done);
  addWorkers(root, world, done);
  return root;
}

/** From the sources, from a build, and from a bundle, which is one deeper. */
function version(): string {
  const [file] = ["../package.json", "../../package.json"]
    .map((path) => new URL(path, import.meta.url))
    .filter((url) => existsSync(url));
  return file === undefined
    ? ""
    : String((JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version);
}

type Done = (code: number) => void;

const SETTINGS: readonly [string, string] = [
  "--settings <file-or-json>",
  "further settings, above all but managed ones",
];
const TRUST: readonly [string, string] = ["--trust", "as if this folder were trusted, for this run"];

function addSettings(root: Command, world: World, done: Done): void {
  root
    .command("settings")
    .description("Shows the settings in force, and where each comes from.")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "as JSON")
    .action(async (options: object) => {
      const { showSettings } = await import("./commands/settings.ts");
      done(await showSettings(world, options));
    });
}

function addTrust(root: Command, world: World, done: Done): void {
  root
    .command("trust")
    .description("Trusts this folder: its settings may allow and its hooks and servers may run.")
    .option("--revoke", "no longer")
    .action(async (options: object) => {
      const { changeTrust } = await import("./commands/trust.ts");
      done(await changeTrust(world, options));
    });
}

function addPermissions(root: Command, world: World, done: Done): void {
  const permissions = root.command("permissions").description("Explains and tests verdicts.");
  permissions
    .command("check")
    .description("Says whether a call would be allowed, asked about or denied, and why.")
    .requiredOption("--tool <name>", "the tool")
    .requiredOption("--input <json>", "its input")
    .option("--mode <mode>", "the mode, where it is not that of the settings")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "as JSON")
    .action(async (options: object) => {
      const { checkPermission } = await import("./commands/permissions.ts");
      done(await checkPermission(world, options));
    });
  permissions
    .command("test")
    .description(
      "Judges files of permission cases and counts wrong verdicts; fails on a false allow or a weakened deny.",
    )
    .argument("<files...>", "one case per line, as JSON")
    .option("--json", "as JSON")
    .option("--confined", "judge as if the read-only sandbox were available")
    .action(async (files: string[], options: object) => {
      const { testPermissions } = await import("./commands/permissions.ts");
      done(await testPermissions(world, files, options));
    });
  addReplay(permissions, world, done);
}

function addReplay(permissions: Command, world: World, done: Done): void {
  permissions
    .command("replay")
    .description("Shows what other rules or another mode would have decided in past sessions. Runs no tool.")
    .argument("[session]", "the session's id or the start of it (default: the latest of this folder)")
    .option("--all", "all sessions of this folder")
    .option("--mode <mode>", "decide in this mode (default: the mode of the settings)", modeName)
    .option("--allow <rule>", "add an allow rule; can be repeated", several)
    .option("--ask <rule>", "add an ask rule; can be repeated", several)
    .option("--deny <rule>", "add a deny rule; can be repeated", several)
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--changed", "only calls with another verdict than recorded")
    .option("--json", "as JSON")
    .action(async (session: string | undefined, options: object) => {
      const { replayPermissions } = await import("./commands/replay.ts");
      done(await replayPermissions(world, session, options));
    });
}

function addPrompt(root: Command, world: World, done: Done): void {
  root
    .command("prompt")
    .description(
      "Prints what the model reads before the first prompt in this folder, with the size of each part.",
    )
    .option("--sizes", "print only the sizes")
    .option("--model <name>", "as for this model")
    .option("--append-system-prompt <text>", "text appended to the system prompt")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "as JSON")
    .action(async (options: object) => {
      const { showPrompt } = await import("./commands/prompt.ts");
      done(await showPrompt(world, options));
    });
}

function addHooks(root: Command, world: World, done: Done): void {
  const hooks = root.command("hooks").description("Lists hooks, or runs them against a sample.");
  const list = async (options: object): Promise<void> => {
    const { listHooks } = await import("./commands/hooks.ts");
    done(await listHooks(world, options));
  };
  hooks
    .command("list", { isDefault: true })
    .description("Lists the hooks of this folder, and which of them run.")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "as JSON")
    .action(list);
  hooks
    .command("test")
    .description("Runs the hooks that a sample of an event matches, and shows all that came back.")
    .argument("<event>", "PreToolUse, Stop, …")
    .option("--input <json>", 'members of the event: {"tool_name": "Bash", "tool_input": {…}}', "{}")
    .option("--id <id>", "only this one")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "as JSON")
    .action(async (event: string, options: object) => {
      const { testHooks } = await import("./commands/hooks.ts");
      done(await testHooks(world, event, options));
    });
}

function addTimeline(root: Command, world: World, done: Done): void {
  root
    .command("timeline")
    .description("Shows what ran when in a session, and what running ahead has saved.")
    .argument("[session]", "its id, or the beginning of it; the latest of this folder where absent")
    .option("--html <file>", "write a page that needs nothing else")
    .option("--trace <file>", "write trace events, for Perfetto and chrome://tracing")
    .option("--json", "as JSON")
    .option("--no-content", "without the beginnings of inputs and outputs, and the prompt as a title")
    .action(async (session: string | undefined, options: object) => {
      const { showTimeline } = await import("./commands/timeline.ts");
      done(await showTimeline(world, session, options));
    });
}

function addDemo(root: Command, world: World, done: Done): void {
  root
    .command("demo")
    .description("Plays a recorded session on a small project: real tools, no key, no network.")
    .option("--interactive", "answer its questions yourself")
    .option("--keep", "keep the project's folder")
    .action(async (options: object) => {
      const { demo } = await import("./demo/demo.ts");
      done(await demo(world, options));
    });
}

const REDIS: readonly [string, string] = [
  "--redis <url>",
  "the server, where it is not that of RUNAHEAD_REDIS",
];

function addWorker(root: Command, world: World, done: Done): void {
  root
    .command("worker")
    .description("Runs the tools of other machines' agents here, off a queue on Redis.")
    .requiredOption("--queue <name>", "the queue")
    .requiredOption("--tools <names>", "what it may run: read,grep,bash")
    .option("--concurrency <number>", "how many calls run at once", "4")
    .option(...REDIS)
    .option("--release <word>", "must be that of the callers")
    .action(async (options: WorkerFlags) => {
      const { runWorker } = await import("./commands/worker.ts");
      done(await runWorker(world, options));
    });
}

function addWorkers(root: Command, world: World, done: Done): void {
  root
    .command("workers")
    .description("Shows the fleet of a queue: workers, what they run, what waits, and for how long.")
    .requiredOption("--queue <name>", "the queue")
    .option("--drain <id>", "has this worker finish what it runs, and end")
    .option(...REDIS)
    .option("--json", "as JSON")
    .action(async (options: WorkersFlags) => {
      const { showWorkers } = await import("./commands/workers.ts");
      done(await showWorkers(world, options));
    });
}
