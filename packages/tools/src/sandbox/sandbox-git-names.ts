/**
 * The names that git writes in `.git`. A sandboxed command can change only these: every other name is either something
 * that git only reads, such as `config` and `hooks`, or unknown.
 */

const FOLDERS = [
  "objects",
  "refs",
  "reftable",
  "logs",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
  "rr-cache",
  // Large files: the filters that `git add` and `git checkout` run store them here.
  "lfs",
  "fsmonitor--daemon",
];

const FILES = [
  "HEAD",
  // ORIG_HEAD, FETCH_HEAD, CHERRY_PICK_HEAD, REVERT_HEAD, REBASE_HEAD, MERGE_HEAD.
  "[A-Z_]+_HEAD",
  "MERGE_[A-Z]+",
  "BISECT_[A-Z_]+",
  "NOTES_[A-Z_]+",
  "[A-Z]+_EDITMSG",
  "SQUASH_MSG",
  "AUTO_MERGE",
  "EDIT_DESCRIPTION",
  "RENAMED-REF",
  "ADD_EDIT\\.patch",
  "addp-hunk-edit\\.diff",
  "index",
  "index\\.stash\\.\\d+",
  "next-index-\\d+",
  "sharedindex[._]\\w+",
  "packed-refs",
  "shallow(?:_\\w+)?",
  "gc\\.(?:pid|log)",
  "gitk\\.cache",
  "fsmonitor--daemon\\.ipc",
];

const WRITTEN = new RegExp(`^(?:${[...FOLDERS, ...FILES].join("|")})(?:\\.lock|\\.new)?$`);

/** Whether git itself creates, replaces and deletes this entry of `.git`. */
export function isWrittenByGit(name: string): boolean {
  return WRITTEN.test(name);
}

/** Folders without which git does not recognise `.git` as a repository. */
export const NEEDED_FOLDERS: readonly string[] = ["objects", "refs"];

/** Files in `objects` that make git load objects from other folders and hosts. */
export const ALTERNATES: readonly string[] = ["objects/info/alternates", "objects/info/http-alternates"];
