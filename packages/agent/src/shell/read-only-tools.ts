/** The subcommands of git, gh, docker and npm that only look, with the options that they may have. */

import { type OptionTable, type ReadOptions, table } from "./options.ts";

export interface Subcommand {
  readonly name: readonly string[];
  readonly options: OptionTable;
  /** Its operands may be files anywhere. */
  readonly readsFiles: boolean;
  isAllowed(read: ReadOptions): boolean;
}

interface More {
  readonly readsFiles?: boolean;
  readonly isAllowed?: (read: ReadOptions) => boolean;
}

function sub(name: string, options: OptionTable, more: More = {}): Subcommand {
  return {
    name: name.split(" "),
    options,
    readsFiles: more.readsFiles ?? false,
    isAllowed: more.isAllowed ?? (() => true),
  };
}

/** What `diff`, `log` and `show` share: how commits and changes are shown. */
const SHOWN_LONG =
  "stat shortstat numstat dirstat summary name-only name-status patch no-patch oneline graph all decorate no-decorate " +
  "cached staged color no-color word-diff ignore-all-space ignore-space-change ignore-blank-lines minimal patience " +
  "histogram find-renames find-copies no-renames follow merges no-merges first-parent reverse raw full-index binary " +
  "check exit-code quiet no-ext-diff no-textconv abbrev-commit no-abbrev-commit date-order topo-order author-date-order " +
  "branches tags remotes source left-right cherry-pick boundary parents children no-prefix pickaxe-regex " +
  "pickaxe-all text function-context compact-summary merge-base cc show-signature";
const SHOWN_VALUES =
  "format pretty since until after before author committer grep max-count skip abbrev date color word-diff stat " +
  "diff-filter unified diff-algorithm find-renames decorate submodule relative inter-hunk-context word-diff-regex";
const SHOWN = table("#pusqwbcmrtRzMCDgiEFPWn:S:G:U:L:", SHOWN_LONG, SHOWN_VALUES);

const hasNone = ({ operands }: ReadOptions): boolean => operands.length === 0;
const hasOne =
  (...wanted: string[]) =>
  ({ names }: ReadOptions): boolean =>
    names.some((name) => wanted.includes(name));
const either =
  (...checks: readonly ((read: ReadOptions) => boolean)[]) =>
  (read: ReadOptions): boolean =>
    checks.some((check) => check(read));

export const GIT: readonly Subcommand[] = [
  sub(
    "status",
    table(
      "sbvuz",
      "short branch porcelain long verbose ignored untracked-files show-stash ahead-behind no-renames",
      "porcelain untracked-files ignored",
    ),
  ),
  sub("diff", SHOWN, { readsFiles: true }),
  sub("log", SHOWN),
  sub("show", SHOWN),
  sub("shortlog", table("nsecw:", "numbered summary email all no-merges", "since until author")),
  sub(
    "blame",
    table(
      "bcefhlnpstwMCL:",
      "porcelain line-porcelain show-email show-name show-number incremental root",
      "since date abbrev",
    ),
  ),
  sub(
    "branch",
    table(
      "arvl",
      "all remotes list verbose show-current no-color color ignore-case",
      "contains no-contains merged no-merged sort format points-at color column",
    ),
    {
      isAllowed: either(
        hasNone,
        hasOne("l", "list", "contains", "no-contains", "merged", "no-merged", "points-at"),
      ),
    },
  ),
  sub(
    "tag",
    table(
      "ln",
      "list no-color ignore-case",
      "sort format contains no-contains merged no-merged points-at column",
    ),
    {
      isAllowed: either(hasNone, hasOne("l", "list")),
    },
  ),
  sub("remote get-url", table("", "push all")),
  sub("remote", table("v", "verbose"), { isAllowed: hasNone }),
  sub(
    "rev-parse",
    table(
      "q",
      "abbrev-ref show-toplevel show-prefix git-dir git-common-dir is-inside-work-tree is-bare-repository verify short symbolic-full-name absolute-git-dir show-cdup all branches tags remotes HEAD",
      "short abbrev-ref",
    ),
  ),
  sub(
    "rev-list",
    table(
      "#n:",
      "all count no-merges merges oneline left-right first-parent reverse objects parents",
      "max-count since until author grep skip",
    ),
  ),
  sub(
    "ls-files",
    table(
      "cdmostuvzkx:",
      "cached deleted modified others stage unmerged exclude-standard full-name error-unmatch eol directory",
      "exclude",
    ),
  ),
  sub("ls-tree", table("drtlz", "name-only name-status long full-name full-tree", "abbrev format")),
  sub("cat-file", table("petsZ")),
  sub(
    "describe",
    table(
      "",
      "all tags contains always long dirty exact-match first-parent debug",
      "abbrev candidates match exclude dirty",
    ),
  ),
  sub("merge-base", table("a", "all octopus independent is-ancestor fork-point")),
  sub("name-rev", table("", "tags all name-only always", "refs")),
  sub(
    "for-each-ref",
    table("", "ignore-case", "count sort format points-at merged no-merged contains no-contains"),
  ),
  sub("count-objects", table("vH", "verbose human-readable")),
  sub("reflog show", SHOWN),
  sub("reflog", SHOWN, { isAllowed: hasNone }),
  sub("stash list", SHOWN),
  sub("stash show", SHOWN),
  sub("worktree list", table("vz", "porcelain verbose")),
  sub(
    "config",
    table(
      "lz",
      "list get get-all get-regexp show-origin show-scope name-only null global local system",
      "type",
    ),
    {
      isAllowed: hasOne("l", "list", "get", "get-all", "get-regexp"),
    },
  ),
  sub(
    "grep",
    table(
      "#acEFGhHiIlLnopPqvwWze:A:B:C:m:",
      "ignore-case word-regexp invert-match extended-regexp fixed-strings perl-regexp line-number count files-with-matches name-only only-matching heading break untracked cached all-match and or not show-function",
      "max-depth threads context after-context before-context color",
    ),
  ),
];

const GH_LIST =
  "limit state author assignee label search json jq template repo base head app milestone branch workflow status";

export const GH: readonly Subcommand[] = [
  ...["pr", "issue", "run", "release", "repo", "workflow", "label"].map((what) =>
    sub(`${what} list`, table("aL:s:A:a:l:S:q:R:t:B:H:b:w:u:", "archived fork", GH_LIST)),
  ),
  ...["pr", "issue", "run", "release", "repo"].map((what) =>
    sub(
      `${what} view`,
      table(
        "cvq:R:t:j:b:",
        "comments verbose log log-failed exit-status",
        "json jq template repo job branch",
      ),
    ),
  ),
  sub("pr diff", table("R:", "name-only patch", "repo color")),
  sub("pr checks", table("R:q:T:", "required", "repo json jq")),
  sub("pr status", table("cR:", "conflict-status", "repo json jq")),
  sub("issue status", table("R:", "", "repo json jq")),
];

export const DOCKER: readonly Subcommand[] = [
  sub("ps", table("alnqsf:", "all latest no-trunc quiet size", "filter format last")),
  sub("images", table("aqf:", "all digests no-trunc quiet", "filter format")),
  sub("logs", table("ftn:", "details follow timestamps", "since until tail")),
  sub("inspect", table("sf:", "size", "format type")),
  sub("version", table("f:", "", "format")),
  sub("info", table("f:", "", "format")),
  sub("top", table()),
  sub("port", table()),
  sub("diff", table()),
];

export const NPM: readonly Subcommand[] = [
  sub("view", table("", "json")),
  sub("info", table("", "json")),
  sub("ls", table("agl", "all json long parseable global", "depth")),
  sub("list", table("agl", "all json long parseable global", "depth")),
  sub("outdated", table("agl", "all json long parseable global")),
];
