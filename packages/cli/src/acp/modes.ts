/** The permission modes that a client can choose. */

import { RequestError, type SessionMode, type SessionModeState } from "@agentclientprotocol/sdk";
import type { CodingAgent } from "@runahead/harness";
import { MORE_MODES, OFFERED_MODES } from "../shared/offered-modes.ts";

/** Modes that grant something beyond the default. */
const GRANTING = new Set(["acceptEdits", "auto", "bypassPermissions"]);

export class Modes {
  readonly #made: Pick<CodingAgent, "gate" | "settings">;
  readonly #offered: readonly SessionMode[];
  #known: string;

  constructor(made: Pick<CodingAgent, "gate" | "settings">) {
    this.#made = made;
    this.#known = made.gate.mode;
    this.#offered = [...OFFERED_MODES, ...MORE_MODES.filter(({ id }) => id === this.#known)];
  }

  get state(): SessionModeState {
    return { currentModeId: this.#known, availableModes: [...this.#offered] };
  }

  /** Throws a `RequestError` if the mode cannot be chosen. */
  choose(mode: string): void {
    if (!this.#offered.some(({ id }) => id === mode)) {
      const names = this.#offered.map(({ id }) => id).join(", ");
      throw RequestError.invalidParams(
        undefined,
        `unknown mode ${JSON.stringify(mode)}. Available: ${names}`,
      );
    }
    if (this.#made.settings.isIncomplete && GRANTING.has(mode))
      throw RequestError.invalidParams(
        undefined,
        "a settings file cannot be read, so only modes that ask are available. Fix the file and start again.",
      );
    this.#made.gate.setMode(mode);
  }

  /** Returns the mode if it changed since the client last heard of it. */
  news(): string | undefined {
    const { mode } = this.#made.gate;
    if (mode === this.#known) return undefined;
    this.#known = mode;
    return mode;
  }
}
