/** What can be asked of the program itself, by `/` and a word. */

import type { Assembled } from "../run/assemble.ts";
import type { Counts } from "./counts.ts";
import { bold, dim } from "./style.ts";
import { cost } from "./summary.ts";
import { amount, duration, nearest, plural } from "./words.ts";

/** What commands may do with the program. */
export interface CommandPorts {
  readonly made: () => Assembled;
  readonly counts: Counts;
  /** Exchanges the agent: for a new conversation, or for one with another model. */
  readonly exchange: (
    wish: { readonly type: "clear" } | { readonly type: "model"; readonly name: string },
  ) => Promise<void>;
  readonly leave: () => void;
}

interface Command {
  readonly help: string;
  readonly run: (ports: CommandPorts, words: string) => readonly string[] | Promise<readonly string[]>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: { help: "what there is", run: () => helpLines() },
  clear: { help: "begin a new conversation; the old one is kept on disk", run: clear },
  compact: { help: "summarise the conversation; with words on what matters", run: compact },
  cost: { help: "tokens and money so far", run: ({ counts }) => costLines(counts) },
  context: { help: "how much of the model's context is used", run: ({ counts }) => contextLines(counts) },
  model: { help: "which model it is; with a name: go on with that one", run: model },
  permissions: { help: "the mode and the rules in force", run: ({ made }) => permissionLines(made()) },
  hooks: { help: "the hooks of the settings", run: ({ made }) => hookLines(made()) },
  mcp: { help: "servers and their tools", run: ({ made }) => mcpLines(made()) },
  status: { help: "what this session is", run: ({ made }) => statusLines(made()) },
  exit: { help: "leave (Ctrl+D, or Ctrl+C twice)", run: ({ leave }) => (leave(), []) },
};

/** Gives lines for the person. `line` begins with the slash. */
export async function runCommand(line: string, ports: CommandPorts): Promise<readonly string[]> {
  const [, name = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(ports, words.trim());
  const near = nearest(name, Object.keys(COMMANDS));
  return [
    `There is no command /${name}. ${near === undefined ? "/help lists them." : `Did you mean /${near}?`}`,
  ];
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Esc", "interrupts; to a question it says no"],
  ["Shift+Tab", "changes the mode: default, acceptEdits, plan"],
  ["Alt+Enter", "a new line, as does \\ before Enter"],
  ["↑ ↓", "what was typed before; takes back what waits"],
  ["!command", "runs a command of your own; the model does not hear of it"],
  ["Ctrl+C", "interrupts or clears the line; twice it leaves, as does Ctrl+D"],
];

function helpLines(): string[] {
  const listed = Object.entries(COMMANDS).map(([name, { help }]) => [`/${name}`, help] as const);
  return [...listed, ...KEYS].map(([name, help]) => `${bold(name.padEnd(14))}${help}`);
}

async function clear({ exchange }: CommandPorts): Promise<string[]> {
  await exchange({ type: "clear" });
  return ["A new conversation."];
}

async function compact({ made }: CommandPorts, words: string): Promise<string[]> {
  const { agent } = made();
  if (agent.messages.length === 0) return ["There is nothing to summarise yet."];
  return (await agent.compact(words === "" ? undefined : words)) ? [] : ["It could not be made shorter."];
}

async function model({ made, exchange }: CommandPorts, name: string): Promise<string[]> {
  if (name !== "") await exchange({ type: "model", name });
  return [`Model: ${made().model.name}`];
}

function costLines(counts: Counts): string[] {
  const { inputTokens, outputTokens, modelMs, toolsMs, turns } = counts;
  return [
    `${plural(turns, "turn")} · ${amount(inputTokens)} tokens in, ${amount(outputTokens)} out · ${cost(counts)}`,
    dim(`${duration(modelMs)} in the model · ${duration(toolsMs)} in tools`),
  ];
}

function contextLines({ contextTokens, contextShare }: Counts): string[] {
  return [
    `Context: ${amount(contextTokens)} tokens, ${Math.round(contextShare * 100)} % of 200k, as of the last turn.`,
  ];
}

function permissionLines({ gate, settings }: Assembled): string[] {
  const rules = settings.sources.flatMap(({ name, trusted, allow, ask, deny }) =>
    Object.entries({ deny, ask, allow }).flatMap(([behavior, list]) =>
      list.map((rule) => `  ${behavior} ${rule}  ${dim(trusted ? name : `${name}, not trusted`)}`),
    ),
  );
  return [`Mode: ${gate.mode}`, ...(rules.length === 0 ? ["No rules in the settings."] : rules)];
}

function hookLines({ settings }: Assembled): string[] {
  const lines = settings.hooks.flatMap(({ name, trusted, hooks }) =>
    Object.entries(hooks).map(
      ([event, list]) => `${event}: ${list.length}  ${dim(trusted ? name : `${name}, not trusted: not run`)}`,
    ),
  );
  return lines.length === 0 ? ["No hooks."] : lines;
}

function mcpLines({ mcp }: Assembled): string[] {
  const lines = mcp
    .servers()
    .map(({ name, state, tools }) => `${name}: ${state.type}, ${plural(tools.length, "tool")}`);
  return lines.length === 0 ? ["No servers."] : lines;
}

function statusLines({ session, model: { name }, gate, settings, toolNames }: Assembled): string[] {
  return [
    `Session: ${session?.id ?? "not kept"}`,
    `Folder: ${settings.cwd} (${settings.isTrusted ? "trusted" : "not trusted"})`,
    `Model: ${name} · Mode: ${gate.mode} · ${plural(toolNames().length, "tool")}`,
  ];
}
