/**
 * Parts of the screen as text, in narrow, usual and wide terminals, drawn without a terminal. The texts are in
 * `test/repl/screens/parts-*.txt`; `npx vitest run packages/cli/src/repl/screens.test.ts --update` records them again.
 * `test/repl/widths.test.ts` compares whole screens of the running program.
 */

import { fileURLToPath } from "node:url";
import { visibleWidth } from "@earendil-works/pi-tui";
import {
  type AgentEvent,
  type AgentInfo,
  type AgentTask,
  type CodingAgent,
  createPermissionGate,
  loadSettings,
} from "@runahead/harness";
import type { Summary } from "@runahead/harness/timeline";
import { expect, test } from "vitest";
import { questionOf } from "../../test/support/question.ts";
import { strip } from "../shared/safe-text.ts";
import { config, theme } from "./commands/config.ts";
import { contextLines } from "./commands/context.ts";
import { modelChoices } from "./commands/models.ts";
import type { CommandPorts } from "./commands/ports.ts";
import { permissions } from "./commands/rules.ts";
import { agents, hooks, mcp } from "./commands/views.ts";
import { framed } from "./input/frame.ts";
import { HistorySearch } from "./input/history-search.ts";
import { keyList } from "./input/key-list.ts";
import { memory } from "./memory.ts";
import { agentRows } from "./panels/agent-rows.ts";
import { AgentsPanel } from "./panels/agents-panel.ts";
import { askUser } from "./panels/ask-user.ts";
import { Chooser, type Choosing } from "./panels/chooser.ts";
import { Dialog } from "./panels/dialog.ts";
import { Panels } from "./panels/panels.ts";
import { PlanDialog } from "./panels/plan-dialog.ts";
import { type RewindPorts, rewind } from "./panels/rewind.ts";
import { TextField } from "./panels/text-field.ts";
import { TextView } from "./panels/text-view.ts";
import type { Counts } from "./screen/counts.ts";
import { setLinks } from "./screen/links.ts";
import type { Panel } from "./screen/panel.ts";
import { setTheme } from "./screen/style.ts";
import { NoteEntry } from "./transcript/entry.ts";
import { Hearing } from "./transcript/hearing.ts";
import { queuedLines } from "./transcript/queued.ts";
import { WHICH_SESSION, copyQuestion } from "./transcript/session-list.ts";
import { exitCard, footer } from "./transcript/summary.ts";
import { taskLines } from "./transcript/tasks.ts";
import { Transcript } from "./transcript/transcript.ts";

const ROWS = 24;
const FOLDER = "/nowhere/shop";
const DOWN = "\u001b[B";
const ID = "0a1b2c3d-0000-4000-8000-000000000000";

/** Its name, and its lines for a width. */
type Part = readonly [name: string, lines: (width: number) => readonly string[]];

const panel = (name: string, made: Panel, ...keys: readonly string[]): Part => {
  for (const key of keys) made.handleInput(key);
  return [name, (width) => made.render(width, ROWS)];
};
const list = (name: string, choosing: Choosing, ...keys: readonly string[]): Part =>
  panel(name, new Chooser(choosing, () => {}), ...keys);

const PLAN =
  "# Rename the greeting\n\n1. Change `src/greeting.ts`, its tests and its documentation.\n2. Run the **tests**.";
const QUESTIONS = [
  {
    question: "Which database should the service use for its sessions?",
    header: "Database",
    options: [
      { label: "Postgres", description: "Durable and transactional; needs a server that somebody operates" },
      { label: "SQLite", description: "One file" },
    ],
  },
  {
    question: "Which parts do you want?",
    header: "Parts",
    multiSelect: true,
    options: [{ label: "Auth" }, { label: "Billing" }],
  },
  { question: "What is the name of the product?", options: [] },
];

async function asked(...keys: readonly string[]): Promise<Panel> {
  const panels = new Panels(() => {});
  void askUser(panels, QUESTIONS, new AbortController().signal);
  for (const key of keys) {
    panels.front?.handleInput(key);
    await Promise.resolve();
  }
  if (panels.front === undefined) throw new Error("No question is open.");
  return panels.front;
}

async function questions(): Promise<Part[]> {
  const command = {
    toolName: "Bash",
    description: "Publish the package",
    input: { command: "npm publish --tag next", description: "Publish the package" },
    reason: "npm publish is not allowed by any rule.",
  };
  const rule = {
    label: "Allow exactly this command",
    rules: ["Bash(npm publish --tag next)"],
    scopes: ["session", "always"] as const,
  };
  const of = (more: object): Dialog =>
    new Dialog(questionOf({ ...command, choices: [rule], ...more }), {
      place: 2,
      answer: () => {},
      folder: FOLDER,
    });
  const plan = (): PlanDialog =>
    new PlanDialog(
      { input: { plan: PLAN } },
      { edit: () => Promise.resolve({ type: "failed", why: "" }), onChange: () => {}, done: () => {} },
    );
  return [
    panel("a question of several, with an option marked", of({ waiting: 2 }), DOWN),
    panel("a question of a sub-agent, rejected with words", of({ from: "explore (agent-1)" }), "e"),
    panel("AskUser: options with descriptions", await asked()),
    panel("AskUser: several options", await asked("\r", " ")),
    panel("AskUser: words", await asked("\r", "\r")),
    panel("the plan dialog", plan()),
    panel("the plan dialog: what should change", plan(), "\t"),
  ];
}

async function pickers(): Promise<Part[]> {
  const world = { cwd: FOLDER, home: "/nowhere/me", env: {}, print: () => {}, complain: () => {} };
  const loaded = await loadSettings({ ...world, isTrusted: true });
  const gate = createPermissionGate({ settings: { mode: "default", sources: loaded.sources }, cwd: FOLDER });
  gate.addRules({ allow: ["Bash(npm test:*)"], deny: ["WebFetch"] });
  const hook = { matcher: "Edit|Write", hooks: [{ type: "command", command: "npm run format" }] };
  const settings = {
    ...loaded,
    hooks: [{ name: ".claude/settings.json", trusted: false, hooks: { PostToolUse: [hook] } }],
  };
  const servers = [
    { name: "github", state: { type: "connected" }, tools: ["mcp__github__search", "mcp__github__issue"] },
    { name: "sentry", state: { type: "failed", why: "the server closed the connection" }, tools: [] },
  ];
  const made = {
    settings,
    gate,
    mcp: { servers: () => servers },
    prompt: () => ({ tools: [] }),
    agent: { agents: [] },
    instructions: {
      files: [{ path: `${FOLDER}/AGENTS.md`, scope: "project", text: "x".repeat(1_234) }],
      conditional: [],
      problems: [],
    },
  } as unknown as CodingAgent;
  const opened: Choosing[] = [];
  const choose = (choosing: Choosing): Promise<undefined> => {
    opened.push(choosing);
    return Promise.resolve(undefined);
  };
  const ports = { world, made: () => made, choose } as unknown as CommandPorts;
  setTheme("ansi");
  await permissions(ports, "");
  await hooks(ports);
  await mcp(ports);
  await agents(ports);
  await config(ports, "");
  await theme(ports, "");
  await memory(ports);
  await rewind({ agent: AGENT, checkpoints: {}, choose } as unknown as RewindPorts);
  const names = ["/permissions", "/hooks", "/mcp", "/agents", "/config", "/theme", "/memory", "/rewind"];
  expect(opened).toHaveLength(names.length);
  const lists = [{ provider: "anthropic", models: [], problem: "status 404" }];
  return [
    ...opened.map((choosing, at) => list(names[at] ?? "", choosing)),
    list("/model", { title: "Model: claude-sonnet-5", choices: modelChoices(lists, "claude-sonnet-5") }),
    list(
      "/model, filtered",
      { title: "Model: claude-sonnet-5", choices: modelChoices(lists, "claude-sonnet-5") },
      ..."haiku",
    ),
    list("/resume", { title: WHICH_SESSION, choices: SESSIONS }),
    list("a session that is open elsewhere", copyQuestion({ id: ID, pid: 4242 } as never)),
  ];
}

const AGENT = {
  isBusy: false,
  waiting: [],
  messages: [],
  prompts: [
    { messages: 0, text: "where is the greeting?", snapshot: undefined },
    { messages: 2, text: "rename it everywhere, also in the tests and in the documentation", snapshot: "s" },
  ],
};
const SESSIONS = [
  { value: "1", label: "2026-01-02 10:00  rename the greeting", description: "12 turns" },
  { value: "2", label: "2026-01-01 09:30  why is it slow?", description: "1 turn, in use: opens a copy" },
];

const info = (id: string, more: Partial<AgentInfo> = {}): AgentInfo => ({
  id,
  type: "explore",
  description: "Look for every place that prints the greeting",
  parent: undefined,
  callId: "c",
  isBackground: false,
  state: "finished",
  startedAt: 0,
  endedAt: 12_000,
  action: "",
  usage: { inputTokens: 12_000, outputTokens: 300, cacheReadTokens: 0, cacheWriteTokens: 0 },
  costUsd: 0,
  calls: 2,
  changedFiles: [],
  ...more,
});

function agentsPanel(all: readonly AgentInfo[]): AgentsPanel {
  const refused = (): Promise<void> => Promise.resolve();
  return new AgentsPanel({
    rows: () => agentRows({ agents: all, background: [] }),
    linesOf: () => ["Looking for the greeting.", "✓ Grep greeting · done 0.1 s"],
    stop: refused,
    send: refused,
    toBackground: () => false,
    close: () => {},
    onChange: () => {},
  });
}

function transcriptOf(calls: readonly Called[]): (width: number) => string[] {
  return (width) => {
    const transcript = new Transcript();
    const hearing = new Hearing(transcript, FOLDER);
    const hear = (event: AgentEvent): void => hearing.hear(event);
    calls.forEach(({ toolName, input, description, content = "x", output }, at) => {
      const callId = String(at);
      hear({ type: "call-arrived", callId, toolName, input, description });
      hear({ type: "call-started", callId, toolName });
      if (output === "running") return;
      const outcome = { type: "succeeded", content } as const;
      hear({ type: "call-settled", callId, toolName, outcome, output });
    });
    const { above, live } = transcript.frame(width, ROWS);
    return [...above, ...live];
  };
}

interface Called {
  readonly toolName: string;
  readonly input: object;
  readonly description: string;
  readonly content?: string;
  readonly output?: unknown;
}

const read = (name: string): Called => ({
  toolName: "Read",
  input: { file_path: `${FOLDER}/${name}` },
  description: `Read ${FOLDER}/${name}`,
});
const ask: Called = {
  toolName: "AskUser",
  input: { questions: QUESTIONS },
  description: `Ask: ${QUESTIONS.map(({ question }) => question).join(" / ")}`,
};

const TASKS = [
  { id: "1", subject: "Rename the greeting", status: "completed" },
  { id: "2", subject: "Run all tests of the project and look at those that fail", status: "in_progress" },
  { id: "3", subject: "Write the docs", status: "pending" },
] as unknown as readonly AgentTask[];
const COUNTS = {
  inputTokens: 19_500,
  outputTokens: 500,
  costUsd: 0.0312,
  contextTokens: 20_000,
  windowTokens: 100_000,
  contextShare: 0.2,
} as Counts;
const SUMMARY = { turns: 3, modelMs: 12_300, toolsMs: 4_000, savedMs: 2_000 } as Summary;
const CONTEXT = {
  prompt: () => ({
    system: "s".repeat(4_000),
    opening: "o".repeat(400),
    tools: [{ name: "Read", text: "r".repeat(2_000) }],
  }),
  agent: { messages: [{ role: "user", content: "where is the greeting?" }] },
} as unknown as CodingAgent;

function transcriptParts(): Part[] {
  const answers = [
    { type: "chosen", labels: ["Postgres"] },
    { type: "skipped" },
    { type: "said", text: "Acme" },
  ];
  const frame = (mode: string) => (width: number) =>
    framed(["─".repeat(width), "  text", "─".repeat(width)], { width, mode, state: "", hasHint: true });
  return [
    [
      "folded reads and searches",
      transcriptOf([
        read("src/greeting.ts"),
        read("README.md"),
        { toolName: "Grep", input: { pattern: "greeting" }, description: "Grep greeting" },
      ]),
    ],
    ["AskUser waits", transcriptOf([{ ...ask, output: "running" }])],
    [
      "AskUser is answered",
      transcriptOf([{ ...ask, output: { questions: QUESTIONS, answers: { type: "answered", answers } } }]),
    ],
    [
      "a plan is approved",
      transcriptOf([
        {
          toolName: "ExitPlanMode",
          input: { plan: PLAN },
          description: "Present the plan: Rename the greeting",
          output: { plan: PLAN, mode: "default", path: `${FOLDER}/plans/rename.md` },
        },
      ]),
    ],
    [
      "the answer of a sub-agent",
      transcriptOf([
        {
          toolName: "Agent",
          input: { description: "look around" },
          description: "explore: look around",
          content: "It is in two files.\n\n[agent-1: to continue it with its context, use SendMessage.]",
        },
      ]),
    ],
    ["the list of tasks", (width) => taskLines(TASKS, width)],
    [
      "queued messages",
      (width) =>
        queuedLines(
          { waiting: ["and then run all the tests of the project", "ok"], unsent: ["stop"] },
          width,
        ),
    ],
    ["the input line in default mode", frame("default")],
    ["the input line in plan mode", frame("plan")],
    [
      "the status line",
      (width) => [footer({ mode: "acceptEdits", model: "claude-sonnet-5", counts: COUNTS }, width)],
    ],
    ["/context", (width) => new NoteEntry(contextLines(CONTEXT, COUNTS, width)).render(width)],
    [
      "the exit card, whose last line the terminal wraps",
      (width) => exitCard(SUMMARY, COUNTS, { resumeId: ID, width }),
    ],
  ];
}

function others(): Part[] {
  const keys = keyList().slice(0, 6);
  const running = info("agent-2", { parent: "agent-1", state: "waiting", action: "Grep greeting" });
  return [
    panel("/tasks: a tree of sub-agents", agentsPanel([info("agent-1"), running])),
    panel("/tasks: an open sub-agent", agentsPanel([info("agent-1")]), "\r"),
    panel("/tasks: nothing", agentsPanel([])),
    panel("Ctrl+R", new HistorySearch(["run the tests", "rename the greeting"], () => {}), ..."re"),
    panel(
      "a text field",
      new TextField({ title: "Rule to allow", lines: ["For example Bash(npm test:*)"] }, () => {}),
    ),
    panel(
      "a list of keys",
      new TextView(
        { title: "Keys", lines: keys.map(([key, help]) => `${key.padEnd(9)}  ${help}`) },
        () => {},
      ),
    ),
  ];
}

/** Every line fits, except the command that resumes the session, which can be copied whole. */
function textOf([name, lines]: Part, width: number): string {
  const shown = lines(width).map((line) =>
    strip(line)
      .replaceAll(/\d+\.\d s/g, "0.0 s")
      .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "⠋")
      .trimEnd(),
  );
  const isTooWide = (line: string): boolean => visibleWidth(line) > width && !line.startsWith("Resume with");
  expect([name, shown.filter(isTooWide)]).toEqual([name, []]);
  return `=== ${name}\n${shown.join("\n")}\n`;
}

test.each([40, 80, 200])("with %i columns every part of the screen is as recorded", async (width) => {
  setLinks(false);
  const parts = [...(await questions()), ...(await pickers()), ...transcriptParts(), ...others()];
  const text = parts.map((part) => textOf(part, width)).join("\n");
  const path = fileURLToPath(new URL(`../../test/repl/screens/parts-${width}.txt`, import.meta.url));
  await expect(text).toMatchFileSnapshot(path);
});
