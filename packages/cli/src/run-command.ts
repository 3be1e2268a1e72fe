/** The options of a run of the agent, and which front end runs it. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { PERMISSION_MODES, UsageError, permissionMode, runSetupHooks } from "@runahead/harness";
import { EXIT } from "./shared/exit.ts";
import { isAtTerminal } from "./shared/terminal-output.ts";
import type { World } from "./shared/world.ts";
import { type ParsedFlags, type RunFlags, runFlags, toolList } from "./shared/flags.ts";
import { addHostFlags, withoutHostFlags } from "./headless/host-flags.ts";

const FORMATS = ["text", "json", "stream-json"];

export function addRun(root: Command, world: World, done: (code: number) => void): void {
  addOutput(root.argument("[prompt]", "what to do; with -p, text from standard input is appended"));
  addPermissions(root);
  addSession(root);
  addHostFlags(root);
  root.action(async (prompt: string | undefined, parsed: ParsedFlags) => {
    const { flags: own, notices } = withoutHostFlags(parsed);
    const flags = runFlags(own);
    if (flags.initOnly === true) return done(await setUp(world, flags));
    const isHeadless = flags.print === true || flags.inputFormat === "stream-json";
    if (isHeadless) checkForPrograms(flags);
    else checkForPeople(flags);
    if (!isHeadless) return done(await interactive(root, world, { prompt: prompt ?? "", flags }));
    const [{ headless }, { processInput }] = await Promise.all([
      import("./headless/headless.ts"),
      import("./headless/input.ts"),
    ]);
    done(await headless(world, { prompt: prompt ?? "", flags, notices }, world.input ?? processInput()));
  });
}

async function setUp(world: World, flags: RunFlags): Promise<number> {
  const { cwd, home, env } = world;
  const { trust = false, setup = "init", settings } = flags;
  const chosen = { trust, setup, ...(settings === undefined ? {} : { settings }) };
  await runSetupHooks({ cwd, home, env, ...chosen, onNotice: (message) => world.complain(message) });
  return EXIT.done;
}

function addOutput(root: Command): void {
  root
    .option("-p, --print", "answer one prompt, print the answer and exit")
    .addOption(new Option("--output-format <format>", "output format of -p").choices(FORMATS).default("text"))
    .addOption(
      new Option("--input-format <format>", "input format of -p")
        .choices(["text", "stream-json"])
        .default("text"),
    )
    .option(
      "--include-partial-messages",
      "with stream-json: print text while it streams (default: whole messages)",
    )
    .option(
      "--replay-user-messages",
      "with stream-json in both directions: print each prompt with its id (default: prompts are not printed)",
    )
    .option("--verbose", "accepted for compatibility; stream-json is always verbose")
    .option("--model <name>", "model, or provider/model (default: from the settings or the API key)")
    .option("--fallback-model <names>", "models to switch to when the first is overloaded (default: none)")
    .option(
      "--agent <name>",
      "run as this sub-agent: its prompt, tools and limits (default: from the settings)",
    )
    .option(
      "--effort <level>",
      "how much the model thinks: low, medium, high, xhigh or max (default: its own)",
    )
    .option(
      "--max-thinking-tokens <count>",
      "thinking budget; 0 turns thinking off (default: the model's own)",
      tokens,
    )
    .addOption(
      new Option("--thinking <kind>", "turn thinking on or off (default: the model's own)").choices([
        "adaptive",
        "enabled",
        "disabled",
      ]),
    )
    .option("--replay <file>", "play a recorded session instead of calling a model")
    .option("--timeline <file>", "write a timeline of the run: .html, or .json for Perfetto")
    .option("--append-system-prompt <text>", "text to append to the system prompt")
    .option("--json-schema <file-or-json>", "with -p: require an answer that matches this JSON Schema")
    .option("--max-turns <count>", "stop after this many turns (default: 50)", count)
    .option(
      "--max-budget-usd <dollars>",
      "stop when the cost reaches this amount (default: no limit)",
      dollars,
    );
}

/** Unlike other counts, 0 has a meaning. */
function tokens(text: string): number {
  const given = Number(text);
  if (Number.isInteger(given) && given >= 0 && text.trim() !== "") return given;
  throw new InvalidArgumentError("expected a number of tokens, 0 or more");
}

function addPermissions(root: Command): void {
  root
    .option(
      "--permission-mode <mode>",
      `permission mode: ${PERMISSION_MODES.slice(0, -1).join(", ")} or ${PERMISSION_MODES.at(-1)} (default: from the settings, else default)`,
      modeName,
    )
    .option(
      "--permission-prompt-tool <name>",
      "with -p: send permission questions to this MCP tool (mcp__server__tool), or to the host (stdio)",
    )
    .addOption(
      new Option("--permission-prompts <who>", "who answers permission questions: the host, or nobody (none)")
        .choices(["host", "none"])
        .default("host"),
    )
    .option(
      "--allow-dangerously-skip-permissions",
      "let the host switch to bypassPermissions later (default: refused)",
    )
    .option("--dangerously-skip-permissions", "same as --permission-mode bypassPermissions")
    .option("--allowedTools <rules>", "allow rules, as in permissions.allow", toolList)
    .option("--disallowedTools <rules>", "deny rules, as in permissions.deny", toolList)
    .option(
      "--tools <names>",
      "offer the model only these built-in tools; an empty list offers none (default: all)",
      toolList,
    )
    .option("--add-dir <folder>", "additional folder to work in (repeatable)", several)
    .option(
      "--settings <file-or-json>",
      "settings file or JSON that overrides all other settings except managed ones",
    )
    .option(
      "--managed-settings <file-or-json>",
      "settings of the host that nothing can override; if this machine has managed settings, they come first",
    )
    .option("--setting-sources <names>", "settings files to read (default: user,project,local)")
    .option(
      "--bare",
      "use flags only: ignore settings, instructions, hooks, MCP servers and sub-agents from files",
    )
    .option(
      "--mcp-config <file-or-json>",
      "additional MCP servers, in the format of .mcp.json (repeatable)",
      several,
    )
    .option("--plugin-dir <folder>", "use this plugin in this run only, and trust it (repeatable)", several)
    .option(
      "--plugin-dir-no-mcp <folder>",
      "use this plugin in this run only, without its MCP servers (repeatable)",
      several,
    )
    .option(
      "--await-initialize",
      "with stream-json: load the plugins and MCP servers that the host names in initialize (default: none)",
    )
    .option("--strict-mcp-config", "use only the MCP servers from --mcp-config")
    .option("--trust", "trust this folder for this run only")
    .option("--init", "run the Setup hooks with the trigger init before the first prompt")
    .option("--init-only", "run the Setup hooks with the trigger init, then exit")
    .option("--maintenance", "run the Setup hooks with the trigger maintenance before the first prompt")
    .option("--sandbox", "run commands in a sandbox; refuse to run them without one");
}

function addSession(root: Command): void {
  root
    .option("-r, --resume [id]", "resume this session; without an id, choose one from a list")
    .option("-c, --continue", "resume the latest session in this folder")
    .option("--session-id <uuid>", "id of the new session (default: random)")
    .option("--fork-session", "with --resume or --continue: work on a copy of the session")
    .option("--no-session-persistence", "do not save the session to disk");
}

/** Rejects flags that only make sense without -p. */
function checkForPrograms({ choosesSession }: RunFlags): void {
  if (choosesSession === true)
    throw new UsageError(
      "--resume requires a session id with -p. To resume the latest session, use --continue",
    );
}

/** Rejects flags that only make sense with -p. */
function checkForPeople({ jsonSchema, permissionPromptTool }: RunFlags): void {
  if (jsonSchema !== undefined) throw new UsageError("--json-schema requires -p");
  if (permissionPromptTool !== undefined) throw new UsageError("--permission-prompt-tool requires -p");
}

export function several(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function modeName(text: string): string {
  const mode = permissionMode(text);
  if (mode !== undefined) return mode;
  throw new InvalidArgumentError(`Use one of ${PERMISSION_MODES.join(", ")}.`);
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("Use a whole number of at least 1.");
  return value;
}

function dollars(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("Use a number greater than 0.");
  return value;
}

interface Wanted {
  readonly prompt: string;
  readonly flags: RunFlags;
}

/** Starts the interactive program. A prompt that is nearly a command name is taken for a typing error. */
async function interactive(root: Command, world: World, wanted: Wanted): Promise<number> {
  const near = root.commands.map((command) => command.name()).find((name) => isNear(name, wanted.prompt));
  if (near !== undefined) throw new UsageError(`unknown command ${wanted.prompt}. Did you mean ${near}?`);
  if (!isAtTerminal())
    throw new UsageError(
      'standard input or output is not a terminal. Use -p, for example: runahead -p "what does this project do?"',
    );
  const { repl } = await import("./repl/repl.ts");
  return repl(world, wanted);
}

function isNear(name: string, word: string): boolean {
  const shared = [...name].filter((letter, at) => word[at] === letter || word[at - 1] === letter).length;
  return word.length > 2 && Math.abs(name.length - word.length) <= 1 && shared >= name.length - 1;
}
