/** Determines what calls touch, with resolved places. */

import { type Claim, WRITES_EVERYTHING } from "../core/access.ts";
import type { Access } from "../core/call.ts";
import type { Input } from "./live-call.ts";
import type { AnyTool, SharedContext } from "./tool.ts";
import { accessOf } from "./toolbox.ts";

export class Places {
  readonly #resolvePlace: (place: string) => string;

  constructor(resolvePlace: (place: string) => string) {
    this.#resolvePlace = resolvePlace;
  }

  /** Returns what a call touches with this input in this context. */
  accessOf(tool: AnyTool, input: Input, context: SharedContext): Access {
    return this.resolve(accessOf(tool, input, context));
  }

  resolve(access: Access): Access {
    try {
      if (access.claims.every(this.#isResolved)) return access;
      const claims = access.claims.map(({ mode, place }) => ({ mode, place: this.#resolve(place) }));
      return { ...access, claims };
    } catch {
      return { ...access, claims: WRITES_EVERYTHING };
    }
  }

  readonly #isResolved = ({ place }: Claim): boolean => this.#resolve(place) === place;

  #resolve(place: string): string {
    return place === "*" ? place : this.#resolvePlace(place);
  }
}
