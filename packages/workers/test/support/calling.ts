/** Calls remote tools the way the engine does. */

import { type AnyTool, type CallContext, StreamingToolExecutor, type Update } from "@runahead/engine";

export interface Called {
  readonly output: unknown;
  readonly error: Error | undefined;
  readonly progress: readonly unknown[];
  readonly cwd: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  readonly onProgress?: (data: unknown) => void;
}

let count = 0;

/** Calls a tool directly. */
export async function callTool(
  tools: readonly AnyTool[],
  [name, input]: readonly [string, Record<string, unknown>],
  { signal = new AbortController().signal, cwd = "/", onProgress }: CallOptions = {},
): Promise<Called> {
  const tool = tools.find((one) => one.name === name) as AnyTool;
  const progress: unknown[] = [];
  const shared = { cwd };
  const context = {
    ...{ callId: `call_${++count}`, signal, cwd, context: shared, message: undefined },
    progress: (data: unknown) => {
      progress.push(data);
      onProgress?.(data);
    },
    change: (modify: (before: { cwd: string }) => { cwd: string }) => Object.assign(shared, modify(shared)),
  } as unknown as CallContext;
  try {
    const output = await tool.call(input, context);
    return { output, error: undefined, progress, cwd: shared.cwd };
  } catch (error) {
    return { output: undefined, error: error as Error, progress, cwd: shared.cwd };
  }
}

/** The status reports of a call. */
export const statuses = ({ progress }: Called): unknown[] =>
  progress.flatMap((data) => {
    const { type, message } = data as { type?: unknown; message?: unknown };
    return type === "status" ? [message] : [];
  });

/** Calls through the engine: one update for each progress and result. */
export async function runCalls(
  tools: readonly AnyTool[],
  calls: readonly (readonly [string, unknown])[],
): Promise<Update[]> {
  const executor = new StreamingToolExecutor({ tools });
  for (const [at, [name, input]] of calls.entries()) executor.add({ id: `id_${at}`, name, input });
  executor.end({ ok: true });
  const updates: Update[] = [];
  for await (const update of executor.remaining()) updates.push(update);
  return updates;
}
