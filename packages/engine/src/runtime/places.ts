/** Determines what calls touch, with resolved places. */

import { type Claim, WRITES_EVERYTHING } from "../core/access.ts";
import type { Access } from "../core/call.ts";
import { warn } from "./platform.ts";
import { messageOf } from "./serialise.ts";
import { shown } from "./shapes.ts";
import type { Input } from "./taken-call.ts";
import type { AnyTool, SharedContext } from "./tool.ts";
import { accessOf } from "./toolbox.ts";

/** Functions that were already reported. */
const reported = new WeakSet<object>();

export class Places {
  readonly #resolvePlace: (place: string) => string;

  constructor(resolvePlace: (place: string) => string) {
    this.#resolvePlace = resolvePlace;
  }

  /** Returns what a call touches with this input in this context. */
  accessOf(tool: AnyTool, input: Input, context: SharedContext): Access {
    return this.resolve(accessOf(tool, input, context));
  }

  /** Returns the same with its places resolved. */
  resolve<Claiming extends Pick<Access, "claims">>(access: Claiming): Claiming {
    try {
      if (access.claims.every(this.#isResolved)) return access;
      const claims = access.claims.map(({ mode, place }) => ({ mode, place: this.#resolve(place) }));
      return { ...access, claims };
    } catch (error) {
      this.#report(error);
      return { ...access, claims: WRITES_EVERYTHING };
    }
  }

  /** Its calls still run, one after the other, so nothing else would show the mistake. */
  #report(error: unknown): void {
    if (reported.has(this.#resolvePlace)) return;
    reported.add(this.#resolvePlace);
    warn(`resolvePlace failed, so the call counts as writing everything: ${messageOf(error)}`);
  }

  readonly #isResolved = ({ place }: Claim): boolean => this.#resolve(place) === place;

  #resolve(place: string): string {
    if (place === "*") return place;
    const resolved: unknown = this.#resolvePlace(place);
    if (typeof resolved === "string") return resolved;
    throw new TypeError(`it returned ${shown(resolved)} for ${place}. Return a place such as "fs:/a.ts"`);
  }
}
