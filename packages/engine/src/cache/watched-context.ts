/** The context that a tool in the cache gets. */

import type { NestedPermissions } from "../runtime/ports.ts";
import type { CallContext, SharedContext } from "../runtime/tool.ts";

/** Passes a context on and notes whether the call changed the shared context, which an earlier result cannot repeat. */
export class WatchedContext implements CallContext {
  hasChanged = false;
  readonly #inner: CallContext;

  constructor(inner: CallContext) {
    this.#inner = inner;
  }

  get callId(): string {
    return this.#inner.callId;
  }

  get idempotencyKey(): string {
    return this.#inner.idempotencyKey;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get cwd(): string {
    return this.#inner.cwd;
  }

  get context(): SharedContext {
    return this.#inner.context;
  }

  get message(): unknown {
    return this.#inner.message;
  }

  get permissions(): NestedPermissions {
    return this.#inner.permissions;
  }

  get progress(): (data: unknown) => void {
    return this.#inner.progress;
  }

  get change(): CallContext["change"] {
    const { change } = this.#inner;
    return (modify) => {
      this.hasChanged = true;
      change(modify);
    };
  }
}
