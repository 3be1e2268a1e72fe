/** What the user can allow beyond one call: sets of rules from narrow to wide, each verified to allow the call. */

import { posix } from "node:path";
import type { ShellCommand } from "../bash/script.ts";
import { shapeOf } from "@runahead/base";
import { readCall } from "../verdict/bash-call.ts";
import { escapeBash } from "./bash-pattern.ts";
import { isFree, pathsOf } from "../paths/command-files.ts";
import { allowForms } from "../verdict/command-text.ts";
import { hostOf } from "./domain.ts";
import { familyOf } from "./families.ts";
import { pathOfCall, printable } from "../verdict/file-tools.ts";
import { folderRule, foldersOf, rootsOf } from "./folder-rules.ts";
import { escapePath } from "./gitignore.ts";
import type { Judge } from "../verdict/judge.ts";
import { withOriginals } from "../paths/copies.ts";
import { facesOf, readPath, type Workspace } from "../paths/paths.ts";
import { permitCommand } from "../verdict/permit.ts";
import { canonicalTool, EDITORS, READERS } from "./tools.ts";
import type { Verdict } from "../verdict/verdict.ts";

/** Something that the user can allow beyond one call. */
export interface RuleChoice {
  /** What it allows, as a sentence without a period: "Allow every `npm install …` command". */
  readonly label: string;
  /** The rules to add to the allow list; together they allow the call. */
  readonly rules: readonly string[];
  /** How long the rules can apply: until the session ends, or saved for this project. */
  readonly scopes: readonly ("session" | "always")[];
}

const BOTH: RuleChoice["scopes"] = ["session", "always"];
const SESSION: RuleChoice["scopes"] = ["session"];
const MAX_RULES = 5;
/** A longer command is not shown completely, and nobody should permanently allow what they have not seen. */
const MAX_SHOWN_CHARS = 2_000;
const MAX_RULE_CHARS = 300;

export interface SuggestContext {
  readonly judge: Judge;
  /** The verdict on the same call if these rules were added to the allow list. */
  readonly decideWith: (rules: readonly string[]) => Verdict;
}

/** One rule, and what it allows, as words that follow "Allow". */
interface Piece {
  readonly rule: string;
  readonly words: string;
}

interface Candidate {
  readonly pieces: readonly Piece[];
  readonly scopes: RuleChoice["scopes"];
  readonly label: (pieces: readonly Piece[]) => string;
  /** The rules belong together, even if fewer of them would allow the call. */
  readonly isWhole?: boolean;
}

export function ruleChoices(toolName: string, input: unknown, context: SuggestContext): RuleChoice[] {
  const { judge, decideWith } = context;
  if (decideWith([]).behavior === "allow") return [];
  const choices: RuleChoice[] = [];
  for (const candidate of candidates(canonicalTool(toolName), input, judge)) {
    const choice = proved(candidate, decideWith);
    const isNew = choice !== undefined && !choices.some(({ rules }) => isSame(rules, choice.rules));
    if (isNew) choices.push(choice);
  }
  return choices;
}

/** Drops rules that the call does not need; undefined if the rest is not enough, too much, or cannot be shown. */
function proved(candidate: Candidate, decideWith: SuggestContext["decideWith"]): RuleChoice | undefined {
  const isEnough = (some: readonly Piece[]): boolean =>
    decideWith(some.map(({ rule }) => rule)).behavior === "allow";
  let pieces = [...new Map(candidate.pieces.map((piece) => [piece.rule, piece])).values()];
  if (pieces.length === 0 || pieces.length > 2 * MAX_RULES || !isEnough(pieces)) return undefined;
  for (const piece of candidate.isWhole === true ? [] : pieces) {
    const others = pieces.filter((other) => other !== piece);
    if (isEnough(others)) pieces = others;
  }
  const rules = pieces.map(({ rule }) => rule);
  if (rules.length > MAX_RULES || !rules.every(isShown)) return undefined;
  return { label: candidate.label(pieces), rules, scopes: candidate.scopes };
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((rule) => others.includes(rule));
}

function isShown(rule: string): boolean {
  return (
    rule.length <= MAX_RULE_CHARS &&
    printable(rule.slice(0, 200)) === rule.slice(0, 200) &&
    !/\p{Cc}/u.test(rule)
  );
}

function inWords(pieces: readonly Piece[]): string {
  const words = [...new Set(pieces.map((piece) => piece.words))];
  return `Allow ${new Intl.ListFormat("en", { type: "conjunction" }).format(words)}`;
}

function allowing(pieces: readonly Piece[], scopes = BOTH): Candidate {
  return { pieces, scopes, label: inWords };
}

function candidates(tool: string, input: unknown, judge: Judge): Candidate[] {
  const fields = shapeOf(input);
  if (tool === "Bash")
    return typeof fields["command"] === "string" ? forCommand(fields["command"], input, judge) : [];
  if (EDITORS.has(tool) || READERS.has(tool)) return forFile(tool, input, judge);
  if (tool === "WebFetch") {
    const host = hostOf(fields["url"]);
    if (host === undefined) return [];
    return [allowing([{ rule: `WebFetch(domain:${host})`, words: `fetching pages from ${host}` }])];
  }
  return /^[A-Za-z][\w.-]*$/.test(tool) ? forTool(tool) : [];
}

/** What the other tools of a server do is unknown, so all of them can be allowed for one session at most. */
function forTool(tool: string): Candidate[] {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server === undefined) return [allowing([{ rule: tool, words: `every use of ${tool}` }])];
  return [
    allowing([{ rule: tool, words: `the tool ${name} of the MCP server ${server}` }]),
    allowing([{ rule: `mcp__${server}`, words: `every tool of the MCP server ${server}` }], SESSION),
  ];
}

function forFile(tool: string, input: unknown, { workspace }: Judge): Candidate[] {
  const text = pathOfCall(tool, input, workspace.cwd);
  const file = text === undefined ? undefined : readPath(text, workspace);
  if (file?.type !== "path") return [];
  // A rule about the original covers its copies, which exist only for a time.
  const faces = [
    ...new Set(
      facesOf(file.path, workspace).map((face) => withOriginals(face, workspace.copies).at(-1) ?? face),
    ),
  ];
  const kind = EDITORS.has(tool) ? "Edit" : "Read";
  const files = faces.map((face) => filePiece(kind, face, workspace));
  const isSearch = tool === "Glob" || tool === "Grep" || tool === "LS";
  const folders = foldersOf(isSearch ? faces.map((face) => `${face}/x`) : faces, kind, workspace).map(
    (folder) => folderPiece(kind, folder, workspace),
  );
  const everywhere = kind === "Edit" ? rootsOf(faces, workspace) : [];
  return [
    allowing(files),
    // A search needs the folder itself, which a rule for the files in it does not cover.
    ...(folders.length > 0 && isSearch
      ? [{ pieces: [...files, ...folders], scopes: BOTH, label: () => inWords(folders), isWhole: true }]
      : [allowing(folders)]),
    {
      pieces: everywhere.map((root) => folderPiece(kind, root, workspace)),
      scopes: SESSION,
      label: () => "Allow all edits in this workspace",
    },
  ];
}

function filePiece(kind: "Edit" | "Read", path: string, workspace: Workspace): Piece {
  const verb = kind === "Edit" ? "editing" : "reading";
  return { rule: `${kind}(/${escapePath(path)})`, words: `${verb} ${shownPath(path, workspace)}` };
}

function folderPiece(kind: "Edit" | "Read", folder: string, workspace: Workspace): Piece {
  const verb = kind === "Edit" ? "editing" : "reading";
  return { rule: folderRule(kind, folder), words: `${verb} every file in ${shownPath(folder, workspace)}` };
}

function shownPath(path: string, { cwd }: Workspace): string {
  return path.startsWith(`${cwd}/`) ? posix.relative(cwd, path) : path;
}

/** Each command as written; then, for commands that belong to a family, with any arguments. */
function forCommand(text: string, input: unknown, judge: Judge): Candidate[] {
  if (text.length > MAX_SHOWN_CHARS) return [];
  const { script, seen } = readCall(text, input, judge);
  if (script.isUnreadable || script.doubts.length > 0) return [];
  const commands = seen
    .filter(({ command }) => !command.isInner)
    .map((one) => {
      const alone = { ...one, command: { ...one.command, redirects: [] } };
      const isNeeded = permitCommand(alone, judge, "strict").type === "none";
      return { command: one.command, isNeeded, files: redirectPieces(one.command, judge) };
    });
  const pieces = (make: (command: ShellCommand) => Piece[]): Piece[] =>
    commands.flatMap(({ command, isNeeded, files }) => [...(isNeeded ? make(command) : []), ...files]);
  return [
    { pieces: pieces(exactPiece), scopes: BOTH, label: exactly },
    allowing(pieces((command) => familyPiece(command) ?? exactPiece(command))),
  ];
}

function exactly(pieces: readonly Piece[]): string {
  if (!pieces.every(({ rule }) => rule.startsWith("Bash("))) return inWords(pieces);
  return pieces.length === 1 ? "Allow exactly this command" : "Allow exactly these commands";
}

function exactPiece(command: ShellCommand): Piece[] {
  const form = allowForms(command).at(-1);
  if (form === undefined || command.words.length === 0) return [];
  const raw = form.isAssigned
    ? [...command.assignments, ...command.words].map((part) => part.raw).join(" ")
    : form.words.map((word) => word.raw).join(" ");
  return [{ rule: `Bash(${escapeBash(raw)})`, words: `\`${raw}\`` }];
}

function familyPiece(command: ShellCommand): Piece[] | undefined {
  const form = allowForms(command).at(-1);
  const family = form === undefined || form.isAssigned ? undefined : familyOf(form.words);
  if (family === undefined) return undefined;
  const note = family.note === undefined ? "" : ` (${family.note})`;
  return [{ rule: `Bash(${family.start}:*)`, words: `every \`${family.start} …\` command${note}` }];
}

function redirectPieces({ redirects, folders }: ShellCommand, { workspace }: Judge): Piece[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type === "descriptor" || isFree(redirect.target) || redirect.target.type !== "static")
      return [];
    const kinds =
      redirect.mode === "both"
        ? (["Read", "Edit"] as const)
        : ([redirect.mode === "read" ? "Read" : "Edit"] as const);
    return pathsOf(redirect.target, folders, workspace).flatMap((path) =>
      kinds.map((kind) => filePiece(kind, path, workspace)),
    );
  });
}
