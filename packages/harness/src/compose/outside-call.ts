/** Calls of tools that the model did not make: by hooks, and to ask for permission. */

import type { CallContext, SharedContext } from "@runahead/engine";

interface Outside {
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly cwd: string;
  readonly context?: SharedContext;
}

/** The tool makes no calls, and its progress is not shown. */
export function contextFor({ callId, signal, cwd, context = { cwd } }: Outside): CallContext {
  const deny = (): { behavior: "deny" } => ({ behavior: "deny" });
  return {
    callId,
    signal,
    cwd,
    context,
    message: undefined,
    permissions: { canUseTool: deny, ask: deny },
    progress: () => {},
    change: () => {},
  };
}

/** Returns the text of a result. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) => {
      const text: unknown = typeof block === "object" && block !== null ? (block as { text?: unknown }).text : "";
      return typeof text === "string" ? text : "";
    })
    .join("");
}
