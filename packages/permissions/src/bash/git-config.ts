/** Which git settings only change output or the author of a commit, and which calls only read a setting. */

import { joined, readOptions, table } from "./options.ts";
import type { ShellWord } from "./script.ts";

/** Every other setting could name a program, a file or a server, or change what git checks before it runs one. */
const HARMLESS = new RegExp(
  `^(?:${[
    "user\\.(?:name|email)",
    "author\\.(?:name|email)",
    "committer\\.(?:name|email)",
    "core\\.(?:quotepath|autocrlf|eol|safecrlf|abbrev|ignorecase|filemode|longpaths|bigfilethreshold|precomposeunicode)",
    "diff\\.(?:algorithm|renames|renamelimit|context|mnemonicprefix|noprefix|colormoved|submodule)",
    "merge\\.(?:conflictstyle|ff|renames|renamelimit|stat|log)",
    "http\\.(?:version|postbuffer|lowspeedlimit|lowspeedtime)",
    "(?:color|column|advice)\\.[\\w.]+",
    "log\\.(?:date|decorate|showsignature|abbrevcommit|follow)",
    "status\\.[a-z]+",
    "grep\\.(?:linenumber|patterntype|extendedregexp|column|fullname)",
    "pull\\.(?:rebase|ff)",
    "push\\.(?:default|autosetupremote|followtags)",
    "fetch\\.(?:prune|prunetags|parallel)",
    "rebase\\.(?:autostash|autosquash|updaterefs|stat)",
    "commit\\.(?:gpgsign|verbose|status)",
    "tag\\.(?:gpgsign|sort)",
    "branch\\.(?:sort|autosetuprebase|autosetupmerge)",
    "init\\.defaultbranch",
    "gc\\.auto",
    "rerere\\.(?:enabled|autoupdate)",
    "versionsort\\.suffix",
  ].join("|")})$`,
  "i",
);
/** Programs that do nothing, which keep git from starting a pager or an editor, and no hooks. */
const SWITCHED_OFF =
  /^(?:core\.pager=(?:cat)?|pager\.\w+=(?:false|no|off|cat)|(?:core|sequence)\.editor=(?:true|:)|core\.hookspath=\/dev\/null|core\.fsmonitor=(?:false)?|diff\.external=|credential\.helper=)$/i;

/** The `name=value` of `git -c`. */
export function isHarmlessSetting({ value, type }: ShellWord): boolean {
  const name = value.includes("=") ? value.slice(0, value.indexOf("=")) : value;
  return HARMLESS.test(name) || (type === "static" && SWITCHED_OFF.test(value));
}

/** After the first operand, options are operands: `git config a.b c --list` sets a value. */
const OPTIONS = table(
  "+lz",
  "list get get-all get-regexp show-origin show-scope name-only null local worktree includes no-includes bool int " +
    "bool-or-int type: default: add replace-all unset unset-all global system all regexp show-names value: url:",
);
const QUERIES = ["l", "list", "get", "get-all", "get-regexp"];
const ELSEWHERE = ["global", "system", "worktree"];

const WITH_FILE = joined(OPTIONS, table("f:", "file: blob:"));

/** Whether `git config` with these words only reads settings, also those of another file. */
export function readsConfig(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, WITH_FILE);
  if (read === undefined) return false;
  const [first, ...rest] = read.operands;
  if (first === undefined || read.names.some((name) => QUERIES.includes(name))) return true;
  if (first.type === "static" && /^(?:get|list)$/.test(first.value)) return true;
  return rest.length === 0 && first.value.includes(".") && !read.names.some(isChange);
}

function isChange(name: string): boolean {
  return /^(?:un|add|replace)/.test(name);
}

/** Whether `git config` with these words only reads settings, or sets a harmless one. */
export function isHarmlessConfig(words: readonly ShellWord[]): boolean {
  const read = readOptions(words, OPTIONS);
  if (read === undefined) return false;
  const [first, ...rest] = read.operands;
  if (read.names.some((name) => QUERIES.includes(name))) return true;
  if (first === undefined) return false;
  const isElsewhere = read.names.some((name) => ELSEWHERE.includes(name));
  if (first.type === "static" && /^(?:get|list)$/.test(first.value))
    return readOptions(rest, OPTIONS) !== undefined;
  if (first.type === "static" && /^(?:set|unset)$/.test(first.value)) {
    const inner = readOptions(rest, OPTIONS);
    return !isElsewhere && inner !== undefined && setsHarmless(inner.operands, inner.names);
  }
  // In newer versions, a word without a dot is a subcommand.
  if (first.type === "static" && !first.value.includes(".")) return false;
  const changes = rest.length > 0 || read.names.some(isChange);
  return !changes || (!isElsewhere && setsHarmless(read.operands, read.names));
}

function setsHarmless([name]: readonly ShellWord[], options: readonly string[]): boolean {
  return (
    name?.type === "static" &&
    HARMLESS.test(name.value) &&
    !options.some((option) => ELSEWHERE.includes(option))
  );
}
