/** What a search must not show: files that may not be read. They are left out, and that is said. */

import { resolve } from "node:path";

/** By the file's absolute path. */
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

  /** Of a file by its name in the folder that is searched; asked once for each. */
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
    return this.#hidden === 0 ? [] : [`Files that may not be read are left out: ${this.#hidden}.`];
  }
}
