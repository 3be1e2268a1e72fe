/** Leaves files that the agent is not allowed to read out of search results, and reports how many. */

import { resolve } from "node:path";

/** Returns whether a search can show a file, by its absolute path. */
export type MayShow = (path: string) => boolean;

export class ShownFiles {
  readonly #mayShow: MayShow | undefined;
  readonly #folder: string;
  readonly #known = new Map<string, boolean>();
  #hidden = 0;

  constructor(mayShow: MayShow | undefined, folder: string) {
    this.#mayShow = mayShow;
    this.#folder = folder;
  }

  /** `name` is relative to the searched folder. Each name is checked once. */
  has(name: string): boolean {
    if (this.#mayShow === undefined) return true;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const isShown = this.#mayShow(resolve(this.#folder, name));
    this.#known.set(name, isShown);
    if (!isShown) this.#hidden++;
    return isShown;
  }

  notes(): string[] {
    return this.#hidden === 0
      ? []
      : [
          `${this.#hidden === 1 ? "1 file is" : `${this.#hidden} files are`} left out because permission rules deny reading ${this.#hidden === 1 ? "it" : "them"}.`,
        ];
  }
}
