/** The options of a run of the agent. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { PERMISSION_MODES, UsageError, permissionMode } from "@runahead/harness";
import { isAtTerminal } from "../shared/terminal-output.ts";
import type { World } from "../shared/world.ts";
import { type RunFlags, toolList } from "../shared/flags.ts";

const FORMATS = ["text", "json", "stream-json"];

export function addRun(root: Command, world: World, done: (code: number) => void): void {
  addOutput(root.argument("[prompt]", "what to do; what comes on standard input follows it"));
  addPermissions(root);
  addSession(root);
  root.action(async (prompt: string | undefined, flags: RunFlags) => {
    if (flags.print !== true) checkForPeople(flags);
    if (flags.print !== true) return done(await interactive(root, world, { prompt: prompt ?? "", flags }));
    const [{ headless }, { processInput }] = await Promise.all([
      import("./headless.ts"),
      import("./input.ts"),
    ]);
    done(await headless(world, { prompt: prompt ?? "", flags }, world.input ?? processInput()));
  });
}

function addOutput(root: Command): void {
  root
    .option("-p, --print", "answer one prompt, print it, and end")
    .addOption(new Option("--output-format <format>", "what is printed").choices(FORMATS).default("text"))
    .addOption(
      new Option("--input-format <format>", "what is read").choices(["text", "stream-json"]).default("text"),
    )
    .option("--include-partial-messages", "with stream-json: text as it comes in")
    .option("--verbose", "accepted for compatibility: stream-json always tells everything")
    .option("--model <name>", "the model")
    .option("--replay <file>", "play a recording instead of asking a model")
    .option("--timeline <file>", "write a picture of what ran when: .html, or .json for Perfetto")
    .option("--append-system-prompt <text>", "said to the model behind everything else")
    .option("--json-schema <file-or-json>", "with -p: the answer must be JSON that fits this JSON Schema")
    .option("--max-turns <count>", "end after so many turns", count)
    .option("--max-budget-usd <dollars>", "end when it has cost so much", dollars);
}

function addPermissions(root: Command): void {
  root
    .option(
      "--permission-mode <mode>",
      `${PERMISSION_MODES.slice(0, -1).join(", ")} or ${PERMISSION_MODES.at(-1)}`,
      modeName,
    )
    .option(
      "--permission-prompt-tool <name>",
      "with -p: put what must be asked about to this tool of an MCP server (mcp__server__tool)",
    )
    .option("--dangerously-skip-permissions", "the mode bypassPermissions")
    .option("--allowedTools <rules>", "allow these, as permissions.allow does", toolList)
    .option("--disallowedTools <rules>", "deny these, as permissions.deny does", toolList)
    .option("--tools <names>", "offer the model only these tools", toolList)
    .option("--add-dir <folder>", "another folder to work in; more than once", several)
    .option("--settings <file-or-json>", "further settings, above all but managed ones")
    .option("--setting-sources <names>", "which settings files are read: user,project,local")
    .option("--bare", "flags alone: no settings, instructions, hooks, MCP servers or sub-agents of files")
    .option("--mcp-config <file-or-json>", "further MCP servers, as in a .mcp.json; more than once", several)
    .option("--strict-mcp-config", "only the MCP servers of --mcp-config")
    .option("--trust", "as if this folder were trusted, for this run")
    .option("--sandbox", "run commands in a sandbox, or not at all");
}

function addSession(root: Command): void {
  root
    .option("-r, --resume <id>", "go on with this session")
    .option("-c, --continue", "go on with the latest session of this folder")
    .option("--session-id <uuid>", "the id of the new session")
    .option("--fork-session", "with one of these: in a copy of it")
    .option("--no-session-persistence", "keep nothing on disk");
}

/** What makes sense only where nobody looks on. */
function checkForPeople({ jsonSchema, permissionPromptTool }: RunFlags): void {
  if (jsonSchema !== undefined) throw new UsageError("--json-schema goes with -p");
  if (permissionPromptTool !== undefined) throw new UsageError("--permission-prompt-tool goes with -p");
}

export function several(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function modeName(text: string): string {
  if (permissionMode(text) !== undefined) return text;
  throw new InvalidArgumentError(`It must be one of ${PERMISSION_MODES.join(", ")}.`);
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number of at least 1.");
  return value;
}

function dollars(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

interface Wanted {
  readonly prompt: string;
  readonly flags: RunFlags;
}

/** For a person at a terminal. A word that is nearly a command was meant as one. */
async function interactive(root: Command, world: World, wanted: Wanted): Promise<number> {
  const near = root.commands.map((command) => command.name()).find((name) => isNear(name, wanted.prompt));
  if (near !== undefined) throw new UsageError(`there is no command ${wanted.prompt}. Did you mean ${near}?`);
  if (!isAtTerminal())
    throw new UsageError('this is no terminal: ask with -p, as in runahead -p "what does this project do?"');
  const { repl } = await import("../repl/repl.ts");
  return repl(world, wanted);
}

function isNear(name: string, word: string): boolean {
  const shared = [...name].filter((letter, at) => word[at] === letter || word[at - 1] === letter).length;
  return word.length > 2 && Math.abs(name.length - word.length) <= 1 && shared >= name.length - 1;
}
