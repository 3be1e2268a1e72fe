/** Programs that mostly read, with arbitrary options, some of which write or run something. */

import type { Random } from "../../../engine/test/simulation/random.ts";
import { FILES } from "./words.ts";

const PROGRAMS = (
  "ls cat head tail wc stat du nl tac rev cut paste column comm cmp md5sum realpath readlink diff sort grep uniq find sed tr seq " +
  "basename dirname printf test echo pwd type command cd time"
).split(" ");
const SUBCOMMANDS = (
  "status diff log show shortlog blame branch tag remote rev-parse rev-list ls-files ls-tree cat-file describe merge-base name-rev " +
  "for-each-ref count-objects reflog stash worktree config grep"
).split(" ");
const WORDS = [
  "list",
  "show",
  "get-url",
  "get",
  "add",
  "delete",
  "expire",
  "drop",
  "prune",
  "edit",
  "HEAD",
  "master",
  "user.name",
  "x",
];
const LONG = (
  "output=stolen output out=stolen outp=stolen files0-from=list.txt in-place expression=p file=script.sed regexp=a exec=./run.sh ext-diff " +
  "textconv open-files-in-pager=./run.sh paginate color=always all list edit contains=HEAD delete force create-reflog show-current get " +
  "get-all add unset replace-all global local verbose quiet set-upstream-to=x format=%H format=%s sort=x compress-program=./run.sh " +
  "temporary-directory=/tmp help version stat cached no-index name-only follow merged=HEAD prune type=int reverse unique check recursive"
).split(" ");
const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const OPERANDS = [
  ...FILES,
  "stolen",
  "stolen2",
  "-",
  ".",
  "alpha",
  "p",
  "1",
  "%s",
  "-print",
  "-delete",
  "-fprint",
  "w stolen",
  "s/a/b/w stolen",
  "1e touch stolen",
];

export function flagged(random: Random): string {
  const isGit = random.chance(0.35);
  const head = isGit
    ? ["git", random.pick(SUBCOMMANDS), ...(random.chance(0.4) ? [random.pick(WORDS)] : [])]
    : [random.pick(PROGRAMS)];
  const flags = Array.from({ length: random.below(3) }, () => flag(random));
  const operands = Array.from({ length: random.below(3) }, () => quoted(random.pick(OPERANDS)));
  return [...head, ...flags, ...(random.chance(0.1) ? ["--"] : []), ...operands].join(" ");
}

function flag(random: Random): string {
  if (random.chance(0.3)) return `--${random.pick(LONG)}`;
  const letters = Array.from({ length: 1 + random.below(2) }, () => random.pick(LETTERS)).join("");
  return random.chance(0.2) ? `-${letters} stolen` : random.chance(0.1) ? `-${letters}stolen` : `-${letters}`;
}

function quoted(word: string): string {
  return /^[\w./%-]+$/.test(word) ? word : `'${word}'`;
}
