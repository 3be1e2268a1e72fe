/** A git worktree for one sub-agent. */

import { Refused } from "./refused.ts";
import type { Session } from "../session/session.ts";

export interface Worktree {
  /** The root of the worktree. */
  readonly path: string;
  /** The folder in it that corresponds to the caller's. */
  readonly cwd: string;
  /** Removes it if it is unchanged. Resolves with text for the result. */
  finish(): Promise<string>;
}

export function addWorktree(id: string, _cwd: string, _session: Session | undefined): Promise<Worktree> {
  throw new Refused(`Not started: no worktree for ${id}.`);
}

export function reopenWorktree(path: string, _id: string): Promise<Worktree> {
  throw new Refused(`Not started: no worktree ${path}.`);
}
