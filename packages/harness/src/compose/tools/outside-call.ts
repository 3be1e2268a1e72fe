/** Calls of tools that the model did not make: by hooks, and to ask for permission. */

import { randomUUID } from "node:crypto";
import { aString, required } from "@runahead/base";
import type { AnyTool, CallContext, SharedContext } from "@runahead/engine";

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
    idempotencyKey: `${callId}/${randomUUID()}`,
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
      const text: unknown =
        typeof block === "object" && block !== null ? (block as { text?: unknown }).text : "";
      return typeof text === "string" ? text : "";
    })
    .join("");
}

/** Ends a background command, as the model can. */
export async function stopTask(tools: readonly AnyTool[], id: string, cwd: string): Promise<void> {
  required(aString)(id, "stopTask: the id");
  const kill = tools.find(({ name }) => name === "KillShell");
  if (kill === undefined) throw new Error("There are no background tasks.");
  await kill.call(
    { shell_id: id },
    contextFor({ callId: "stop_task", signal: new AbortController().signal, cwd }),
  );
}
