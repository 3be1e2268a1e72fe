/** Decides whether a call can run, from rules, modes and protected places. */

import { posix } from "node:path";
import { looking } from "../bash/read-only.ts";
import { readShell } from "../bash/walk.ts";
import { decideBash } from "./bash.ts";
import { isFree } from "../paths/command-files.ts";
import type { WorkspaceCopy } from "../paths/copies.ts";
import { allowForms, hasOnlySafeVariables } from "./command-text.ts";
import { ignoresCaseAt } from "../paths/case.ts";
import { type Files, FILES_ON_DISK, Look, MAX_ENTRIES } from "../paths/disk.ts";
import { hasOtherScheme, hostOf, matchesDomain } from "../rules/domain.ts";
import { decideFile, filesOfCall, mayCheckFile, mayShow, printable, settled } from "./file-tools.ts";
import { coversCall, firstRule, type Judge, type RuleBook } from "./judge.ts";
import {
  type RealPath,
  lookingOnce,
  realPathOnDisk,
  realPathsOnce,
  resolveThrough,
  type Workspace,
} from "../paths/paths.ts";
import { Twins } from "../paths/twins.ts";
import { type Action, compileRule, coversTool, type Rule } from "../rules/rule.ts";
import { shapeOf, stringOf } from "@runahead/base";
import type { Mode } from "../rules/modes.ts";
import { type PermissionSettings, readSettings, type ReadSettings } from "../rules/settings.ts";
import { checkOptions } from "./check-options.ts";
import { type RuleChoice, ruleChoices } from "../rules/suggest.ts";
import { canonicalTool, EDITORS, HARMLESS, onlyLooks, READERS } from "../rules/tools.ts";
import { byMode, byRule, type Verdict } from "./verdict.ts";
import { matchesWildcard } from "../rules/wildcard.ts";

/** Options of `createPermissions`. */
export interface PermissionOptions {
  /** The rules and the mode. */
  readonly settings: PermissionSettings;
  /** The working directory, which is also the workspace. Default: `settings.cwd`, then that of the process. */
  readonly cwd?: string;
  /** The home directory. Default: `$HOME`. */
  readonly home?: string;
  /** False: the project's settings grant nothing; their deny and ask rules apply. Default: true. */
  readonly trusted?: boolean;
  /** Resolves the symbolic links of a path. Default: the file system. */
  readonly realpath?: RealPath;
  /** Lists folders and inspects paths. Default: the file system. */
  readonly files?: Files;
  /**
   * Whether names that differ only in case are the same file. Default: true on macOS and Windows; elsewhere, looked up in
   * the working directory.
   */
  readonly ignoresCase?: boolean;
  /** Whether commands that only read run in the read-only sandbox; called for each verdict. Default: false. */
  readonly confinesReads?: () => boolean;
  /**
   * Folders outside the workspace whose files Read, Glob and Grep can read without a question, such as the session's
   * output folder; called for each verdict. Rules that deny or ask still apply. Default: none.
   */
  readonly readableFolders?: () => readonly string[];
  /**
   * Copies of the workspace, such as the git worktrees of sub-agents. They belong to the workspace, and a rule about a
   * file applies to its copies. Default: none.
   */
  readonly copies?: readonly WorkspaceCopy[];
  /** Whether an unknown tool, such as one of an MCP server, only reads. Default: false for every tool. */
  readonly isReadOnlyTool?: (toolName: string) => boolean;
}

/**
 * Decides about tool calls. Every method is synchronous and never throws, whatever the arguments: a call whose tool name is
 * not text is denied.
 */
export interface Permissions {
  /** The current permission mode. */
  readonly mode: Mode;
  /** Rules and settings that are ignored, and why. */
  readonly warnings: readonly string[];
  /**
   * Decides whether a call can run. `cwd` is the folder that the call runs in, if not the working directory; it does
   * not change the workspace or the anchors of rules.
   */
  decide(toolName: string, input: unknown, cwd?: string): Verdict;
  /** Lists what the user can allow beyond this call, narrowest first; empty if no rule can allow it. */
  choices(toolName: string, input: unknown, cwd?: string): RuleChoice[];
  /**
   * Whether the call can be checked before the user is asked, because the check only reveals files that can be read
   * without a question.
   */
  mayCheck(toolName: string, input: unknown, cwd?: string): boolean;
  /** Whether the whole tool is denied, so the model need not see it. */
  isHidden(toolName: string): boolean;
  /** Whether a call only reads, so it can run in parallel with others. */
  isReadOnly(toolName: string, input: unknown): boolean;
  /** Whether a search can show this file: no rule denies reading it. */
  mayShow(path: string): boolean;
}

/**
 * Creates permissions from rules and a mode. Decisions are synchronous and use the current state of the disk; nothing
 * is run or changed.
 *
 * Throws a TypeError for an unknown or invalid option, mode or rule list. An invalid rule is ignored with an entry in
 * `warnings`.
 *
 * @example
 * ```ts
 * const permissions = createPermissions({
 *   settings: { mode: "default", allow: ["Bash(npm test:*)"], deny: ["Bash(rm:*)"] },
 *   cwd: "/repo",
 * });
 * permissions.decide("Bash", { command: "npm test && ls" }).behavior; // "allow"
 * permissions.decide("Bash", { command: "npm test; rm -rf build" }).behavior; // "deny"
 * ```
 */
export function createPermissions(options: PermissionOptions): Permissions {
  checkOptions(options);
  return permissionsFrom(options);
}

/** Like `createPermissions`, for settings from a file: invalid entries are ignored with a warning. */
export function permissionsFrom(options: PermissionOptions): Permissions {
  const given = shapeOf(options.settings);
  const cwd = posix.resolve(
    "/",
    options.cwd ?? (typeof given["cwd"] === "string" ? given["cwd"] : process.cwd()),
  );
  const trusted = options.trusted ?? given["trusted"] !== false;
  const home = posix.resolve("/", options.home ?? process.env["HOME"] ?? "/");
  const settings = readSettings(options.settings, { cwd, home, trusted });
  const warnings = [...settings.warnings];
  const judge = makeJudge(settings, { ...options, cwd, home, trusted }, warnings);
  const isReadOnlyTool = options.isReadOnlyTool ?? (() => false);
  const twins = new Twins(judge.book.deny);
  const judgeAt = (at: unknown): Judge => ({
    ...runningAt(judge, at),
    confinesReads: options.confinesReads?.() ?? false,
    readableFolders: options.readableFolders?.() ?? [],
  });
  return {
    mode: settings.mode,
    warnings,
    decide: (toolName, input, at) =>
      isText(toolName) ? decide(toolName, input, { ...judgeAt(at), isReadOnlyTool }) : NAMELESS,
    choices: (toolName, input, at) => {
      if (!isText(toolName)) return [];
      const here = judgeAt(at);
      const decideWith = (rules: readonly string[]): Verdict =>
        decide(toolName, input, { ...withRules(here, rules, cwd), isReadOnlyTool });
      return ruleChoices(toolName, input, { judge: here, decideWith });
    },
    mayCheck: (toolName, input, at) =>
      isText(toolName) && mayCheckFile(canonicalTool(toolName), input, judgeAt(at)),
    isHidden: (toolName) =>
      isText(toolName) &&
      judge.book.deny.some((rule) => rule.type === "tool" && coversTool(rule, canonicalTool(toolName))),
    isReadOnly: (toolName, input) => isText(toolName) && isReadOnly(toolName, input, isReadOnlyTool),
    mayShow: (path) => {
      if (!isText(path)) return false;
      const shown = posix.resolve(cwd, path);
      return mayShow(shown, judge.book, judge.workspace) && !twins.has(shown, judge.workspace);
    },
  };
}

const isText = (value: unknown): boolean => typeof value === "string";

const NAMELESS: Verdict = {
  behavior: "deny",
  reason: "The call has no tool name that is text.",
  by: { type: "input" },
};

function makeJudge(
  settings: ReadSettings,
  options: PermissionOptions & { cwd: string; home: string; trusted: boolean },
  warnings: string[],
): Judge {
  const { cwd, home, trusted: isTrusted } = options;
  const realpath = options.realpath ?? realPathOnDisk;
  const ignoresCase =
    options.ignoresCase ??
    (/^(?:darwin|win32)$/.test(process.platform) || ignoresCaseAt(cwd, options.files ?? FILES_ON_DISK));
  const folders = settings.sources
    .filter(({ trusted }) => trusted)
    .flatMap(({ additionalDirectories }) => additionalDirectories)
    .map((folder) =>
      /^~(?:\/|$)/.test(folder) ? posix.resolve(home, folder.slice(2)) : posix.resolve(cwd, folder),
    );
  const { copies = [] } = options;
  const roots = [cwd, ...folders, ...copies.map(({ path }) => path)].flatMap((folder) => [
    folder,
    resolveThrough(folder, realpath),
  ]);
  const workspace = makeWorkspace({ cwd, home, realpath, copies, roots: [...new Set(roots)] }, options.files);
  const compile = (text: string, action: Action, source: ReadSettings["sources"][number]): Rule[] =>
    compileRule(text, {
      action,
      cwd,
      home,
      ignoresCase,
      realpath,
      copies,
      root: source.root,
      source: source.name,
      warn: (warning) => warnings.push(warning),
    });
  const { mode } = settings;
  const book = makeBook(settings, compile);
  return { book, mode, workspace, ignoresCase, isTrusted, confinesReads: false, readableFolders: [] };
}

function makeBook(
  { sources }: ReadSettings,
  compile: (text: string, action: Action, source: ReadSettings["sources"][number]) => Rule[],
): RuleBook {
  const list = (action: Action): Rule[] =>
    sources.flatMap((source) =>
      action === "allow" && !source.trusted
        ? []
        : source[action].flatMap((text) => compile(text, action, source)),
    );
  const ordered = sources.flatMap((source) =>
    source.rules
      .filter(({ action }) => action !== "allow" || source.trusted)
      .flatMap(({ tool, pattern, action }) =>
        compile(pattern === undefined ? tool : `${tool}(${pattern})`, action, source),
      ),
  );
  return { deny: list("deny"), ask: list("ask"), ordered, allow: list("allow") };
}

/** A folder that is not a string counts as one outside the workspace: a tool could read it as any folder. */
function runningAt(judge: Judge, at: unknown): Judge {
  const workspace = judge.workspace.anew(MAX_ENTRIES);
  if (at === undefined) return { ...judge, workspace };
  return { ...judge, workspace: { ...workspace, cwd: posix.resolve("/", typeof at === "string" ? at : "") } };
}

type Place = Pick<Workspace, "cwd" | "home" | "realpath" | "roots" | "copies">;

/** A snapshot of the disk for one verdict: each place is looked up once. */
function makeWorkspace(place: Place, files: Files = FILES_ON_DISK): Workspace {
  const anew = (limit: number): Workspace => ({
    ...place,
    realpath: lookingOnce(place.realpath === realPathOnDisk ? realPathsOnce() : place.realpath),
    look: new Look(files, limit),
    anew,
  });
  return { ...place, look: new Look(files, MAX_ENTRIES), anew };
}

/** The judge with these rules added to the allow list. */
function withRules(judge: Judge, texts: readonly string[], cwd: string): Judge {
  const { home, realpath, copies } = judge.workspace;
  const context = {
    action: "allow" as const,
    source: "suggested",
    root: cwd,
    cwd,
    home,
    realpath,
    copies,
    ignoresCase: judge.ignoresCase,
  };
  const rules = texts.flatMap((text) => compileRule(text, { ...context, warn: () => {} }));
  return { ...judge, book: { ...judge.book, allow: [...judge.book.allow, ...rules] } };
}

interface FullJudge extends Judge {
  isReadOnlyTool(toolName: string): boolean;
}

function decide(toolName: string, input: unknown, judge: FullJudge): Verdict {
  const tool = canonicalTool(toolName);
  if (tool === "Bash") return decideBash(input, judge);
  if (EDITORS.has(tool) || READERS.has(tool))
    return { ...decideFile(tool, input, judge), files: filesOfCall(tool, input, judge.workspace) };
  return decideOther(tool, input, judge);
}

function decideOther(tool: string, input: unknown, judge: FullJudge): Verdict {
  const fields = shapeOf(input);
  const host = tool === "WebFetch" ? hostOf(fields["url"]) : undefined;
  const agent = tool === "Agent" ? agentTypeOf(fields) : undefined;
  const what = host === undefined ? printable(tool) : `${tool} from ${host}`;
  const changes = !onlyLooks(tool) && !judge.isReadOnlyTool(tool);
  const impossible = impossibleCall(tool, fields, judge);
  const rule = firstRule(
    judge.book,
    (one) =>
      coversCall(one, tool, input) ||
      (one.type === "domain" && host !== undefined && matchesDomain(one.pattern, host)) ||
      (one.type === "agent" && agent !== undefined && isNamed(one, agent)) ||
      (one.type === "skill" && tool === "Skill" && isNamed(one, skillOf(fields))),
  );
  if (rule?.action === "deny") return byRule(rule, what);
  // Whatever rules and hooks allow: leaving plan mode without the user's consent would make the mode pointless.
  if (tool === "ExitPlanMode" && judge.mode === "plan")
    return { behavior: "ask", reason: "The plan needs your approval.", by: { type: "unclear" } };
  if (impossible !== undefined) return impossible;
  if (rule !== undefined) return settled(byRule(rule, what), judge, changes);
  if (HARMLESS.has(tool))
    return {
      behavior: "allow",
      reason: `${tool} has no effect outside the session.`,
      by: { type: "reading" },
    };
  if (tool === "Agent" || tool === "Skill")
    return {
      behavior: "allow",
      reason: `Each call that the ${tool === "Agent" ? "sub-agent" : "skill"} makes is checked separately.`,
      by: { type: "reading" },
    };
  return byMode(`${what} is not allowed by any rule.`, judge.mode, changes);
}

/** Restrictions saved for other agents write the same names in other letters: `Agent(Explore)`. */
function isNamed({ action, name }: Extract<Rule, { type: "agent" | "skill" }>, given: string): boolean {
  if (action === "allow") return matchesWildcard(name, given);
  return matchesWildcard(
    name.map((letter) => letter?.toLowerCase()),
    given.trim().toLowerCase(),
  );
}

/** A call that names no type starts the general one. */
function agentTypeOf({ subagent_type: type }: Record<string, unknown>): string {
  return typeof type === "string" && type !== "" ? type : "general-purpose";
}

/** The skill that a call names, as the Skill tool reads it. */
function skillOf({ skill, command }: Record<string, unknown>): string {
  const [name = ""] = stringOf(skill ?? command)
    .trim()
    .split(/\s/, 1);
  return name.replace(/^\//, "");
}

/** Calls that no rule and no mode allows. */
function impossibleCall(tool: string, fields: Record<string, unknown>, { mode }: Judge): Verdict | undefined {
  if (tool === "WebFetch" && hasOtherScheme(fields["url"]))
    return {
      behavior: "deny",
      reason: `WebFetch supports only http and https URLs, not ${printable(String(fields["url"]))}.`,
      by: { type: "input" },
    };
  if (tool === "AskUser" && mode === "dontAsk")
    return {
      behavior: "deny",
      reason: "Mode dontAsk does not allow questions to the user.",
      by: { type: "mode", mode },
    };
  return undefined;
}

function isReadOnly(
  toolName: string,
  input: unknown,
  isReadOnlyTool: (toolName: string) => boolean,
): boolean {
  const tool = canonicalTool(toolName);
  const command = shapeOf(input)["command"];
  if (tool === "Bash") return typeof command === "string" && readOnlyCommand(command);
  return READERS.has(tool) || isReadOnlyTool(tool);
}

/**
 * Whether a shell command only reads, wherever it reads. Never throws; false if that cannot be determined.
 *
 * @example
 * ```ts
 * readOnlyCommand("git log | head"); // true
 * readOnlyCommand("git log > notes"); // false
 * ```
 */
export function readOnlyCommand(command: string): boolean {
  const script = readShell(command, { cwd: "/", home: "/" });
  if (script.isUnreadable || script.doubts.length > 0 || script.commands.length === 0) return false;
  return script.commands.every((one) => {
    const writes = one.redirects.some(
      (redirect) => redirect.type === "file" && redirect.mode !== "read" && !isFree(redirect.target),
    );
    if (writes || !hasOnlySafeVariables(one)) return false;
    return (
      one.words.length === 0 ||
      one.isInner ||
      allowForms(one).some(({ words }) => looking(words, "confined") !== undefined)
    );
  });
}
