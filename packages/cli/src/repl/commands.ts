/** What can be asked of the program itself, by `/` and a word. */

import type { CodingAgent } from "@runahead/harness";
import { type TimelineRecorder, summarise } from "@runahead/harness/timeline";
import type { World } from "../shared/world.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { Choosing } from "./panels/chooser.ts";
import { type CommandFile, filledIn } from "../shared/command-files.ts";
import {
  agentLines,
  contextLines,
  costLines,
  hookLines,
  mcpLines,
  permissionLines,
  statusLines,
} from "./command-lines.ts";
import type { Named } from "./input/completion.ts";
import type { Wish } from "./transcript/conversation.ts";
import type { Counts } from "./screen/counts.ts";
import { type Terminal, doctorLines } from "./doctor.ts";
import { exportTo } from "./transcript/export.ts";
import { pictureLines } from "./screen/picture.ts";
import { rewind } from "./panels/rewind.ts";
import { sessionChoices } from "./transcript/session-list.ts";
import { bold, dim } from "./screen/style.ts";
import { nearest, oneLine } from "../shared/words.ts";

/** What commands may do with the program. */
export interface CommandPorts {
  readonly world: World;
  readonly made: () => CodingAgent;
  readonly counts: Counts;
  readonly recorder: TimelineRecorder;
  readonly terminal: () => Terminal;
  /** Those of files, read anew. */
  readonly files: () => Promise<readonly CommandFile[]>;
  /** Undefined where nothing was chosen. */
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
  readonly exchange: (wish: Wish) => Promise<void>;
  readonly checkpoints: Checkpoints;
  /** Puts a text where one types. */
  readonly put: (text: string) => void;
  readonly leave: () => void;
}

interface Command {
  readonly help: string;
  readonly run: (ports: CommandPorts, words: string) => readonly string[] | Promise<readonly string[]>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: { help: "what there is", run: helpLines },
  clear: { help: "begin a new conversation; the old one is kept on disk", run: clear },
  compact: { help: "summarise the conversation; with words on what matters", run: compact },
  rewind: { help: "back to before a prompt: conversation, files, or both", run: goBack },
  resume: { help: "go on with another session of this folder", run: resume },
  export: { help: "write the conversation to a file, as markdown", run: exported },
  cost: {
    help: "tokens, money and time so far",
    run: ({ counts, recorder }) => costLines(counts, summarise(recorder.timeline())),
  },
  context: { help: "how much of the model's context is used", run: ({ counts }) => contextLines(counts) },
  timeline: { help: "a picture of what ran when; with a name: into that file", run: picture },
  model: { help: "which model it is; with a name: go on with that one", run: model },
  permissions: { help: "the mode and the rules in force", run: ({ made }) => permissionLines(made()) },
  hooks: { help: "the hooks of the settings", run: ({ made }) => hookLines(made()) },
  mcp: { help: "servers and their tools", run: ({ made }) => mcpLines(made()) },
  agents: {
    help: "kinds of sub-agents, and where they come from",
    run: ({ world, made }) => agentLines(world, made()),
  },
  status: { help: "what this session is", run: ({ made }) => statusLines(made()) },
  doctor: {
    help: "looks for what could be wrong",
    run: ({ world, made, terminal }) => doctorLines(world, made(), terminal()),
  },
  exit: { help: "leave (Ctrl+D, or Ctrl+C twice)", run: ({ leave }) => (leave(), []) },
};

/** Of ours. One of a file that has the same name is not used. */
export const OWN_COMMANDS: readonly Named[] = Object.entries(COMMANDS).map(([name, { help }]) => ({
  name,
  help,
}));

export type CommandEnd =
  /** For the person. */
  | { readonly type: "lines"; readonly lines: readonly string[] }
  /** To be sent to the model. */
  | { readonly type: "prompt"; readonly text: string };

/** `line` begins with the slash. */
export async function runCommand(line: string, ports: CommandPorts): Promise<CommandEnd> {
  const [, name = "", words = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return { type: "lines", lines: await command.run(ports, words.trim()) };
  const files = await ports.files();
  const file = files.find((one) => one.name === name);
  if (file !== undefined) return { type: "prompt", text: filledIn(file.text, words.trim()) };
  const near = nearest(name, [...Object.keys(COMMANDS), ...files.map((one) => one.name)]);
  const hint = near === undefined ? "/help lists them." : `Did you mean /${near}?`;
  return { type: "lines", lines: [`There is no command /${oneLine(name)}. ${hint}`] };
}

const KEYS: readonly (readonly [string, string])[] = [
  ["Esc", "interrupts; to a question it says no"],
  ["Shift+Tab", "changes the mode: default, acceptEdits, plan, auto"],
  ["Alt+Enter", "a new line, as does \\ before Enter"],
  ["↑ ↓", "what was typed before; takes back what waits"],
  ["Ctrl+R", "searches what was typed before"],
  ["Ctrl+O", "opens the output of calls that is folded"],
  ["Ctrl+G", "goes on typing in $VISUAL or $EDITOR"],
  ["@file", "sends a file with the prompt; Tab completes its name"],
  ["!command", "runs a command of your own; the model does not hear of it"],
  ["Ctrl+C", "interrupts or clears the line; twice it leaves, as does Ctrl+D"],
];

async function helpLines({ files }: CommandPorts): Promise<string[]> {
  const line = (name: string, help: string): string => `${bold(name.padEnd(14))} ${help}`;
  const ofFiles = await files();
  return [
    ...OWN_COMMANDS.map(({ name, help }) => line(`/${name}`, help)),
    ...ofFiles.map(({ name, help, path }) => `${line(`/${name}`, help)} ${dim(oneLine(path))}`),
    ...KEYS.map(([name, help]) => line(name, help)),
  ];
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
  return [`Model: ${oneLine(made().model.name)}`];
}

function goBack({ made, checkpoints, choose, put }: CommandPorts): Promise<string[]> {
  return rewind({ agent: made().agent, checkpoints, choose, put });
}

async function resume({ world, made, choose, exchange }: CommandPorts, words: string): Promise<string[]> {
  if (words !== "") return await exchange({ type: "resume", id: words }), [];
  const choices = await sessionChoices(world, made().session?.id);
  if (choices.length === 0) return ["There is no other session in this folder."];
  const id = await choose({ title: "Go on with", choices });
  if (id === undefined) return ["Nothing was chosen."];
  await exchange({ type: "resume", id });
  return [];
}

async function exported({ world, made }: CommandPorts, file: string): Promise<string[]> {
  const { agent, session } = made();
  if (agent.messages.length === 0) return ["There is nothing to write yet."];
  const name = file === "" ? `runahead-${(session?.id ?? "conversation").slice(0, 8)}.md` : file;
  return [oneLine(await exportTo(name, world.cwd, agent.messages))];
}

async function picture({ world, made, terminal }: CommandPorts, file: string): Promise<string[]> {
  const now = made();
  const { columns } = terminal();
  return pictureLines(world, { timeline: await now.timeline(), file, sessionId: now.session?.id, columns });
}
