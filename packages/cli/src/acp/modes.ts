/** The modes of permission that a client may choose from. */

import { RequestError, type SessionMode, type SessionModeState } from "@agentclientprotocol/sdk";
import type { CodingAgent } from "@runahead/harness";

const MODES: readonly SessionMode[] = [
  { id: "default", name: "Default", description: "Asks before anything is changed or run." },
  { id: "acceptEdits", name: "Accept edits", description: "Changes files of the folder without asking." },
  { id: "plan", name: "Plan", description: "Changes nothing." },
  { id: "auto", name: "Auto", description: "A model decides what needs a question." },
];
/** Only where the program was started in one of these. */
const MORE: readonly SessionMode[] = [
  { id: "dontAsk", name: "Do not ask", description: "What would be asked about is not run." },
  { id: "bypassPermissions", name: "Bypass permissions", description: "Asks about almost nothing." },
];
/** Modes that grant something beyond the default. */
const GRANTING = new Set(["acceptEdits", "auto", "bypassPermissions"]);

export class Modes {
  readonly #made: Pick<CodingAgent, "gate" | "settings">;
  readonly #offered: readonly SessionMode[];
  #told: string;

  constructor(made: Pick<CodingAgent, "gate" | "settings">) {
    this.#made = made;
    this.#told = made.gate.mode;
    this.#offered = [...MODES, ...MORE.filter(({ id }) => id === this.#told)];
  }

  get state(): SessionModeState {
    return { currentModeId: this.#told, availableModes: [...this.#offered] };
  }

  /** Throws what the client is answered where it may not be chosen. */
  choose(mode: string): void {
    if (!this.#offered.some(({ id }) => id === mode)) {
      const names = this.#offered.map(({ id }) => id).join(", ");
      throw RequestError.invalidParams(undefined, `the mode is one of ${names}`);
    }
    if (this.#made.settings.isIncomplete && GRANTING.has(mode))
      throw RequestError.invalidParams(
        undefined,
        "a settings file could not be read, so nothing is allowed without asking",
      );
    this.#made.gate.setMode(mode);
  }

  /** The mode, where it is another than the client knows of. */
  news(): string | undefined {
    const { mode } = this.#made.gate;
    if (mode === this.#told) return undefined;
    this.#told = mode;
    return mode;
  }
}
