/** The built-in slash commands. */

import { summarise } from "@runahead/harness/timeline";
import { NOTHING_TO_COMPACT } from "../shared/compact-wish.ts";
import { isMcpPrompt } from "../shared/mcp-text.ts";
import { costLines, skillLines, statusLines } from "./command-lines.ts";
import { addDir } from "./commands/add-dir.ts";
import { config, theme, vim } from "./commands/config.ts";
import { contextLines } from "./commands/context.ts";
import { copy } from "./commands/copy.ts";
import { effort, fast, model } from "./commands/models.ts";
import type { Command, CommandEnd, CommandPorts, Ending } from "./commands/ports.ts";
import { init, review } from "./commands/prompts.ts";
import { permissions } from "./commands/rules.ts";
import { search } from "./commands/search.ts";
import { agents, hooks, mcp } from "./commands/views.ts";
import type { Named } from "./input/completion.ts";
import { keyList } from "./input/key-list.ts";
import { doctorLines } from "./doctor.ts";
import { exportTo } from "./transcript/export.ts";
import { memory, remember } from "./memory.ts";
import { pictureLines } from "./screen/picture.ts";
import { rewind } from "./panels/rewind.ts";
import { WHICH_SESSION, sessionChoices } from "./transcript/session-list.ts";
import { bold, dim } from "./screen/style.ts";
import { namedFiles } from "../shared/prompt-names.ts";
import { nearest, oneLine } from "../shared/words.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  help: { help: "show commands and keys", run: helpLines },
  clear: { help: "start a new conversation (the old one stays on disk)", run: clear },
  plan: { help: "turn on plan mode; add text to send it as a prompt", run: plan },
  compact: { help: "summarise the conversation; add text to say what to keep", run: compact },
  rewind: { help: "go back to before a prompt: conversation, files, or both", run: goBack },
  resume: { help: "resume another session in this folder", run: resume },
  export: { help: "write the conversation to a file: .md, .html or .json", run: exported },
  copy: { help: "copy the last answer; /copy code for a code block", run: copy },
  search: { help: "search the conversation", run: search },
  cost: {
    help: "show tokens, cost and time so far",
    run: ({ counts, recorder }) => costLines(counts, summarise(recorder.timeline())),
  },
  context: {
    help: "show what fills the model's context",
    run: ({ made, counts, terminal }) => contextLines(made(), counts, terminal().columns),
  },
  timeline: { help: "show what ran when; add a file name to save it there", run: picture },
  model: { help: "choose the model, with context size and price; or name it", run: model },
  effort: { help: "set how much the model thinks: low, medium, high, xhigh, max or auto", run: effort },
  fast: { help: "switch to the fast model, and back", run: fast },
  permissions: { help: "list, add, remove and test permission rules", run: permissions },
  "add-dir": { help: "add a folder to the workspace for this session", run: addDir },
  hooks: { help: "list the hooks in the settings", run: hooks },
  mcp: { help: "list MCP servers and their tools", run: mcp },
  config: { help: "change settings", run: config },
  theme: { help: "choose the colours: dark, light, colour-blind or ansi", run: theme },
  vim: { help: "switch the vim keys of the input line on or off", run: vim },
  init: { help: "let the model write AGENTS.md for this project", run: init },
  review: { help: "let the model review your changes, a branch or a pull request", run: review },
  tasks: {
    help: "watch, message or stop sub-agents and background commands",
    run: ({ showAgents }) => (showAgents(), []),
  },
  memory: { help: "show the instruction files that are loaded, and edit them", run: memory },
  remember: {
    help: "add a line to an instruction file (or type # and the line)",
    run: ({ world, made, choose }, words) => remember({ world, made: made(), choose }, words),
  },
  skills: { help: "list skills and custom commands", run: ({ made }) => skillLines(made()) },
  agents: { help: "list sub-agents and the files that define them", run: agents },
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

/** Runs a command. `line` starts with the slash. */
export async function runCommand(line: string, ports: CommandPorts): Promise<CommandEnd> {
  const [, name = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) {
    const end = await command.run(ports, words.trim());
    return "type" in end ? end : { type: "lines", lines: end };
  }
  const files = await ports.files();
  const expanded = await expandedCommand(line, ports);
  if (typeof expanded === "string") return { type: "lines", lines: [expanded] };
  if (expanded !== undefined) return { type: "prompt", ...expanded };
  if (isMcpPrompt(line)) return { type: "prompt", text: line };
  const near = nearest(name, [...Object.keys(COMMANDS), ...files.map((one) => one.name)]);
  const hint = near === undefined ? "Type /help for a list." : `Did you mean /${near}?`;
  return { type: "lines", lines: [`Unknown command /${oneLine(name)}. ${hint}`] };
}

/** Returns a text if a hook blocks the command. */
async function expandedCommand(line: string, ports: CommandPorts) {
  try {
    return await ports.made().prompts.expand(line, new AbortController().signal);
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error));
  }
}

/** Where the help on a command or a key begins. */
const HELP_COLUMN = 15;

async function helpLines({ files }: CommandPorts): Promise<string[]> {
  const gap = (name: string): string => " ".repeat(Math.max(2, HELP_COLUMN - name.length));
  const line = (name: string, help: string): string => `${bold(name)}${gap(name)}${help}`;
  const ofFiles = await files();
  return [
    ...OWN_COMMANDS.map(({ name, help }) => line(`/${name}`, help)),
    ...namedFiles(ofFiles, OWN_COMMANDS).map(
      ({ name, help, path }) => `${line(`/${name}`, help)} ${dim(oneLine(path))}`,
    ),
    ...keyList().map(([name, help]) => line(name, help)),
  ];
}

async function clear({ exchange }: CommandPorts): Promise<string[]> {
  await exchange({ type: "clear" });
  return ["Started a new conversation."];
}

/** An event or a notice says what came of it. */
async function compact({ made }: CommandPorts, words: string): Promise<string[]> {
  const { agent } = made();
  if (agent.messages.length === 0) return [NOTHING_TO_COMPACT];
  await agent.compact(words === "" ? undefined : words);
  return [];
}

function plan({ made }: CommandPorts, words: string): Ending {
  const { gate } = made();
  gate.setMode("plan");
  if (words !== "") return { type: "prompt", text: words };
  return ["Plan mode: nothing is changed until you approve a plan. Shift+Tab switches to another mode."];
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
  return [oneLine(await exportTo(name, world, agent.messages))];
}

async function picture({ world, made, terminal }: CommandPorts, file: string): Promise<string[]> {
  const now = made();
  const { columns } = terminal();
  return pictureLines(world, { timeline: await now.timeline(), file, sessionId: now.session?.id, columns });
}
