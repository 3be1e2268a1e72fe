/** Loads one file with the product's own loaders, and says what of it does not take effect. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createHooks } from "@runahead/agent";
import { createPermissions } from "@runahead/permissions";
import { CALLED_NAMES } from "@runahead/permissions/internal";
import { agentIn } from "../../src/definitions/agent-file.ts";
import { marketplaceIn } from "../../src/definitions/marketplace.ts";
import { manifestIn } from "../../src/definitions/plugin-manifest.ts";
import { commandName, promptIn } from "../../src/definitions/prompt-file.ts";
import { promptFiles } from "../../src/definitions/prompt-files.ts";
import { instructions, NestedInstructions } from "../../src/instructions/instructions.ts";
import { styleIn, stylesIn } from "../../src/prompt/output-style.ts";
import { definedAgents } from "../../src/settings/agents.ts";
import { loadSettings } from "../../src/settings/load.ts";
import type { LoadedSettings } from "../../src/settings/loaded.ts";
import { ruleNotes } from "../../src/settings/rule-notes.ts";
import { mcpServersIn } from "../../src/settings/mcp.ts";
import type { Problem } from "../../src/settings/setting.ts";
import { NestedFolders } from "../../src/skills/nested-folders.ts";
import { acceptedByTrust } from "../../src/trust/accepted.ts";
import { trustIn } from "../../src/trust/trust.ts";
import type { FoundFile } from "./find.ts";

/** What was found out about one file or one entry of it. */
export interface Judged {
  /** What is counted: a kind of file, or the entries of a file. */
  readonly kind: string;
  readonly where: string;
  /** Why something does not take effect; empty if the file is understood without loss. */
  readonly losses: readonly string[];
  /** What has no effect, here or in the program that the file is for. */
  readonly notes: readonly string[];
  /** Whether it is only a remark about an entry that is counted already. */
  readonly isRemark?: boolean;
}

/** What the documentation of the format ignores too. */
const IGNORED_THERE = [
  /use (?:Edit|Read)\(path\) for paths/,
  /can use a wildcard in the tool name only after/,
  /no tool has this name/,
  /this tool needs no approval/,
  /write WebFetch\(domain:host\)/,
  /(?:alwaysAllow|autoApprove|envFile) has no effect/,
  // What only an editor can fill in.
  /\$\{[a-z]\w*:[^}]*\} is not filled in/i,
  // A list of something else that has the name of a marketplace.
  /plugins: expected an array/,
  /permissions\.defaultMode: (?:expected|ignored: a repository cannot set auto|ignored: root cannot use it)/,
  // A member that is not documented, and that is not nearly one that is.
  /: \S+ has no effect\.$/,
  // Not a documented field of skills and commands.
  /`tools` has no effect here: allowed-tools allows calls/,
];

/** A hook for a tool that only the program has that the file is for. */
const MISSING_TOOL =
  /the matcher "(?:EnterPlanMode|EnterWorktree|ExitWorktree|PowerShell|Team\w+|Cron\w+|Monitor)" has no effect: no/;

export async function judge(found: FoundFile, text: string): Promise<Judged[]> {
  const where = `${basename(found.repository)}/${found.path}`;
  const plain = (problems: readonly Problem[]): Judged => ({
    kind: found.kind,
    where,
    ...sorted(problems, found.path),
  });
  switch (found.kind) {
    case "agents":
      return [plain(await agentProblems(found, text))];
    case "commands":
    case "skills":
      return [plain(await promptProblems(found, text))];
    case "output-styles":
      return [plain(await styleProblems(found, text))];
    case "mcp":
      return [plain(serverProblems(text, found.path))];
    case "plugins":
      return pluginParts(found, text, where);
    case "settings":
      return settingsParts(found, text, where);
    case "memory":
    case "rules":
      return [plain(await instructionProblems(found, text))];
  }
}

/** A path in a folder that is read. Others belong to a plugin, a template or another program. */
const IN_PROJECT = /^(?:(.*)\/)?\.(?:claude|runahead|agents)\/(?:agents|commands|skills|output-styles)\//;

async function agentProblems({ path }: FoundFile, text: string): Promise<readonly Problem[]> {
  const { agent, problems } = agentIn(text, path);
  if (agent === undefined) return problems;
  return [...problems, ...hookProblems(agent.hooks, path), ...(await unlessRead(path, text, readAgents))];
}

async function promptProblems({ kind, path }: FoundFile, text: string): Promise<readonly Problem[]> {
  const isSkill = kind === "skills";
  const name = isSkill ? basename(dirname(path)) : commandName(basename(path));
  const { file, problems } = promptIn(text, { kind: isSkill ? "skill" : "command", path, name, prefix: "" });
  return [...problems, ...hookProblems(file?.hooks, path), ...(await unlessRead(path, text, readPrompts))];
}

/** What is lost of the hooks in front matter. Events that are not documented do not run in any program. */
function hookProblems(hooks: unknown, path: string): readonly Problem[] {
  return hookParts(hooks ?? {}, path).flatMap(({ losses, notes }): Problem[] => [
    ...losses.map((message): Problem => {
      const severity = message.includes("is not supported") ? "note" : "error";
      return { severity, path, key: "hooks", message };
    }),
    ...notes.map((message): Problem => ({ severity: "note", path, key: "hooks", message })),
  ]);
}

async function styleProblems({ path }: FoundFile, text: string): Promise<readonly Problem[]> {
  return [...styleIn(text, path).problems, ...(await unlessRead(path, text, readStyles))];
}

interface Project {
  readonly cwd: string;
  readonly home: string;
  /** The file, as if the agent worked with a file beside its folder. */
  readonly near: string;
}

/** Puts the file at its place, and says if the product does not read it there. */
async function unlessRead(
  path: string,
  text: string,
  read: (project: Project) => Promise<readonly { readonly path: string }[]>,
): Promise<readonly Problem[]> {
  const [isPlaced, folder = ""] = IN_PROJECT.exec(path) ?? [];
  if (isPlaced === undefined || text.trim() === "") return [];
  return inFolder(async (temporary) => {
    const cwd = await realpath(temporary);
    await write(join(cwd, path), text);
    await mkdir(join(cwd, ".git"));
    const all = await read({ cwd, home: join(cwd, "home"), near: join(cwd, folder, "x") });
    const isRead = all.some((one) => one.path === join(cwd, path));
    return isRead ? [] : [{ severity: "error", path, key: "", message: "it is not read at its place" }];
  });
}

async function readAgents({ home, near }: Project): Promise<readonly { readonly path: string }[]> {
  return (await definedAgents({ cwd: dirname(near), home, env: {}, isTrusted: true })).agents;
}

async function readPrompts({ cwd, home, near }: Project): Promise<readonly { readonly path: string }[]> {
  const nested = new NestedFolders(cwd, [cwd]);
  await nested.look([near]);
  const more = { skills: nested.folders, commands: [] };
  const fromTop = await promptFiles({ cwd, home, env: {}, isTrusted: true, more });
  // Commands of a subfolder, such as a template, are read if the program is started there.
  const there = await promptFiles({ cwd: dirname(near), home, env: {}, isTrusted: true, more });
  return [...fromTop.files, ...there.files];
}

async function readStyles({ home, near }: Project): Promise<readonly { readonly path: string }[]> {
  return stylesIn({ cwd: dirname(near), home, env: {}, isTrusted: true, more: [] });
}

/** Every variable is set, because its value is not part of the file. */
function serverProblems(text: string, path: string): readonly Problem[] {
  const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(([, name = ""]) => [name, "x"] as const);
  const env = Object.fromEntries(names);
  const { servers, problems } = mcpServersIn(text, { path, isTrusted: true, env, passEnv: Object.keys(env) });
  const unreachable = servers
    .filter(({ server }) => server.type === "ws")
    .map(({ name }): Problem => {
      return { severity: "error", path, key: name, message: "servers of the type ws cannot be reached" };
    });
  return [...problems, ...unreachable];
}

function pluginParts({ path }: FoundFile, text: string, where: string): Judged[] {
  if (path.endsWith("hooks.json")) {
    const value = JSON.parse(text) as { hooks?: unknown };
    return hookParts(value.hooks ?? value, where);
  }
  const problems = path.endsWith("marketplace.json")
    ? marketplaceIn(text, path).problems
    : manifestIn(text, path).problems;
  return [{ kind: "plugins", where, ...sorted(problems, path) }];
}

async function settingsParts({ path }: FoundFile, text: string, where: string): Promise<Judged[]> {
  return inFolder(async (folder) => {
    const name = path.endsWith("local.json") ? "settings.local.json" : "settings.json";
    await write(join(folder, "project", ".claude", name), text);
    const world = { cwd: join(folder, "project"), home: join(folder, "home"), env: {}, managedPaths: [] };
    // What the user sees in the trust dialog and accepts.
    await trustIn(world).trust(world.cwd, acceptedByTrust(await loadSettings(world)));
    const loaded = await loadSettings(world);
    const hooks = hookParts(Object.assign({}, ...loaded.hooks.map((one) => one.hooks)), where);
    const rules = [...ruleParts(loaded, where), ...idleRules(loaded, where)];
    const own = sorted(loaded.problems, folder);
    const losses = [...own.losses, ...[...hooks, ...rules].flatMap((part) => part.losses)];
    return [{ kind: "settings", where, losses, notes: own.notes }, ...hooks, ...rules];
  });
}

function ruleParts({ sources }: LoadedSettings, where: string): Judged[] {
  return sources.flatMap(({ allow, ask, deny }) =>
    Object.entries({ allow, ask, deny }).flatMap(([behavior, rules]) =>
      rules.map((rule): Judged => {
        const { warnings } = createPermissions({
          settings: { [behavior]: [rule], rulesFrom: "user" },
          cwd: "/p",
        });
        const isIgnoredThere = (warning: string): boolean => IGNORED_THERE.some((one) => one.test(warning));
        const plain = warnings.map((warning) => warning.replace(rule, "…").replace(/^user: /, ""));
        return {
          kind: "permission rules",
          where: `${where}: ${rule}`,
          losses: plain.filter((warning) => !isIgnoredThere(warning)),
          notes: plain.filter(isIgnoredThere),
        };
      }),
    ),
  );
}

/** Rules that allow nothing, such as parts of a shell loop: they do so in the program that the file is for, too. */
function idleRules(loaded: LoadedSettings, where: string): Judged[] {
  return ruleNotes(loaded).flatMap((note): Judged[] => {
    const [, rule = "", why = ""] = /: allow rule (.*) allows nothing\. (.*)$/s.exec(note) ?? [];
    if (rule === "") return [];
    const about = why.startsWith("Cannot check the command") ? "it is a part of a command" : why;
    const notes = [`allow rule … allows nothing: ${about}`];
    return [{ kind: "permission rules", where: `${where}: ${rule}`, losses: [], notes, isRemark: true }];
  });
}

function hookParts(hooks: unknown, where: string): Judged[] {
  const notices: string[] = [];
  const runner = createHooks({
    configs: [{ source: "s", root: "/p", trusted: true, hooks }],
    cwd: "/p",
    projectDir: "/p",
    toolNames: CALLED_NAMES,
    env: {},
    sessionId: "",
    transcriptPath: "",
    permissionMode: () => "default",
    onNotice: (message) => notices.push(message),
  });
  const listed = runner.list().map(({ event, what, runs, ...hook }): Judged => {
    const why = "why" in hook ? hook.why : "";
    return { kind: "hooks", where: `${where}: ${event}: ${what}`, losses: runs ? [] : [why], notes: [] };
  });
  void runner.close();
  const others = notices.filter((notice) => !notice.startsWith("Some hooks do not run"));
  return [
    ...listed,
    ...others.map((notice): Judged => {
      const words = [reason(notice, "")];
      // A limit of hours is a limit in milliseconds that was written by mistake. Members that are not documented have no
      // effect in the program that the file is for either.
      const isLimited =
        notice.includes("is longer than") ||
        (/ has no effect[.:]/.test(notice) && !MISSING_TOOL.test(notice));
      if (isLimited) return { kind: "hooks", where, losses: [], notes: words, isRemark: true };
      return { kind: "hooks", where, losses: words, notes: [] };
    }),
  ];
}

/** The file alone, at its place: what it imports is not part of it. */
async function instructionProblems({ path }: FoundFile, text: string): Promise<readonly Problem[]> {
  return inFolder(async (folder) => {
    const project = join(folder, "project");
    const top = path.replace(/(?:^|\/)\.claude\/.*$|(?:^|\/)[^/]*$/, "");
    await write(join(project, path), text);
    await mkdir(join(project, top, ".git"), { recursive: true });
    const where = { cwd: join(project, top), home: join(folder, "home"), env: {}, isTrusted: true };
    const loaded = await instructions(where);
    const nested = new NestedInstructions(where, loaded);
    const touched = [...(await nested.touched([join(project, path)])), ...loaded.files];
    const paths = [...touched.map((file) => file.path), ...loaded.conditional.map((rule) => rule.path)];
    const isLoaded = paths.some((one) => one.endsWith(path));
    const isOwn = ({ message }: Problem): boolean => !message.includes("does not exist");
    const missing: Problem = { severity: "error", path, key: "", message: "it is not loaded" };
    return [...loaded.problems.filter(isOwn), ...(isLoaded || text.trim() === "" ? [] : [missing])];
  });
}

async function inFolder<Value>(use: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "check-files-"));
  try {
    await mkdir(join(folder, "home"));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function sorted(problems: readonly Problem[], path: string): Pick<Judged, "losses" | "notes"> {
  const isNote = ({ severity, message }: Problem): boolean =>
    severity === "note" || IGNORED_THERE.some((one) => one.test(message));
  const words = (wanted: boolean): string[] =>
    problems.filter((problem) => isNote(problem) === wanted).map(({ message }) => reason(message, path));
  return { losses: words(false), notes: words(true) };
}

/** The message without what is special about the file. */
function reason(message: string, path: string): string {
  return (path === "" ? message.replace(/^s: /, "") : message.replaceAll(path, "FILE"))
    .replaceAll(/\S*(?:FILE)\S*?:/g, "")
    .replaceAll(/\/tmp\/\S+/g, "FILE")
    .replaceAll(/\[\d+\]/g, "[n]")
    .replaceAll(/(found|used:|line|names|skill is called) .*/g, "$1 …")
    .trim();
}
