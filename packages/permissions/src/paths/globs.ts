/** Expands the file name patterns of a command against the disk, as bash does or to slightly more. */

import type { ShellCommand, ShellRedirect, ShellWord } from "../bash/script.ts";
import { copiesOf } from "../bash/files.ts";
import { baseName } from "../bash/inner.ts";
import { facesOf, isInWorkspace, type Workspace } from "./paths.ts";
import { matchItems } from "../rules/wildcard.ts";

/** The maximum number of names that one command's patterns can expand to; beyond it, the verdict is ask. */
const MAX_MATCHES = 2_000;
const WILD = /[*?[]/;

export type Expanded =
  | {
      readonly type: "command";
      readonly command: ShellCommand;
      /** A link out of the workspace that a pattern passes through. */
      readonly crossed: string | undefined;
    }
  /** Too many files, or ambiguous names. */
  | { readonly type: "unknown"; readonly word: ShellWord };

/** Returns the command with each pattern replaced by its current matches; undefined if it has no pattern. */
export function expandCommand(command: ShellCommand, workspace: Workspace): Expanded | undefined {
  const targets = command.redirects.flatMap((one) => (one.type === "file" ? [one.target] : []));
  if (![...command.words, ...targets].some(isPattern)) return undefined;
  const words: ShellWord[] = [];
  const crossed: string[] = [];
  for (const word of command.words) {
    const found = isPattern(word)
      ? expandWord(word, command.folders, workspace)
      : { words: [word], crossed: [] };
    if (found === undefined || words.length + found.words.length > MAX_MATCHES)
      return { type: "unknown", word };
    // The order of names depends on the locale, so it is unknown which of them is the target.
    if (found.words.length > 1 && word === command.words.at(-1) && copiesOf(command.words).length > 0)
      return { type: "unknown", word };
    words.push(...found.words);
    crossed.push(...found.crossed);
  }
  const redirects: ShellRedirect[] = [];
  for (const one of command.redirects) {
    const found = one.type === "file" && isPattern(one.target) ? targetsOf(one, command, workspace) : [one];
    if (found === undefined) return { type: "unknown", word: targets.find(isPattern) as ShellWord };
    redirects.push(...found);
  }
  return { type: "command", command: { ...command, words, redirects }, crossed: crossed[0] };
}

/** Bash uses a pattern as a target only if it matches one file; each that matches now could be it. */
function targetsOf(
  redirect: Extract<ShellRedirect, { type: "file" }>,
  { folders }: ShellCommand,
  workspace: Workspace,
): ShellRedirect[] | undefined {
  return expandWord(redirect.target, folders, workspace)?.words.map((target) => ({ ...redirect, target }));
}

interface Found<T> {
  readonly words: readonly T[];
  readonly crossed: readonly string[];
}

/** Whether a command or variable changes which names later patterns match. */
export function changesPatterns({ words, assignments }: ShellCommand): boolean {
  const name = baseName(words[0]?.value ?? "");
  return (
    name === "shopt" ||
    (/^(?:ba)?sh$/.test(name) && words.some(({ value }) => /^[-+][a-zA-Z]*O/.test(value))) ||
    [...assignments.map((one) => one.name), ...words.map(({ value }) => value)].some((text) =>
      /^(?:GLOBIGNORE|BASHOPTS)(?:=|$)/.test(text),
    )
  );
}

function isPattern({ type }: ShellWord): boolean {
  return type === "glob";
}

/** Undefined if it cannot be determined. A pattern without matches stays as it is. */
function expandWord(
  word: ShellWord,
  folders: ShellCommand["folders"],
  workspace: Workspace,
): Found<ShellWord> | undefined {
  const asStatic = (value: string): ShellWord => ({ ...word, raw: value, value, type: "static" });
  const isAbsolute = word.value.startsWith("/");
  const starts = isAbsolute ? [""] : (folders ?? [workspace.cwd]).map((folder) => `${folder}/`);
  const found = new Set<string>();
  const crossed: string[] = [];
  for (const start of starts) {
    const names = expandFrom(start, word.value, workspace);
    if (names === undefined) return undefined;
    for (const name of names.words) found.add(name);
    crossed.push(...names.crossed);
  }
  return { words: found.size === 0 ? [asStatic(word.value)] : [...found].map(asStatic), crossed };
}

function expandFrom(start: string, pattern: string, workspace: Workspace): Found<string> | undefined {
  const { look } = workspace;
  const segments = pattern.split("/");
  const first = segments.findIndex((segment) => WILD.test(segment));
  const last = segments.findLastIndex((segment) => WILD.test(segment));
  const crossed: string[] = [];
  let found = [""];
  for (const [at, segment] of segments.entries()) {
    const next: string[] = [];
    for (const before of found) {
      const prefix = at === 0 ? "" : `${before}/`;
      if (!WILD.test(segment)) {
        next.push(prefix + segment);
        continue;
      }
      const names = namesIn(start + prefix, segment, workspace);
      if (names === undefined || next.length + names.length > MAX_MATCHES) return undefined;
      next.push(...names.map((name) => prefix + name));
    }
    found = next;
    // The content of a folder outside can change at any time, so leading there is enough.
    if (at >= first && at < segments.length - 1)
      crossed.push(...found.filter((path) => isLinkOut(start + path, workspace)));
  }
  const exists = (path: string): boolean => last === segments.length - 1 || hasPath(start + path, look);
  return { words: found.filter(exists), crossed };
}

function hasPath(path: string, look: Workspace["look"]): boolean {
  const bare = path.replace(/\/+$/, "");
  return look.stat(bare === "" ? "/" : bare) !== undefined;
}

function isLinkOut(path: string, workspace: Workspace): boolean {
  return workspace.look.stat(path)?.type === "link" && !isInWorkspace(facesOf(path, workspace), workspace);
}

function namesIn(folder: string, segment: string, { look }: Workspace): string[] | undefined {
  const entries = look.list(folder);
  if (entries === "too many") return undefined;
  const matched = (entries ?? []).filter(({ name }) => matchesSegment(segment, name));
  // A name that is not valid Unicode cannot be looked up by its decoded text.
  return matched.some(({ name }) => name.includes("\uFFFD")) ? undefined : matched.map(({ name }) => name);
}

type LetterTest = (letter: string) => boolean;

/**
 * Whether bash can match this name with the pattern. Quotes are already removed from the pattern, so `*`, `?` and
 * everything between brackets match anything: more can match here than in bash, never less.
 */
function matchesSegment(segment: string, name: string): boolean {
  if (name.startsWith(".") && !segment.startsWith(".")) return false;
  const items = itemsOf(segment, isPlain(name));
  return matchItems(items, [...name], (test, letter) => test(letter));
}

function isPlain(name: string): boolean {
  return /^[\p{ASCII}]*$/u.test(name);
}

function itemsOf(segment: string, isAscii: boolean): (LetterTest | undefined)[] {
  const letters = [...segment];
  const open = letters.findIndex((letter) => /[[\\'"]/.test(letter));
  const close = letters.findLastIndex((letter) => /[\]\\'"]/.test(letter));
  const items: (LetterTest | undefined)[] = [];
  for (const [at, letter] of letters.entries()) {
    const isBetween = open >= 0 && at >= open && at <= close;
    // Bash counts bytes in some locales, so `?` is one letter only in ASCII names.
    if (letter === "*" || isBetween || (letter === "?" && !isAscii)) {
      if (items.length === 0 || items.at(-1) !== undefined) items.push(undefined);
    } else items.push(letter === "?" ? () => true : (given) => given === letter);
  }
  return items;
}
