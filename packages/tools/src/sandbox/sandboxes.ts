/** The sandboxes of one profile: that of the workspace, and one for each worktree in which a sub-agent works. */

import { isWithin } from "@runahead/base";
import type { SandboxOptions, SandboxPlace } from "./sandbox-options.ts";
import { realPath } from "./sandbox-paths.ts";
import { Sandbox } from "./sandbox.ts";

interface Making {
  readonly options: SandboxOptions;
  readonly place: SandboxPlace;
}

export class Sandboxes {
  /** The sandbox of commands that run in the workspace. */
  readonly main: Sandbox;
  readonly #making: Making;
  readonly #worktrees: () => readonly string[];
  readonly #others = new Map<string, Sandbox>();

  /** @param worktrees Returns the real paths of the worktrees that exist now. */
  constructor(making: Making, worktrees: () => readonly string[]) {
    this.main = new Sandbox(making.options, making.place);
    this.#making = making;
    this.#worktrees = worktrees;
  }

  /** The sandbox of a command that runs in this folder. In a worktree, the worktree is the workspace. */
  at(cwd: string): Sandbox {
    const worktrees = this.#worktrees();
    for (const path of this.#others.keys()) if (!worktrees.includes(path)) this.#others.delete(path);
    if (worktrees.length === 0) return this.main;
    const folder = realPath(cwd);
    const root = worktrees.find((path) => isWithin(folder, path));
    if (root === undefined) return this.main;
    const { options, place } = this.#making;
    const known = this.#others.get(root) ?? new Sandbox(options, { ...place, root });
    this.#others.set(root, known);
    return known;
  }

  /** Closes the network proxies of running commands. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((sandbox) => sandbox.close()));
  }

  /** Cleans up in repositories when the program exits while commands run. */
  endNow(): void {
    for (const sandbox of this.#all) sandbox.endNow();
  }

  get #all(): readonly Sandbox[] {
    return [this.main, ...this.#others.values()];
  }
}
