/** The subcommands of git and npm that only read, with their allowed options. */

import { joined, type OptionTable, type ReadOptions, table } from "./options.ts";
import type { ShellWord } from "./script.ts";

export interface Subcommand {
  readonly name: readonly string[];
  readonly options: OptionTable;
  /** The words that can be files outside the repository. */
  readsOf(read: ReadOptions): readonly ShellWord[];
  isAllowed(read: ReadOptions): boolean;
}

interface More {
  readonly readsOf?: (read: ReadOptions) => readonly ShellWord[];
  readonly isAllowed?: (read: ReadOptions) => boolean;
}

function sub(name: string, options: OptionTable, more: More = {}): Subcommand {
  return {
    name: name.split(" "),
    options,
    readsOf: more.readsOf ?? (() => []),
    isAllowed: more.isAllowed ?? (() => true),
  };
}

/** Options that `diff`, `log` and `show` share: how changes are shown. */
export const CHANGES = table(
  "puswbaRzWU?S:G:B?M?C?DI:l:",
  "patch no-patch raw stat? shortstat numstat dirstat? cumulative summary compact-summary name-only name-status " +
    "patch-with-stat patch-with-raw color? no-color color-words? color-moved? no-color-moved word-diff? " +
    "word-diff-regex: ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol " +
    "ignore-matching-lines: minimal patience histogram diff-algorithm: anchored: indent-heuristic no-indent-heuristic " +
    "find-renames? find-copies? find-copies-harder break-rewrites? no-renames rename-empty irreversible-delete " +
    "full-index binary abbrev? check exit-code quiet no-ext-diff no-textconv no-prefix src-prefix: dst-prefix: " +
    "line-prefix: pickaxe-regex pickaxe-all text function-context unified? inter-hunk-context: " +
    "diff-filter: submodule? ignore-submodules? relative? no-relative ws-error-highlight: find-object: " +
    "ita-invisible-in-index",
);
/** Which commits are shown, and how. */
const COMMITS = table(
  "#n:tgiEFPL:qcmr",
  "oneline graph no-graph all decorate? no-decorate decorate-refs: decorate-refs-exclude: follow merges no-merges " +
    "first-parent min-parents? max-parents? reverse abbrev-commit no-abbrev-commit no-abbrev date-order topo-order " +
    "author-date-order branches? tags? remotes? glob: exclude: source left-right left-only right-only cherry-mark " +
    "cherry-pick cherry boundary parents children cc combined-all-paths merge full-history dense sparse " +
    "simplify-merges simplify-by-decoration ancestry-path? walk-reflogs all-match invert-grep regexp-ignore-case " +
    "basic-regexp extended-regexp fixed-strings perl-regexp remove-empty log-size use-mailmap mailmap no-mailmap " +
    "clear-decorations relative-date notes? no-notes show-notes? no-walk? do-walk objects full-diff children " +
    "format? pretty? encoding: since: until: after: before: author: committer: grep: grep-reflog: max-count: skip: date:",
);
const SHOWN = joined(CHANGES, COMMITS);
const DIFF = joined(CHANGES, table("X?cqtrm0123", "cached staged merge-base base ours theirs cc"));

const hasNone = ({ operands }: ReadOptions): boolean => operands.length === 0;
const hasOne =
  (...wanted: string[]) =>
  ({ names }: ReadOptions): boolean =>
    names.some((name) => wanted.includes(name));
const either =
  (...checks: readonly ((read: ReadOptions) => boolean)[]) =>
  (read: ReadOptions): boolean =>
    checks.some((check) => check(read));

const LISTING =
  "contains: no-contains: merged: no-merged: points-at: sort: format: color? no-color column? no-column ignore-case";
/** Options that make `git branch` and `git tag` list, so operands are patterns. */
const LISTS = ["l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"];

export const GIT: readonly Subcommand[] = [
  sub(
    "status",
    table(
      "sbvu?zM?",
      "short branch porcelain? long verbose null ignored? untracked-files? show-stash ahead-behind no-ahead-behind " +
        "ignore-submodules? column? no-column no-renames find-renames?",
    ),
  ),
  sub("diff", DIFF, { readsOf: ({ operands }) => operands }),
  sub("log", SHOWN),
  sub("show", SHOWN),
  sub("whatchanged", SHOWN),
  sub(
    "shortlog",
    table(
      "nsecw?",
      "numbered summary email all no-merges merges group: format? since: until: after: before: author:",
    ),
  ),
  sub(
    "blame",
    table(
      "bcefhlnpstwM?C?L:",
      "porcelain line-porcelain show-email show-name show-number incremental root score-debug color-lines color-by-age " +
        "minimal since: date: abbrev? ignore-rev: progress no-progress",
    ),
  ),
  sub("branch", table("arvqli", `all remotes list verbose quiet show-current abbrev? no-abbrev ${LISTING}`), {
    isAllowed: either(hasNone, hasOne(...LISTS)),
  }),
  sub("tag", table("ln?i", `list ${LISTING}`), { isAllowed: either(hasNone, hasOne(...LISTS)) }),
  sub("remote get-url", table("", "push all")),
  sub("remote", table("v", "verbose"), { isAllowed: hasNone }),
  sub(
    "rev-parse",
    table(
      "q",
      "abbrev-ref? short? show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir verify quiet " +
        "is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository symbolic symbolic-full-name " +
        "show-superproject-working-tree show-object-format? all branches? tags? remotes? revs-only no-revs flags " +
        "no-flags path-format? since? until? after? before?",
    ),
  ),
  sub(
    "rev-list",
    table(
      "#n:",
      "all count no-merges merges oneline left-right first-parent reverse objects parents children boundary cherry-pick " +
        "cherry-mark date-order topo-order branches? tags? remotes? abbrev-commit abbrev? format? pretty? header " +
        "timestamp max-count: since: until: after: before: author: committer: grep: skip: not disk-usage?",
    ),
  ),
  sub(
    "ls-files",
    table(
      "cdmostuvzkfx:",
      "cached deleted modified others stage unmerged killed ignored exclude-standard full-name error-unmatch eol " +
        "directory no-empty-directory deduplicate debug recurse-submodules sparse exclude: abbrev? format:",
    ),
  ),
  sub(
    "ls-tree",
    table("drtlz", "name-only name-status object-only long full-name full-tree abbrev? format:"),
  ),
  sub("cat-file", table("pets", "allow-unknown-type")),
  sub(
    "describe",
    table(
      "",
      "all tags contains always long dirty? broken? exact-match first-parent debug abbrev? candidates: match: exclude:",
    ),
  ),
  sub("merge-base", table("a", "all octopus independent is-ancestor fork-point")),
  sub("name-rev", table("", "tags all name-only always no-undefined refs: exclude:")),
  sub("show-ref", table("dsqh", "head heads tags branches verify quiet dereference hash? abbrev?")),
  sub("check-ignore", table("qvn", "quiet verbose non-matching no-index")),
  sub("cherry", table("v", "verbose abbrev?")),
  sub(
    "for-each-ref",
    table(
      "s",
      "shell ignore-case count: sort: format: color? points-at: merged: no-merged: contains: no-contains:",
    ),
  ),
  sub("count-objects", table("vH", "verbose human-readable")),
  sub("reflog show", SHOWN),
  sub("reflog", SHOWN, { isAllowed: hasNone }),
  sub("stash list", SHOWN),
  sub("stash show", SHOWN),
  sub("worktree list", table("vz", "porcelain verbose")),
  sub("version", table("", "build-options")),
  // After the first operand, options are operands: `git config a.b c --list` sets a value.
  sub(
    "config",
    table(
      "+lz",
      "list get get-all get-regexp show-origin show-scope name-only null global local system includes no-includes bool " +
        "int type: default:",
    ),
    { isAllowed: hasOne("l", "list", "get", "get-all", "get-regexp") },
  ),
  sub(
    "grep",
    table(
      "#acEFGhHiIlLnopPqrvwWze:A:B:C:m:",
      "ignore-case word-regexp invert-match text extended-regexp basic-regexp fixed-strings perl-regexp line-number " +
        "column count files-with-matches files-without-match name-only only-matching heading break untracked cached " +
        "exclude-standard recursive full-name null quiet all-match and or not show-function function-context " +
        "max-count: max-depth: threads: context: after-context: before-context: color? no-color",
    ),
    // Outside a repository, it can search any file.
    { readsOf: ({ names, operands }) => (names.includes("e") ? operands : operands.slice(1)) },
  ),
];

export const NPM: readonly Subcommand[] = ["ls", "list", "ll", "la"].map((name) =>
  sub(name, table("agl", "all json long parseable global link omit: include: depth:")),
);

const VERSION = new Map<string, RegExp>([
  ...(
    "git npm npx pnpm yarn bun deno node tsc python python3 pip pip3 uv poetry ruby gem bundle perl php composer go " +
    "rustc cargo rustup gcc g++ cc clang clang++ make cmake ninja java javac mvn gradle docker kubectl helm terraform " +
    "bash zsh fish curl wget tar zip unzip jq rg sed awk gawk grep ls ssh rsync vim tmux sqlite3 psql mysql redis-cli " +
    "redis-server eslint prettier vitest jest biome ffmpeg swift dotnet elixir gh"
  )
    .split(" ")
    .map((name): [string, RegExp] => [name, /^--version$/]),
  ...["node", "npm", "pnpm", "yarn", "bun", "ruby", "php", "make", "gcc", "tsc"].map(
    (name): [string, RegExp] => [name, /^(?:--version|-v)$/],
  ),
  ...["python", "python3", "pip", "pip3", "rustc", "cargo", "ssh", "tmux"].map((name): [string, RegExp] => [
    name,
    /^(?:--version|-V)$/,
  ]),
  ["go", /^version$/],
  ["java", /^(?:--version|-version)$/],
]);

/** Whether the command only asks a well-known program for its version. */
export function onlyVersion(name: string, words: readonly ShellWord[]): boolean {
  const [word, ...others] = words;
  return word?.type === "static" && others.length === 0 && VERSION.get(name)?.test(word.value) === true;
}
