/** A tool with another `call`, and the context that its own `call` gets. */

import type { NestedPermissions } from "../runtime/ports.ts";
import type { AnyTool, CallContext, SharedContext } from "../runtime/tool.ts";

const METHODS = [
  "isReadOnly",
  "isConcurrencySafe",
  "access",
  "interruptBehavior",
  "timeoutMs",
  "onError",
  "describe",
  "check",
  "afterHooks",
  "reconcile",
  "stamp",
  "toResult",
] as const;

const VALUES = [
  "name",
  "description",
  "inputSchema",
  "jsonSchema",
  "aliases",
  "maxResultChars",
  "checkWaits",
  "delegates",
  "retry",
  "cache",
] as const;

/** A tool can be an instance of a class with private members, so its methods keep their `this`. */
export function withMembers(tool: AnyTool, own: Partial<AnyTool>): AnyTool {
  const made: Record<string, unknown> = { ...tool };
  for (const name of VALUES) if (tool[name] !== undefined) made[name] = tool[name];
  for (const name of METHODS) if (tool[name] !== undefined) made[name] = tool[name].bind(tool as never);
  return Object.assign(made, own) as unknown as AnyTool;
}

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
