/** Reports permission rules that have no effect or another effect than they seem to have, each once. */

import type { PermissionGate } from "@runahead/agent";

export class RuleWarnings {
  readonly #onNotice: (message: string) => void;
  readonly #shown = new Set<string>();

  constructor(onNotice: (message: string) => void) {
    this.#onNotice = onNotice;
  }

  /** Call at the start and when the rules changed. */
  show({ permissions }: Pick<PermissionGate, "permissions">): void {
    for (const warning of permissions.warnings) {
      if (this.#shown.has(warning)) continue;
      this.#shown.add(warning);
      this.#onNotice(warning);
    }
  }
}
