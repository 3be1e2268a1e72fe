/** Whether a git command can show the content of files, in any version that the repository contains. */

import { maySay } from "./options.ts";
import type { ShellWord } from "./script.ts";

/** Options before the subcommand that take the next word. */
const TAKES = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source|exec-path))$/;

const SHOWS = new Set(
  (
    "show grep blame annotate cat-file archive difftool format-patch diff-tree diff-index diff-files range-diff " +
    "whatchanged bundle fast-export checkout-index unpack-file unpack-objects merge-file merge-tree pack-objects " +
    "upload-pack upload-archive send-email request-pull instaweb daemon http-backend pickaxe mv last-modified rerere"
  ).split(" "),
);
/** Commands that show content unless an option selects something else. */
const DIFFS = new Set(["diff", "stash show"]);
const OVERVIEW = [
  "stat",
  "shortstat",
  "numstat",
  "dirstat",
  "summary",
  "name-only",
  "name-status",
  "no-patch",
  "raw",
  "quiet",
  "compact-summary",
];
/** Options that make a command that lists commits or files show changes too. */
const PATCH_LETTERS = /^-[^-]*[puULSGWcm]/;
const PATCH_LONG = [
  "patch",
  "patch-with-raw",
  "patch-with-stat",
  "unified",
  "cc",
  "dd",
  "word-diff",
  "word-diff-regex",
  "color-words",
  "function-context",
  "ext-diff",
  "textconv",
  "remerge-diff",
  "diff-merges",
  "binary",
  "pickaxe-all",
  "pickaxe-regex",
  "check",
  "full-diff",
];
const LISTS = new Set("log reflog shortlog show-branch rev-list".split(" "));

/** Options whose next word is text. */
const MESSAGE = /^(?:-[a-zA-Z]*m|--message)$/;

/** `words` are the words after `git`. */
export function showsContent(words: readonly ShellWord[]): boolean {
  const at = subcommandAt(words);
  const [first, ...rest] = words.slice(at);
  if (first === undefined) return false;
  if (first.type !== "static") return true;
  const hasMessage = /^(?:commit|stash)$/.test(first.value);
  const options = rest.filter(
    ({ value, type }, place) =>
      (type !== "static" || value.startsWith("-")) &&
      !(hasMessage && MESSAGE.test(rest[place - 1]?.value ?? "")),
  );
  const hasPatch = options.some(isPatch);
  const name = first.value === "stash" && rest[0]?.value === "show" ? "stash show" : first.value;
  if (SHOWS.has(name)) return true;
  if (DIFFS.has(name)) return hasPatch || !options.some(isOverview);
  if (LISTS.has(name) || (name === "stash" && rest[0]?.value === "list")) return hasPatch;
  return byOption(name, options);
}

function byOption(name: string, options: readonly ShellWord[]): boolean {
  const has = (letters: RegExp, ...long: string[]): boolean =>
    options.some(({ value, type }) => type !== "static" || letters.test(value) || maySay(value, long));
  if (name === "status" || name === "commit") return has(/^-[^-]*v/, "verbose", "patch");
  if (name === "config") return has(/^-[^-]*f/, "file", "blob");
  return (
    has(/^-[a-z]*[pei]/, "patch", "edit", "interactive") &&
    /^(?:add|checkout|restore|reset|commit|stash)$/.test(name)
  );
}

function isOverview({ value, type }: ShellWord): boolean {
  return type === "static" && (value === "-s" || OVERVIEW.includes(value.replace(/^--|=.*$/gs, "")));
}

function isPatch({ value, type }: ShellWord): boolean {
  return type !== "static" || PATCH_LETTERS.test(value) || maySay(value, PATCH_LONG);
}

/** The index of the subcommand, after the options of git itself. */
export function subcommandAt(words: readonly ShellWord[]): number {
  let at = 0;
  for (; words[at]?.value.startsWith("-") === true; at++) if (TAKES.test(words[at]?.value ?? "")) at++;
  return Math.min(at, words.length);
}
