/** `/permissions`: the rules, to add, remove and test. */

import {
  type LoadedSettings,
  type PermissionVerdict,
  createPermissions,
  loadSettings,
  removeRule,
  saveRule,
} from "@runahead/harness";
import { wordsOf } from "../../shared/failure.ts";
import { modeWords } from "../../shared/offered-modes.ts";
import { reveal } from "../../shared/safe-text.ts";
import type { Choice, Choosing } from "../panels/chooser.ts";
import type { CommandPorts } from "./ports.ts";

type Behavior = "allow" | "ask" | "deny";

type Settings = Pick<LoadedSettings, "sources" | "files">;

interface Listed {
  readonly behavior: Behavior;
  readonly rule: string;
  /** The name of its source. */
  readonly source: string;
  readonly trusted: boolean;
}

/** The source of rules that were added since the start. */
const SESSION = "this session";
const ADD = "add";
const TEST = "test";
const BEHAVIORS: readonly Choice[] = [
  { value: "allow", label: "Allow", description: "runs without a question" },
  { value: "ask", label: "Ask", description: "always needs your approval" },
  { value: "deny", label: "Deny", description: "never runs" },
];

/** Lists the rules until the user closes the list. `words` is a call to test, or empty. */
export async function permissions(ports: CommandPorts, words: string): Promise<string[]> {
  if (words !== "") return testLines(ports, words.replace(/^test\s+/, ""));
  const done: string[] = [];
  for (;;) {
    const settings = await currentSettings(ports);
    const rules = [...sessionRules(ports, settings), ...rulesOf(settings)];
    const chosen = await ports.choose(listOf(ports, rules));
    if (chosen === undefined) return done;
    if (chosen === ADD) done.push(...(await add(ports)));
    else if (chosen === TEST) done.push(...(await test(ports)));
    else {
      const rule = rules[Number(chosen)];
      if (rule !== undefined) done.push(...(await remove(ports, rule, settings)));
    }
  }
}

/** The settings as they are on disk now, with those of the command line. */
async function currentSettings({ world, made }: CommandPorts): Promise<Settings> {
  const { settings } = made();
  const { cwd, home, env } = world;
  const loaded = await loadSettings({ cwd, home, env, isTrusted: settings.isTrusted });
  const flags = settings.sources.filter(({ level }) => level === "flags");
  return { sources: [...flags, ...loaded.sources], files: loaded.files };
}

function listOf({ made }: CommandPorts, rules: readonly Listed[]): Choosing {
  const { name, meaning } = modeWords(made().gate.mode);
  return {
    title: `Permission rules ─ ${name}: ${meaning}`,
    lines: rules.length === 0 ? ["No rules in the settings or in this session."] : [],
    always: [
      { value: ADD, label: "Add a rule …" },
      { value: TEST, label: "Test a command …", description: "what would happen to it" },
    ],
    choices: rules.map(({ behavior, rule, source, trusted }, at) => ({
      value: String(at),
      label: `${behavior} ${reveal(rule)}`,
      description: reveal(trusted ? source : `${source}, ignored: not trusted`),
    })),
  };
}

/** The rules of all files, deny first. */
function rulesOf({ sources }: Settings): Listed[] {
  return sources.flatMap(listed);
}

type Source = Pick<Settings["sources"][number], "name" | "trusted" | Behavior>;

function listed({ name, trusted, allow, ask, deny }: Source): Listed[] {
  return Object.entries({ deny, ask, allow }).flatMap(([behavior, rules]) =>
    [...new Set(rules)].map((rule) => ({ behavior: behavior as Behavior, rule, source: name, trusted })),
  );
}

/** What was added for this session only: a rule that was also saved is listed with its file. */
function sessionRules({ made }: CommandPorts, settings: Settings): Listed[] {
  const saved = new Set(rulesOf(settings).map(({ behavior, rule }) => `${behavior} ${rule}`));
  const { deny, ask, allow } = made().gate.sessionRules;
  return listed({ name: SESSION, trusted: true, deny, ask, allow }).filter(
    ({ behavior, rule }) => !saved.has(`${behavior} ${rule}`),
  );
}

async function add(ports: CommandPorts): Promise<string[]> {
  const behavior = (await ports.choose({ title: "What should the rule do?", choices: BEHAVIORS })) as
    | Behavior
    | undefined;
  if (behavior === undefined) return [];
  const lines = ["For example: Bash(npm test:*), Edit(src/**), WebFetch(domain:example.org), mcp__github"];
  const rule = await ports.ask({ title: `The rule to ${behavior}`, lines });
  if (rule === undefined) return [];
  const [warning] = createPermissions({ settings: { mode: "default", [behavior]: [rule] } }).warnings;
  if (warning !== undefined) return [`Not added: ${reveal(warning)}`];
  const where = await ports.choose({
    title: `${behavior} ${reveal(rule)}: for how long?`,
    choices: [
      { value: "session", label: "For this session" },
      { value: "local", label: "Always in this project", description: ".runahead/settings.local.json" },
    ],
  });
  if (where === undefined) return [];
  const { world, made } = ports;
  made().gate.addRules({ [behavior]: [rule] });
  if (where === "session") return [`Added for this session: ${behavior} ${reveal(rule)}`];
  try {
    const { path } = await saveRule({ level: "local", behavior, rule, cwd: world.cwd, own: world });
    return [`Added to ${reveal(path)}: ${behavior} ${reveal(rule)}`];
  } catch (error) {
    return [`Added for this session only: ${reveal(wordsOf(error))}`];
  }
}

async function remove(
  { world, choose, made }: CommandPorts,
  { behavior, rule, source }: Listed,
  { files }: Settings,
): Promise<string[]> {
  const title = `${behavior} ${reveal(rule)} ─ ${reveal(source)}`;
  const choices = [
    { value: "keep", label: "Keep this rule" },
    {
      value: "remove",
      label: source === SESSION ? "Remove it from this session" : "Remove it from the file",
    },
  ];
  if ((await choose({ title, choices })) !== "remove") return [];
  if (source === SESSION) {
    made().gate.removeRules({ [behavior]: [rule] });
    return [`Removed from this session: ${behavior} ${reveal(rule)}`];
  }
  const file = files.find(({ name, path }) => name === source || path === source);
  if (file === undefined) return [`Not removed: ${reveal(source)} is not a file.`];
  try {
    const isRemoved = await removeRule({ path: file.path, behavior, rule }, world);
    // A rule that was saved in this session was also added to it.
    if (isRemoved) made().gate.removeRules({ [behavior]: [rule] });
    return isRemoved
      ? [`Removed from ${reveal(file.path)}: ${behavior} ${reveal(rule)}. Running sessions notice it.`]
      : [`Not removed: ${reveal(file.path)} no longer has this rule.`];
  } catch (error) {
    return [`Not removed: ${reveal(wordsOf(error))}`];
  }
}

async function test(ports: CommandPorts): Promise<string[]> {
  const lines = ["A shell command, or a tool and its file: Edit src/a.ts"];
  const call = await ports.ask({ title: "What do you want to test?", lines });
  if (call === undefined) return [];
  const found = testLines(ports, call);
  await ports.show({ title: "Result", lines: found });
  return found;
}

const FILE_CALL = /^(Read|Edit|Write|Glob|Grep|NotebookEdit)[ (]([^)]+)\)?$/;

/** The verdict on a call, as it would be now. */
function testLines({ world, made }: CommandPorts, call: string): string[] {
  const [, tool, path] = FILE_CALL.exec(call) ?? [];
  const [name, input] =
    tool === undefined || path === undefined ? ["Bash", { command: call }] : [tool, { file_path: path }];
  const rules = made().gate.permissions;
  const verdict: PermissionVerdict = rules.decide(name, input, world.cwd);
  const choices = verdict.behavior === "ask" ? rules.choices(name, input, world.cwd) : [];
  return [
    `${verdict.behavior}: ${reveal(call)}`,
    reveal(verdict.reason),
    ...choices.map(({ label, rules: more }) => `${reveal(label)}: ${more.map(reveal).join(", ")}`),
  ];
}
