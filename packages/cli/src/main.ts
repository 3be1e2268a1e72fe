/** The program `runahead`: its commands and options. Each command is loaded when it is used. */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { Command, CommanderError } from "commander";
import { addAcp } from "./acp/command.ts";
import { addImport } from "./commands/import-command.ts";
import { addMcp } from "./commands/mcp-command.ts";
import type { ServeFlags } from "./commands/serve.ts";
import type { WorkerFlags } from "./commands/worker.ts";
import type { WorkersFlags } from "./commands/workers.ts";
import type { Interactive } from "./demo/demo.ts";
import { UsageError } from "@runahead/harness";
import { EXIT } from "./shared/exit.ts";
import { addRun, modeName, several } from "./run-command.ts";
import { answerer, complainer, printer } from "./shared/terminal-output.ts";
import type { World } from "./shared/world.ts";

export { crashed } from "./shared/terminal-output.ts";

/** Runs the program and returns its exit code. */
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
    if (NETWORK.some((name) => (world.env[name] ?? world.env[name.toLowerCase()] ?? "") !== ""))
      await useNetwork(world.env);
    await program(world, (code) => (run.code = code)).parseAsync(await separated(args), { from: "user" });
    return run.code;
  } catch (error) {
    return failed(error, world);
  }
}

const WITH_LISTS = /^--(?:(?:dis)?allowed-?tools|tools|add-dir|mcp-config)$/i;

/** Repeats flags that have several values. */
async function separated(args: readonly string[]): Promise<string[]> {
  if (!args.some((arg) => WITH_LISTS.test(arg))) return [...args];
  return (await import("./shared/list-flags.ts")).repeatedFlags(args);
}

/** The module is loaded only if it is needed, because it takes long to load. */
const NETWORK = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "RUNAHEAD_CLIENT_CERT",
  "RUNAHEAD_CLIENT_KEY",
  "CLAUDE_CODE_CLIENT_CERT",
];

async function useNetwork(env: World["env"]): Promise<void> {
  const { useNetworkSettings } = await import("@runahead/harness/internal");
  try {
    useNetworkSettings(env);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reports invalid usage and returns the exit code. Any other error is a bug and is rethrown. */
function failed(error: unknown, world: World): number {
  // Commander has already printed it; help and the version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof UsageError)) throw error;
  world.complain(`runahead: ${error.message}`);
  return EXIT.usage;
}

export function program(world: World, done: (code: number) => void): Command {
  const root = new Command("runahead")
    .description("A coding agent that runs its tools while the model is still streaming.")
    .configureOutput({ writeOut: world.print, writeErr: world.complain })
    .showSuggestionAfterError(true)
    // Options after a command belong to the command.
    .enablePositionalOptions()
    .version(version(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride();
  addRun(root, world, done);
  addSettings(root, world, done);
  addTrust(root, world, done);
  addPlugin(root, world, done);
  addPermissions(root, world, done);
  addHooks(root, world, done);
  addPrompt(root, world, done);
  addTimeline(root, world, done);
  addWeb(root, world, done);
  addDemo(root, world, done);
  addImport(root, world, done);
  addMcp(root, world, done);
  addAcp(root, world, done);
  addWorker(root, world, done);
  addWorkers(root, world, done);
  addServe(root, world, done);
  return root;
}

/** Looks for package.json next to the sources or the build, and one level up for a bundle. */
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
  "settings file or JSON that overrides all other settings except managed ones",
];
const TRUST: readonly [string, string] = ["--trust", "trust this folder for this run only"];

function addSettings(root: Command, world: World, done: Done): void {
  root
    .command("settings")
    .description("Show the settings in effect and the file each one comes from.")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "print JSON")
    .action(async (options: object) => {
      const { showSettings } = await import("./commands/settings.ts");
      done(await showSettings(world, options));
    });
}

function addWeb(root: Command, world: World, done: Done): void {
  root
    .command("web")
    .description("Watch the running sessions in a browser, and answer their questions there.")
    .option("--port <number>", "port to listen on (default: a free one)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1, which no other machine can reach)")
    .option(
      "--server <url>",
      "show the sessions of a `runahead serve` server; its token is read from RUNAHEAD_SERVE_TOKEN",
    )
    .action(async (options: object) => {
      const { web } = await import("./commands/web.ts");
      done(await web(world, options));
    });
}

function addTrust(root: Command, world: World, done: Done): void {
  root
    .command("trust")
    .description("Trust this folder: enable its settings, hooks, servers, sub-agents, skills and commands.")
    .option("--accept", "also accept its settings that turn off questions or weaken the sandbox")
    .option("--revoke", "stop trusting this folder")
    .action(async (options: object) => {
      const { changeTrust } = await import("./commands/trust.ts");
      done(await changeTrust(world, options));
    });
}

function addPlugin(root: Command, world: World, done: Done): void {
  const plugin = root.command("plugin").description("Add, list and remove plugins.");
  plugin
    .command("add")
    .description("Show what a plugin would switch on, and add it with --yes.")
    .argument("<source>", "folder, git address, owner/repository, npm:PACKAGE or marketplace.json")
    .argument("[name]", "plugin of a marketplace (default: the only one)")
    .option("--yes", "trust and add the plugin")
    .action(async (source: string, name: string | undefined, options: object) => {
      const { addPlugin: add } = await import("./commands/plugin.ts");
      done(await add(world, { source, name }, options));
    });
  plugin
    .command("list")
    .description("List the plugins and their folders.")
    .action(async () => done(await (await import("./commands/plugin.ts")).listPlugins(world)));
  plugin
    .command("remove")
    .description("Remove a plugin. Your own folder stays on disk; a clone is deleted.")
    .argument("<name>", "name of the plugin")
    .action(async (name: string) =>
      done(await (await import("./commands/plugin.ts")).removePlugin(world, name)),
    );
  for (const [verb, isEnabled] of [
    ["enable", true],
    ["disable", false],
  ] as const)
    plugin
      .command(verb)
      .description(isEnabled ? "Use a plugin again." : "Stop using a plugin without removing it.")
      .argument("<name>", "name of the plugin")
      .action(async (name: string) =>
        done(await (await import("./commands/plugin.ts")).switchPlugin(world, name, isEnabled)),
      );
}

function addPermissions(root: Command, world: World, done: Done): void {
  const permissions = root.command("permissions").description("Explain and test permission decisions.");
  permissions
    .command("check")
    .description("Show whether a call would be allowed, asked about or denied, and why.")
    .requiredOption("--tool <name>", "tool to check, for example Bash")
    .requiredOption("--input <json>", "input of the call")
    .option("--mode <mode>", "permission mode (default: the mode in the settings)")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "print JSON")
    .action(async (options: object) => {
      const { checkPermission } = await import("./commands/permissions.ts");
      done(await checkPermission(world, options));
    });
  permissions
    .command("test")
    .description(
      "Run files of permission cases and count wrong verdicts. Fails on a false allow or a weakened deny.",
    )
    .argument("<files...>", "files with one JSON case per line")
    .option("--json", "print JSON")
    .option("--confined", "decide as if the read-only sandbox were available (default: without it)")
    .action(async (files: string[], options: object) => {
      const { testPermissions } = await import("./commands/permissions.ts");
      done(await testPermissions(world, files, options));
    });
  addReplay(permissions, world, done);
}

function addReplay(permissions: Command, world: World, done: Done): void {
  permissions
    .command("replay")
    .description("Show what other rules or another mode would have decided in past sessions. Runs no tools.")
    .argument("[session]", "session id or its first characters (default: the latest session in this folder)")
    .option("--all", "replay all sessions in this folder")
    .option("--mode <mode>", "decide in this mode (default: the mode in the settings)", modeName)
    .option("--allow <rule>", "add an allow rule (repeatable)", several)
    .option("--ask <rule>", "add an ask rule (repeatable)", several)
    .option("--deny <rule>", "add a deny rule (repeatable)", several)
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--changed", "show only calls whose verdict changed")
    .option("--json", "print JSON")
    .action(async (session: string | undefined, options: object) => {
      const { replayPermissions } = await import("./commands/replay.ts");
      done(await replayPermissions(world, session, options));
    });
}

function addPrompt(root: Command, world: World, done: Done): void {
  root
    .command("prompt")
    .description(
      "Print what the model reads before the first prompt in this folder, with the size of each part.",
    )
    .option("--sizes", "print only the sizes")
    .option("--model <name>", "model to print the prompt for (default: the model of a run in this folder)")
    .option("--append-system-prompt <text>", "text to append to the system prompt")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "print JSON")
    .action(async (options: object) => {
      const { showPrompt } = await import("./commands/prompt.ts");
      done(await showPrompt(world, options));
    });
}

function addHooks(root: Command, world: World, done: Done): void {
  const hooks = root.command("hooks").description("List hooks, or run them against a sample event.");
  const list = async (options: object): Promise<void> => {
    const { listHooks } = await import("./commands/hooks.ts");
    done(await listHooks(world, options));
  };
  hooks
    .command("list", { isDefault: true })
    .description("List the hooks in this folder and which of them run (default).")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "print JSON")
    .action(list);
  hooks
    .command("test")
    .description("Run the hooks that match a sample event and show what they returned.")
    .argument("<event>", "hook event: PreToolUse, Stop, …")
    .option("--input <json>", 'event fields: {"tool_name": "Bash", "tool_input": {…}}', "{}")
    .option("--id <id>", "run only the hook with this id (default: all that match)")
    .option(...SETTINGS)
    .option(...TRUST)
    .option("--json", "print JSON")
    .action(async (event: string, options: object) => {
      const { testHooks } = await import("./commands/hooks.ts");
      done(await testHooks(world, event, options));
    });
}

function addTimeline(root: Command, world: World, done: Done): void {
  root
    .command("timeline")
    .description("Show what ran when in a session and how much time running ahead saved.")
    .argument("[session]", "session id or its first characters (default: the latest session in this folder)")
    .option("--html <file>", "write a self-contained HTML page")
    .option("--trace <file>", "write trace events for Perfetto or chrome://tracing")
    .option("--json", "print JSON")
    .option("--no-content", "leave out the prompt and the excerpts of inputs and outputs")
    .action(async (session: string | undefined, options: object) => {
      const { showTimeline } = await import("./commands/timeline.ts");
      done(await showTimeline(world, session, options));
    });
}

function addDemo(root: Command, world: World, done: Done): void {
  root
    .command("demo")
    .description("Play a recorded session on a small project: real tools, no API key, no network.")
    .option("--interactive", "answer the permission questions yourself (default: the demo answers yes)")
    .option("--keep", "keep the demo project (default: delete it)")
    .option("--timeline <file>", "write the timeline page to this file (default: a temporary file)")
    .action(async (options: object) => {
      const { demo } = await import("./demo/demo.ts");
      const interactive: Interactive = async (own, wanted) =>
        (await import("./repl/repl.ts")).repl(own, wanted);
      done(await demo(world, options, interactive));
    });
}

const REDIS: readonly [string, string] = [
  "--redis <url>",
  "Redis server (default: RUNAHEAD_REDIS, or redis://127.0.0.1:6379)",
];

function addWorker(root: Command, world: World, done: Done): void {
  root
    .command("worker")
    .description("Run tool calls from agents on other machines, taken from a Redis queue.")
    .requiredOption("--queue <name>", "queue name")
    .requiredOption("--tools <names>", "tools that this worker runs, for example read,grep,bash")
    .option("--concurrency <number>", "number of calls to run at once", "4")
    .option(...REDIS)
    .option("--release <word>", "release name; calls from another release are refused (default: none)")
    .action(async (options: WorkerFlags) => {
      const { runWorker } = await import("./commands/worker.ts");
      done(await runWorker(world, options));
    });
}

function addWorkers(root: Command, world: World, done: Done): void {
  root
    .command("workers")
    .description("Show the workers of a queue, what they run, and how long calls wait.")
    .requiredOption("--queue <name>", "queue name")
    .option("--drain <id>", "drain this worker: it finishes its running calls and exits")
    .option(...REDIS)
    .option("--json", "print JSON")
    .action(async (options: WorkersFlags) => {
      const { showWorkers } = await import("./commands/workers.ts");
      done(await showWorkers(world, options));
    });
}

function addServe(root: Command, world: World, done: Done): void {
  root
    .command("serve")
    .description("Run agents and serve them over HTTP. One machine needs neither Redis nor Postgres.")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; 0 for any free port", "7070")
    .option(
      "--health-port <number>",
      "with --role worker: serve /healthz, /readyz and /metrics on this port (default: none)",
    )
    .option(
      "--tokens <file>",
      "JSON file with tokens, tenants and scopes (default: RUNAHEAD_SERVE_TOKEN, or a new token)",
    )
    .option("--store <url>", "store sessions in Postgres: postgres://… (default: RUNAHEAD_STORE, or files)")
    .option(
      "--results <url>",
      "with --store: keep large results in an S3-compatible bucket: https://HOST/BUCKET (default: in the database)",
    )
    .option("--redis <url>", "connect several processes through this Redis server (default: none)")
    .option("--queue <name>", "queue name on the Redis server", "agents")
    .option("--role <role>", "all, server (HTTP only) or worker (agents only)", "all")
    .option("--concurrency <number>", "number of sessions to run at once", "8")
    .option(
      "--tenant-limit <number>",
      "number of sessions of a tenant to run at once, on all workers (default: no limit)",
    )
    .option("--allow-host <name>", "accept requests for this host name (repeatable)", several)
    .option("--allow-origin <origin>", "accept requests from web pages of this origin (repeatable)", several)
    .option("--model <name>", "model, or provider/model (default: from the settings or the API key)")
    .option(
      "--permission-mode <mode>",
      "permission mode of the agents (default: from the settings, else default)",
      modeName,
    )
    .option(...SETTINGS)
    .option(...TRUST)
    .action(async (options: ServeFlags) => {
      const { runServe } = await import("./commands/serve.ts");
      done(await runServe(world, options));
    });
}
