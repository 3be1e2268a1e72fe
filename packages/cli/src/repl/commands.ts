/** The built-in slash commands. */

import { type CodingAgent, type PromptFile, listModels } from "@runahead/harness";
import { type TimelineRecorder, summarise } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import type { Checkpoints } from "../shared/checkpoints.ts";
import type { Choosing } from "./panels/chooser.ts";
import { isMcpPrompt } from "../shared/mcp-text.ts";
import {
  agentLines,
  contextLines,
  costLines,
  hookLines,
  mcpLines,
  modelLines,
  skillLines,
  permissionLines,
  statusLines,
} from "./command-lines.ts";
import type { Named } from "./input/completion.ts";
import type { Wish } from "./transcript/conversation.ts";
import type { Counts } from "./screen/counts.ts";
import { type Terminal, doctorLines } from "./doctor.ts";
import { exportTo } from "./transcript/export.ts";
import { memoryLines, remember } from "./memory.ts";
import { pictureLines } from "./screen/picture.ts";
import { rewind } from "./panels/rewind.ts";
import { WHICH_SESSION, sessionChoices } from "./transcript/session-list.ts";
import { bold, dim } from "./screen/style.ts";
import { namedFiles } from "../shared/prompt-names.ts";
import { nearest, oneLine } from "../shared/words.ts";

/** What commands can do with the program. */
export interface CommandPorts {
  readonly world: World;
  readonly made: () => CodingAgent;
  readonly counts: Counts;
  readonly recorder: TimelineRecorder;
  readonly terminal: () => Terminal;
  /** Reads the custom commands from their files. */
  readonly files: () => Promise<readonly PromptFile[]>;
  /** Resolves with undefined if nothing was chosen. */
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
  /** Opens the list of sub-agents and background commands. */
  readonly showAgents: () => void;
  readonly exchange: (wish: Wish) => Promise<void>;
  readonly checkpoints: Checkpoints;
  /** Puts text into the input line. */
  readonly put: (text: string) => void;
  readonly leave: () => void;
}

interface Command {
  readonly help: string;
  readonly run: (ports: CommandPorts, words: string) => readonly string[] | Promise<readonly string[]>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: { help: "show commands and keys", run: helpLines },
  clear: { help: "start a new conversation (the old one stays on disk)", run: clear },
  compact: { help: "summarise the conversation; add text to say what to keep", run: compact },
  rewind: { help: "go back to before a prompt: conversation, files, or both", run: goBack },
  resume: { help: "resume another session in this folder", run: resume },
  export: { help: "write the conversation to a markdown file", run: exported },
  cost: {
    help: "show tokens, cost and time so far",
    run: ({ counts, recorder }) => costLines(counts, summarise(recorder.timeline())),
  },
  context: {
    help: "show how much of the model's context is used",
    run: ({ counts }) => contextLines(counts),
  },
  timeline: { help: "show what ran when; add a file name to save it there", run: picture },
  model: { help: "show the model and those you can use, or switch to the one you name", run: model },
  effort: { help: "set how much the model thinks: low, medium, high, xhigh, max or auto", run: effort },
  permissions: { help: "show the permission mode and rules", run: ({ made }) => permissionLines(made()) },
  hooks: { help: "list the hooks in the settings", run: ({ made }) => hookLines(made()) },
  mcp: { help: "list MCP servers and their tools", run: ({ made }) => mcpLines(made()) },
  memory: {
    help: "show the instruction files that are loaded, and why",
    run: ({ world, made }) => memoryLines(world, made()),
  },
  remember: {
    help: "add a line to an instruction file (or type # and the line)",
    run: ({ world, made, choose }, words) => remember({ world, made: made(), choose }, words),
  },
  skills: { help: "list skills and custom commands", run: ({ made }) => skillLines(made()) },
  agents: {
    help: "list sub-agents and the files that define them",
    run: ({ world, made }) => agentLines(world, made()),
  },
  tasks: {
    help: "watch, message or stop sub-agents and background commands",
    run: ({ showAgents }) => (showAgents(), []),
  },
  status: { help: "show session, folder, model and mode", run: ({ made }) => statusLines(made()) },
  doctor: {
    help: "check the installation for problems",
    run: ({ world, made, terminal }) => doctorLines(world, made(), terminal()),
  },
  exit: { help: "exit (also Ctrl+D, or Ctrl+C twice)", run: ({ leave }) => (leave(), []) },
};

/** The built-in commands. They win over a file with the same name. */
export const OWN_COMMANDS: readonly Named[] = Object.entries(COMMANDS).map(([name, { help }]) => ({
  name,
  help,
}));

export type CommandEnd =
  /** Shown to the user. */
  | { readonly type: "lines"; readonly lines: readonly string[] }
  /** Sent to the model. */
  | {
      readonly type: "prompt";
      readonly text: string;
      /** The file that the text comes from; undefined for a prompt of an MCP server. */
      readonly file?: PromptFile;
    };

/** Runs a command. `line` starts with the slash. */
export async function runCommand(line: string, ports: CommandPorts): Promise<CommandEnd> {
  const [, name = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return { type: "lines", lines: await command.run(ports, words.trim()) };
  const files = await ports.files();
  const expanded = await ports.made().prompts.expand(line, new AbortController().signal);
  if (expanded !== undefined) return { type: "prompt", ...expanded };
  if (isMcpPrompt(line)) return { type: "prompt", text: line };
  const near = nearest(name, [...Object.keys(COMMANDS), ...files.map((one) => one.name)]);
  const hint = near === undefined ? "Type /help for a list." : `Did you mean /${near}?`;
  return { type: "lines", lines: [`Unknown command /${oneLine(name)}. ${hint}`] };
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Esc", "interrupt; reject a permission question"],
  ["Shift+Tab", "switch the permission mode: default, acceptEdits, plan, auto"],
  ["Alt+Enter", "new line (or \\ and Enter)"],
  ["↑ ↓", "previous prompts; edit a queued prompt"],
  ["Ctrl+R", "search previous prompts"],
  ["Ctrl+O", "show the full output of calls"],
  ["Ctrl+B", "move the running command or sub-agents to the background"],
  ["Ctrl+G", "edit the prompt in $VISUAL or $EDITOR"],
  ["@file", "attach a file to the prompt; Tab completes its name"],
  ["#text", "add a line to an instruction file"],
  ["!command", "run a shell command yourself; its output goes to the model with your next prompt"],
  ["!!command", "the same, but the model does not see the output"],
  ["Ctrl+Z", "suspend; `fg` in the shell continues"],
  ["Ctrl+C", "interrupt or clear the line; twice to exit (or Ctrl+D)"],
];

async function helpLines({ files }: CommandPorts): Promise<string[]> {
  const line = (name: string, help: string): string => `${bold(name.padEnd(14))} ${help}`;
  const ofFiles = await files();
  return [
    ...OWN_COMMANDS.map(({ name, help }) => line(`/${name}`, help)),
    ...namedFiles(ofFiles, OWN_COMMANDS).map(
      ({ name, help, path }) => `${line(`/${name}`, help)} ${dim(oneLine(path))}`,
    ),
    ...KEYS.map(([name, help]) => line(name, help)),
  ];
}

async function clear({ exchange }: CommandPorts): Promise<string[]> {
  await exchange({ type: "clear" });
  return ["Started a new conversation."];
}

async function compact({ made }: CommandPorts, words: string): Promise<string[]> {
  const { agent } = made();
  if (agent.messages.length === 0) return ["Nothing to summarise yet."];
  return (await agent.compact(words === "" ? undefined : words))
    ? []
    : ["The conversation cannot be made shorter."];
}

async function model({ world, made, exchange }: CommandPorts, name: string): Promise<string[]> {
  if (name !== "") await exchange({ type: "model", name });
  const current = `Model: ${oneLine(made().model.name)}`;
  return name === "" ? [current, ...modelLines(await listModels(world.env))] : [current];
}

async function effort({ exchange }: CommandPorts, level: string): Promise<string[]> {
  if (level === "") return ["Usage: /effort low, medium, high, xhigh, max or auto"];
  await exchange({ type: "effort", level });
  return [`Effort: ${oneLine(level)}`];
}

function goBack({ made, checkpoints, choose, put }: CommandPorts): Promise<string[]> {
  return rewind({ agent: made().agent, checkpoints, choose, put });
}

async function resume({ world, made, choose, exchange }: CommandPorts, words: string): Promise<string[]> {
  if (words !== "") return await exchange({ type: "resume", id: words }), [];
  const choices = await sessionChoices(world, made().session?.id);
  if (choices.length === 0) return ["No other sessions in this folder."];
  const id = await choose({ title: WHICH_SESSION, choices });
  if (id === undefined) return ["No session chosen."];
  await exchange({ type: "resume", id });
  return [];
}

async function exported({ world, made }: CommandPorts, file: string): Promise<string[]> {
  const { agent, session } = made();
  if (agent.messages.length === 0) return ["Nothing to export yet."];
  const name = file === "" ? `runahead-${(session?.id ?? "conversation").slice(0, 8)}.md` : file;
  return [oneLine(await exportTo(name, world.cwd, agent.messages))];
}

async function picture({ world, made, terminal }: CommandPorts, file: string): Promise<string[]> {
  const now = made();
  const { columns } = terminal();
  return pictureLines(world, { timeline: await now.timeline(), file, sessionId: now.session?.id, columns });
}
