/**
 * The git commands and options that a wildcard rule such as `Bash(git:*)` covers. Everything else needs a rule that
 * names it: it could run another program, write an arbitrary file, or change what git runs later.
 */

import { joined, type OptionTable, type ReadOptions, table } from "./options.ts";
import { CHANGES, GIT } from "./read-only-tools.ts";
import type { ShellWord } from "./script.ts";

export interface Covered {
  /** Undefined: every option is covered. */
  readonly options: OptionTable | undefined;
  /** None of its options is dangerous, so words that are unknown until it runs are covered too. */
  readonly isOpen: boolean;
  /** The files and folders that it writes because it is given their names. */
  writesOf(read: ReadOptions): readonly ShellWord[];
  isAllowed(read: ReadOptions): boolean;
}

type More = Partial<Covered>;

/** Git accepts `--no-x` for every `--x`, and `--x` for an option named `--no-x`. */
function negatable(short: string, long: string): OptionTable {
  const named = table(short, long);
  const names = [...named.kinds.keys()].filter((name) => name.length > 1);
  const negated = names.map((name) => (name.startsWith("no-") ? name.slice(3) : `no-${name}`));
  return joined(table(short, negated.join(" ")), named);
}

const covered = (options: OptionTable, more: More = {}): Covered => ({
  options,
  isOpen: false,
  writesOf: () => [],
  isAllowed: () => true,
  ...more,
});
const command = (short: string, long: string, more?: More): Covered => covered(negatable(short, long), more);
const open = (short: string, long: string, more?: More): Covered =>
  command(short, long, { ...more, isOpen: true });

/** Merge strategies that come with git: any other name is a program. */
const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;
const knownStrategy = ({ given }: ReadOptions): boolean =>
  given.every(
    ({ name, value }) =>
      !/^(?:s|strategy)$/.test(name) ||
      value === undefined ||
      (value.type === "static" && STRATEGIES.test(value.value)),
  );
const valuesOf =
  (...names: string[]) =>
  ({ given }: ReadOptions): ShellWord[] =>
    given.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
const allOperands = ({ operands }: ReadOptions): readonly ShellWord[] => operands;
const firstOperand = ({ operands }: ReadOptions): readonly ShellWord[] => operands.slice(0, 1);

const PATHSPEC = "pathspec-from-file: pathspec-file-nul";
const MERGING = "strategy: strategy-option: gpg-sign? cleanup: edit signoff rerere-autoupdate";
const FETCHING =
  "verbose quiet all append force tags prune dry-run keep depth: shallow-since: shallow-exclude: deepen: unshallow " +
  "update-shallow refmap: server-option: ipv4 ipv6 negotiation-tip: show-forced-updates set-upstream progress " +
  "recurse-submodules?";
const PICKING = `quit continue abort skip no-commit mainline: ${MERGING}`;

/** `git clone https://host/name.git` creates the folder `name`. */
function cloned({ operands }: ReadOptions): readonly ShellWord[] {
  const [url, folder] = operands;
  if (folder !== undefined || url === undefined) return folder === undefined ? [] : [folder];
  const name = url.value.replace(/\/+$/, "").replace(/\/?\.git$/, "");
  return [{ ...url, value: name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf(":")) + 1) }];
}

/** The target, and the names of the sources in it. */
function moved({ operands }: ReadOptions): readonly ShellWord[] {
  const target = operands.at(-1);
  if (target === undefined) return [];
  const inside = operands.slice(0, -1).map(({ value }) => {
    const name = value.replace(/\/+$/, "");
    return { ...target, value: `${target.value}/${name.slice(name.lastIndexOf("/") + 1)}` };
  });
  return [...operands, ...inside];
}

const hasAny =
  (...names: string[]) =>
  (read: ReadOptions): boolean =>
    read.names.some((name) => names.includes(name));

const DIFF_MORE = table("", "no-index show-signature textconv");
/** They only read, so only their options matter here. */
const READING = GIT.filter(({ name }) => name[0] !== "config").map(({ name, options }): [string, Covered] => [
  name.join(" "),
  covered(/^(?:diff|log|show|whatchanged)$/.test(name.join(" ")) ? joined(options, DIFF_MORE) : options),
]);

const BISECT = ["start", "good", "bad", "new", "old", "skip", "reset", "log", "terms", "next"];

export const COVERED: ReadonlyMap<string, Covered> = new Map<string, Covered>([
  ...READING,
  [
    "add",
    open(
      "nvipefuNA",
      "dry-run verbose interactive patch edit force update renormalize intent-to-add all ignore-removal refresh " +
        `ignore-errors ignore-missing sparse chmod: ${PATHSPEC}`,
    ),
  ],
  [
    "commit",
    open(
      "qvF:m:c:C:st:eS?aiponzu?",
      "quiet verbose file: author: date: message: reedit-message: reuse-message: fixup: squash: reset-author trailer: " +
        "signoff template: edit cleanup: status gpg-sign? all include interactive patch only no-verify dry-run short " +
        "branch ahead-behind porcelain long null amend no-post-rewrite untracked-files? allow-empty " +
        `allow-empty-message ${PATHSPEC}`,
    ),
  ],
  [
    "push",
    command(
      "vqdnfuo:46",
      "verbose quiet repo: all mirror delete tags dry-run porcelain force force-with-lease? force-if-includes " +
        "recurse-submodules: thin set-upstream progress prune no-verify follow-tags signed? atomic push-option: ipv4 " +
        "ipv6",
    ),
  ],
  [
    "pull",
    command(
      "vqr?ns:X:S?aftpko:46",
      `rebase? stat log? squash commit ff ff-only verify verify-signatures autostash ${FETCHING} ${MERGING} ` +
        "allow-unrelated-histories",
      { isAllowed: knownStrategy },
    ),
  ],
  [
    "fetch",
    command(
      "vqafmtnj:pPkuo:46",
      `atomic multiple jobs: prefetch prune-tags write-fetch-head update-head-ok refetch filter: auto-maintenance ` +
        `auto-gc write-commit-graph ${FETCHING}`,
    ),
  ],
  [
    "checkout",
    open(
      "b:B:lqmdt?f23p",
      "guess overlay quiet recurse-submodules? progress merge conflict: detach track? force orphan: overwrite-ignore " +
        `ignore-other-worktrees ours theirs patch ignore-skip-worktree-bits ${PATHSPEC}`,
      { writesOf: allOperands },
    ),
  ],
  [
    "switch",
    open(
      "c:C:qmdt?f",
      "create: force-create: guess discard-changes quiet recurse-submodules? progress merge conflict: detach track? " +
        "force orphan: overwrite-ignore ignore-other-worktrees",
    ),
  ],
  [
    "restore",
    open(
      "s:SWqm23p",
      "source: staged worktree ignore-unmerged overlay quiet recurse-submodules? progress merge conflict: ours theirs " +
        `patch ignore-skip-worktree-bits ${PATHSPEC}`,
      { writesOf: allOperands },
    ),
  ],
  [
    "branch",
    open(
      "vqt?u:radDmMcClfi",
      "verbose quiet track? set-upstream-to: unset-upstream color? remotes contains: no-contains: abbrev? all delete " +
        "move copy list show-current create-reflog force merged: no-merged: column? sort: points-at: ignore-case " +
        "recurse-submodules format:",
    ),
  ],
  [
    "merge",
    command(
      "nes:X:m:F:vqS?",
      "stat summary log? squash commit ff ff-only verify-signatures message: file: into-name: verbose quiet abort quit " +
        `continue allow-unrelated-histories progress autostash overwrite-ignore no-verify ${MERGING}`,
      { isAllowed: knownStrategy },
    ),
  ],
  [
    "rebase",
    command(
      "qvnC:fmiS?r?s:X:",
      "onto: keep-base no-verify quiet verbose no-stat signoff committer-date-is-author-date reset-author-date " +
        "ignore-whitespace whitespace: force-rebase no-ff continue skip abort quit edit-todo show-current-patch apply " +
        "merge interactive rerere-autoupdate empty: autosquash update-refs gpg-sign? autostash rebase-merges? " +
        "fork-point strategy: strategy-option: root reapply-cherry-picks",
      { isAllowed: knownStrategy },
    ),
  ],
  [
    "stash push",
    open("kSpquam:", `keep-index staged patch quiet include-untracked all message: ${PATHSPEC}`),
  ],
  ["stash save", open("kSpqua", "keep-index staged patch quiet include-untracked all")],
  ["stash pop", open("q", "quiet index")],
  ["stash apply", open("q", "quiet index")],
  ["stash drop", open("q", "quiet")],
  ["stash clear", open("", "")],
  ["stash branch", open("", "")],
  ["stash", open("kSpquam:", `keep-index staged patch quiet include-untracked all message: ${PATHSPEC}`)],
  [
    "tag",
    open(
      "ln?dvam:F:esu:fi",
      "list delete verify annotate message: file: edit sign cleanup: local-user: force create-reflog column? contains: " +
        "no-contains: merged: no-merged: sort: points-at: format: color? ignore-case",
    ),
  ],
  [
    "reset",
    open(
      "qpN",
      `quiet no-refresh mixed soft hard merge keep recurse-submodules? patch intent-to-add ${PATHSPEC}`,
    ),
  ],
  ["rm", open("nqfr", `dry-run quiet cached force ignore-unmatch sparse ${PATHSPEC}`)],
  ["mv", command("vnfk", "verbose dry-run force sparse", { writesOf: moved })],
  [
    "cherry-pick",
    command("nesm:X:S?x", `ff allow-empty allow-empty-message keep-redundant-commits ${PICKING}`, {
      isAllowed: knownStrategy,
    }),
  ],
  ["revert", command("nesm:X:S?", `reference ${PICKING}`, { isAllowed: knownStrategy })],
  ["clean", open("qnfide:xX", "quiet dry-run force interactive exclude:")],
  [
    "clone",
    command(
      "vqnlsj:o:b:46",
      "verbose quiet progress reject-shallow no-checkout bare mirror local no-hardlinks shared recurse-submodules? " +
        "recursive? jobs: dissociate origin: branch: depth: shallow-since: shallow-exclude: single-branch no-tags " +
        "shallow-submodules ipv4 ipv6 filter: also-filter-submodules remote-submodules sparse",
      { writesOf: cloned },
    ),
  ],
  [
    "init",
    command("qb:", "bare quiet initial-branch: object-format:", {
      writesOf: allOperands,
      // A bare repository keeps its settings in the folder itself.
      isAllowed: ({ names, operands }) =>
        !names.includes("bare") || operands.some(({ value }) => !/^[./]*$/.test(value)),
    }),
  ],
  [
    "worktree add",
    command("fb:B:dq", "force detach checkout lock reason: quiet track guess-remote", {
      writesOf: firstOperand,
    }),
  ],
  ["worktree move", command("f", "force", { writesOf: allOperands })],
  ["worktree remove", open("f", "force")],
  ["worktree prune", open("nv", "dry-run verbose expire:")],
  ["notes add", open("m:F:c:C:f", "message: file: reedit-message: reuse-message: allow-empty force")],
  ["notes append", open("m:F:c:C:", "message: file: reedit-message: reuse-message: allow-empty")],
  ["notes show", open("", "")],
  ["notes list", open("", "")],
  ["notes remove", open("", "ignore-missing stdin")],
  ["remote add", open("ft:m:", "fetch tags track: master: mirror?")],
  ["remote set-url", open("", "push add delete")],
  ["remote remove", open("", "")],
  ["remote rm", open("", "")],
  ["remote rename", open("", "progress")],
  ["remote prune", open("n", "dry-run")],
  ["remote show", open("n", "")],
  ["remote update", open("p", "prune")],
  ["remote set-head", open("ad", "auto delete")],
  ["remote set-branches", open("", "add")],
  ["ls-remote", command("qtho:", "quiet tags heads refs get-url sort: exit-code symref server-option:")],
  [
    "format-patch",
    covered(
      joined(
        CHANGES,
        negatable(
          "nNsv:o:kpq#",
          "numbered no-numbered signoff stdout cover-letter numbered-files start-number: reroll-count: " +
            "filename-max-length: rfc subject-prefix: output-directory: keep-subject no-binary zero-commit " +
            "ignore-if-in-upstream no-stat to: cc: from? in-reply-to: thread? base: quiet progress",
        ),
      ),
      { writesOf: valuesOf("o", "output-directory") },
    ),
  ],
  [
    "archive",
    command("o:vl0123456789", "format: prefix: output: worktree-attributes verbose list", {
      writesOf: valuesOf("o", "output"),
      isAllowed: ({ given }) =>
        given.every(
          ({ name, value }) => name !== "format" || /^(?:tar|zip|tgz|tar\.gz)$/.test(value?.value ?? ""),
        ),
    }),
  ],
  [
    "bundle create",
    command("q", "quiet progress all-progress version: all branches? tags? since: until:", {
      writesOf: firstOperand,
    }),
  ],
  ["bundle verify", open("q", "quiet")],
  ["bundle list-heads", open("", "")],
  [
    "show-branch",
    open(
      "arg?",
      "all remotes color? more? list no-name current sha1-name merge-base independent topo-order topics sparse " +
        "date-order reflog?",
    ),
  ],
  [
    "range-diff",
    covered(joined(CHANGES, negatable("", "creation-factor: no-dual-color notes? left-only right-only"))),
  ],
  ["diff-tree", covered(joined(CHANGES, table("rtmcv", "root stdin no-commit-id cc merge-base")))],
  ["diff-index", covered(joined(CHANGES, table("mr", "cached merge-base")))],
  ["diff-files", covered(joined(CHANGES, table("qcr0123", "cc base ours theirs")))],
  ["verify-commit", open("v", "verbose raw")],
  ["verify-tag", open("v", "verbose raw format:")],
  // The files that a patch writes are not visible: one could be protected.
  [
    "apply",
    command("p:zRvq3", "stat numstat summary check index cached reverse verbose quiet directory: 3way", {
      isAllowed: hasAny("stat", "numstat", "summary", "check"),
    }),
  ],
  [
    "am",
    command("", "continue resolved skip abort quit", {
      isAllowed: hasAny("continue", "resolved", "skip", "abort", "quit"),
    }),
  ],
  ["submodule status", open("", "cached recursive quiet")],
  ["submodule summary", open("", "cached files")],
  ["sparse-checkout list", open("", "")],
  ["sparse-checkout set", open("", "cone sparse-index skip-checks stdin")],
  ["sparse-checkout add", open("", "skip-checks stdin")],
  ["sparse-checkout disable", open("", "")],
  ["check-attr", open("az", "all cached stdin")],
  [
    "fsck",
    open("v", "verbose unreachable dangling tags root cache reflogs full connectivity-only strict progress"),
  ],
  ["gc", open("q", "quiet prune? cruft aggressive auto force keep-largest-pack")],
  ["prune", open("nv", "dry-run verbose progress expire:")],
  ["repack", command("aAdfFnqlbi", "quiet local write-bitmap-index window: depth: threads: max-pack-size:")],
  ["pack-refs", open("", "all prune")],
  ["reflog expire", open("n", "dry-run rewrite updateref verbose expire: expire-unreachable: stale-fix all")],
  ["reflog delete", open("n", "dry-run rewrite updateref verbose")],
  ...BISECT.map((name): [string, Covered] => [
    `bisect ${name}`,
    { options: undefined, isOpen: true, writesOf: () => [], isAllowed: () => true },
  ]),
]);
