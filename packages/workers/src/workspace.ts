/** A caller's view of a workspace: which worker holds it, and whether that worker was lost. */

import { type Check, aString, checkOptions, oneOf, required } from "@runahead/base";
import { checkName } from "./names.ts";

/** Identifies a workspace: files and jobs on one worker. */
export interface WorkspaceOptions {
  /** Its name: 1 to 64 letters, digits, "-" or "_". */
  readonly name: string;
  /**
   * What happens when the worker that held it is gone. `tell`: the next call fails and says so, because changes of
   * earlier calls may be lost; the call after it runs on another worker. `move`: calls continue on another worker at
   * once, for files that all workers share. Default: `tell`.
   */
  readonly whenLost?: "tell" | "move";
}

const OPTIONS: Readonly<Record<keyof WorkspaceOptions, Check>> = {
  name: required(aString),
  whenLost: oneOf("tell", "move"),
};

export class Workspace {
  readonly name: string;
  readonly #whenLost: "tell" | "move";
  #holder: string | undefined;

  constructor(given: string | WorkspaceOptions) {
    if (typeof given !== "string") checkOptions(given, OPTIONS, "remote: workspace");
    const { name, whenLost = "tell" } = typeof given === "string" ? { name: given } : given;
    this.name = checkName(name, "The name of a workspace");
    this.#whenLost = whenLost;
  }

  /** The worker that last answered a call on it. */
  get holder(): string | undefined {
    return this.#holder;
  }

  heldBy(worker: string): void {
    this.#holder = worker;
  }

  /** Returns whether the next call must fail because of the loss: once per lost worker. */
  lost(worker: string): boolean {
    const wasKnown = this.#holder === worker;
    if (wasKnown) this.#holder = undefined;
    return wasKnown && this.#whenLost === "tell";
  }
}
