/**
 * Whether a git command does more than a wildcard rule covers, and which files it writes because it is given their
 * names.
 */

import { COVERED, type Covered } from "./git-commands.ts";
import { isHarmlessConfig, isHarmlessSetting } from "./git-config.ts";
import { isUnknown, mayBeOption, type ReadOptions, readOptions, table } from "./options.ts";
import type { ShellWord } from "./script.ts";

/** Options before the subcommand that take the next word. */
const TAKES = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source|list-cmds))$/;
const GLOBALS = table(
  "+Ppvhc:C:",
  "no-pager paginate no-optional-locks literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs " +
    "no-replace-objects no-lazy-fetch no-advice version help html-path man-path info-path exec-path",
);
/** `ext::program` and other transports that run a program. */
const TRANSPORT = /^(?:--\w+=)?[\w+.-]+::/;
const USES_REMOTES = new Set("clone fetch pull push ls-remote remote submodule archive bundle".split(" "));
/**
 * Commands that run their arguments, start a server or write arbitrary files: even a wildcard rule that names them
 * does not cover them.
 */
const RUNNERS = new Set(
  (
    "filter-branch instaweb daemon web--browse send-email remote-ext remote-fd cvsserver shell upload-archive upload-pack " +
    "receive-pack for-each-repo hook mergetool difftool p4 svn fast-import checkout-index update-index read-tree " +
    "merge-index merge-one-file credential submodule bisect maintenance config"
  ).split(" "),
);

interface Parts {
  readonly before: readonly ShellWord[];
  readonly name: string;
  readonly known: Covered | undefined;
  readonly after: readonly ShellWord[];
}

/**
 * `ruleText` is the part of the rule before its wildcard. A subcommand in it that is not part of git, such as `git
 * lfs`, is covered.
 */
export function isSharpGit(words: readonly ShellWord[], ruleText = ""): boolean {
  const parts = partsOf(words);
  if (parts === undefined || !areHarmlessGlobals(parts.before)) return true;
  const { name, known, after } = parts;
  if (USES_REMOTES.has(name) && after.some(({ value }) => TRANSPORT.test(value))) return true;
  if (name === "") return words.some((word) => word.type !== "static");
  if (name === "config") return !isHarmlessConfig(after);
  if (known !== undefined) return !isCovered(known, after);
  return RUNNERS.has(name) || after.some(isUnknown) || !ruleText.split(" ").includes(name);
}

/** Undefined if the subcommand is unknown until it runs. */
function partsOf(words: readonly ShellWord[]): Parts | undefined {
  let at = 0;
  for (; words[at]?.value.startsWith("-") === true; at++) if (TAKES.test(words[at]?.value ?? "")) at++;
  const before = words.slice(0, at);
  const [first, second] = words.slice(at);
  if (first === undefined) return { before, name: "", known: undefined, after: [] };
  if (first.type !== "static") return undefined;
  const pair = second?.type === "static" ? COVERED.get(`${first.value} ${second.value}`) : undefined;
  return {
    before,
    name: first.value,
    known: pair ?? COVERED.get(first.value),
    after: words.slice(pair === undefined ? at + 1 : at + 2),
  };
}

function areHarmlessGlobals(words: readonly ShellWord[]): boolean {
  const read = words.some(({ type, splits }) => type !== "static" && splits)
    ? undefined
    : readOptions(words, GLOBALS);
  return read !== undefined && read.given.every(isHarmlessGlobal);
}

/** Another folder could be a repository with its own configuration. */
function isHarmlessGlobal({ name, value }: ReadOptions["given"][number]): boolean {
  if (name === "C") return value?.type === "static" && /^\.\/?$/.test(value.value);
  return name !== "c" || (value !== undefined && isHarmlessSetting(value));
}

function isCovered(known: Covered, words: readonly ShellWord[]): boolean {
  const { options, isOpen } = known;
  if (options === undefined) return true;
  const end = words.findIndex(({ value, type }) => type === "static" && value === "--");
  const before = end < 0 ? words : words.slice(0, end);
  if (!isOpen && before.some(mayBeMore)) return false;
  const read = readOptions(isOpen ? words.map(settled) : words, options);
  if (read === undefined || !known.isAllowed(read)) return false;
  return isOpen || known.writesOf(read).every(isInside);
}

/** It could expand to several words, one of them an option. */
function mayBeMore(word: ShellWord): boolean {
  return (word.type === "dynamic" && word.splits) || (word.type === "glob" && mayBeOption(word));
}

/** Treats an unknown word as an operand. */
function settled(word: ShellWord): ShellWord {
  return word.type === "static" ? word : { ...word, type: "static", value: "_", splits: false };
}

function isInside({ value, type, fromTilde }: ShellWord): boolean {
  return type === "static" && !fromTilde && !value.startsWith("/") && !value.split("/").includes("..");
}

/** The files and folders that git writes because it is given their names. */
export function gitWrites(words: readonly ShellWord[]): readonly ShellWord[] {
  const { known, name, after } = partsOf(words) ?? {};
  if (after === undefined) return [];
  const attached = after.flatMap((word) => {
    const value = /^--(?:o|ou|out|outp|outpu|output|output-directory|prefix|export-marks)=(.+)$/s.exec(
      word.value,
    )?.[1];
    return value === undefined ? [] : [{ ...word, value }];
  });
  const read = known?.options === undefined ? undefined : readOptions(after, known.options);
  if (read !== undefined && known !== undefined) return [...attached, ...known.writesOf(read)];
  // With unknown options, any word could be the target.
  const isWriter = /^(?:mv|clone|init|worktree|archive|bundle|format-patch|checkout|restore|submodule)$/.test(
    name ?? "",
  );
  return isWriter ? [...attached, ...after.filter(({ value }) => !value.startsWith("-"))] : attached;
}

interface Repository {
  readonly word: ShellWord;
  /** It could be the name of a remote; otherwise a URL or a folder. */
  readonly mayBeName: boolean;
}

/** The words that name a repository. */
export function gitRepositories(words: readonly ShellWord[]): Repository[] {
  const { name = "", known, after = [] } = partsOf(words) ?? {};
  const read = known?.options === undefined ? undefined : readOptions(after, known.options);
  const operands = read?.operands ?? after.filter(({ value }) => !value.startsWith("-"));
  if (name === "clone") return operands.slice(0, 1).map((word) => ({ word, mayBeName: false }));
  if (name === "remote")
    return words.some(({ value }) => /^(?:add|set-url)$/.test(value))
      ? operands.slice(1).map((word) => ({ word, mayBeName: false }))
      : [];
  if (!/^(?:push|pull|fetch|ls-remote)$/.test(name)) return [];
  const option = read?.given.find((one) => one.name === "repo")?.value;
  const given = read?.names.includes("multiple") === true ? operands : operands.slice(0, 1);
  return [...(option === undefined ? [] : [option]), ...given].map((word) => ({ word, mayBeName: true }));
}

/** The files that `git rm` removes. */
export function gitRemoves(words: readonly ShellWord[]): readonly ShellWord[] {
  const { name, after = [] } = partsOf(words) ?? {};
  if (name !== "rm" || after.some(({ value }) => value === "--cached")) return [];
  return after.filter(({ value }) => !value.startsWith("-"));
}
