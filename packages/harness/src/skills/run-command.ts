/** Runs a command of a skill or custom command with the permissions, hooks and sandbox of the Bash tool. */

import { type AnyTool, type CanUseTool, StreamingToolExecutor } from "@runahead/engine";
import type { HookRunner, PermissionGate } from "@runahead/agent";
import { shapeOf, stringOf } from "@runahead/base";
import { noteClearance } from "@runahead/permissions/internal";
import { randomUUID } from "node:crypto";

interface Around {
  readonly tool: AnyTool;
  readonly gate: PermissionGate;
  readonly hooks: HookRunner | undefined;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Returns the output, or why the command did not run. Never throws. */
export async function runCommand(
  input: { readonly command: string; readonly description: string },
  { tool, gate, hooks, cwd, signal }: Around,
): Promise<string> {
  const executor = new StreamingToolExecutor({
    tools: [tool],
    context: { cwd },
    canUseTool: judgeWith(gate),
    ask: gate.ask,
    ...(hooks === undefined ? {} : { hooks: hooks.engineHooks() }),
  });
  const stop = (): void => executor.interrupt("stop");
  signal.addEventListener("abort", stop);
  try {
    executor.add({ id: `skill_${randomUUID()}`, name: tool.name, input });
    executor.end();
    for await (const update of executor.remaining())
      if (update.type === "result") return textOf(update.result.content);
    return "";
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function judgeWith(gate: PermissionGate): CanUseTool {
  return ({ name }, input, { callId, hookDecision, context }) => {
    const decide = () => gate.decide(name, input, { cwd: context.cwd, hookDecision });
    const verdict = decide();
    noteClearance(input, verdict, decide);
    if (verdict.behavior === "ask" || hookDecision === "ask") gate.asks(callId, name, input);
    return verdict;
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => stringOf(shapeOf(block)["text"])).join("\n");
}
