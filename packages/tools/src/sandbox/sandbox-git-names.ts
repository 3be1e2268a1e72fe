/**
 * The names that git writes in a repository's own folder (`.git`). A sandboxed command can change these and nothing else
 * there: every other name is either something that git only reads, such as `config` and `hooks`, or unknown.
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

/** Folders without which git does not take `.git` for a repository. */
export const NEEDED_FOLDERS: readonly string[] = ["objects", "refs"];

/** Files in `objects` that send git to other folders and hosts for objects. */
export const ALTERNATES: readonly string[] = ["objects/info/alternates", "objects/info/http-alternates"];
