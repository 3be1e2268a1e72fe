/** The permission modes that a client can choose. */

import { RequestError, type SessionMode, type SessionModeState } from "@agentclientprotocol/sdk";
import type { CodingAgent } from "@runahead/harness";
import { MORE_MODES, OFFERED_MODES } from "../shared/offered-modes.ts";

export class Modes {
  readonly #made: Pick<CodingAgent, "gate">;
  readonly #offered: readonly SessionMode[];
  #known: string;

  constructor(made: Pick<CodingAgent, "gate">) {
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
    const why = this.#made.gate.modeObjection(mode);
    if (why !== undefined) throw RequestError.invalidParams(undefined, `cannot switch to ${mode}: ${why}`);
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
