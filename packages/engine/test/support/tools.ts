/** Tools and readers that tests of the engine share. */

import { z } from "zod";
import type { ExecutorOptions } from "../../src/runtime/options.ts";
import type { Update } from "../../src/runtime/outbox.ts";
import { type AnyTool, type CallContext, type Tool, defineTool } from "../../src/runtime/tool.ts";
import { StreamingToolExecutor } from "../../src/runtime/engine.ts";

const schema = z.object({ path: z.string() });
type PathTool = Tool<typeof schema, unknown>;

export type ResultUpdate = Extract<Update, { type: "result" }>;

/** A call of a controlled tool, which runs until the test says otherwise. */
export interface OpenCall {
  readonly path: string;
  readonly context: CallContext;
  resolve(output?: unknown): void;
  reject(error: unknown): void;
}

/** A tool whose calls the test ends: `open` has those that run, in the order in which they were started. */
export function controlled(
  name: string,
  members: Partial<PathTool> = {},
): { tool: AnyTool; open: OpenCall[] } {
  const open: OpenCall[] = [];
  const tool = defineTool({
    name,
    description: name,
    inputSchema: schema,
    call: ({ path }, context) =>
      new Promise((resolve, reject) => {
        const call: OpenCall = {
          path,
          context,
          resolve: (output = `${name} ${path}`) => end(() => resolve(output)),
          reject: (error) => end(() => reject(error)),
        };
        const end = (act: () => void): void => {
          const at = open.indexOf(call);
          if (at >= 0) open.splice(at, 1);
          act();
        };
        open.push(call);
      }),
    ...members,
  });
  return { tool, open };
}

/** Rejects when it is asked to stop, as a well-behaved tool does. */
export function stopsWhenTold(): Partial<PathTool> {
  return {
    call: (_input, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  };
}

const reads = (path: string) => ({ mode: "read", place: `fs:/${path}` }) as const;
const writes = (path: string) => ({ mode: "write", place: `fs:/${path}` }) as const;

/** Read-only, with declared access. */
export const reader: Partial<PathTool> = { isReadOnly: () => true, access: ({ path }) => [reads(path)] };
export const writer: Partial<PathTool> = { access: ({ path }) => [writes(path)] };

/** A tool that does its work at once or after some turns of the loop. */
export function simple(name: string, call: PathTool["call"], members: Partial<PathTool> = {}): AnyTool {
  return defineTool({ name, description: name, inputSchema: schema, call, ...members });
}

/** Lets everything that is due happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function newExecutor(
  tools: readonly AnyTool[],
  options: Partial<ExecutorOptions> = {},
): StreamingToolExecutor {
  return new StreamingToolExecutor({ tools, resolvePlace: (place) => place, ...options });
}

/** Reads to the end. */
export async function resultsOf(executor: StreamingToolExecutor): Promise<ResultUpdate[]> {
  const results: ResultUpdate[] = [];
  for await (const update of executor.remaining()) if (update.type === "result") results.push(update);
  return results;
}

/** What the model reads of each call, by id. */
export async function textsOf(executor: StreamingToolExecutor): Promise<Record<string, unknown>> {
  const results = await resultsOf(executor);
  return Object.fromEntries(results.map(({ callId, result }) => [callId, result.content]));
}

export const paths = (calls: readonly OpenCall[]): string[] => calls.map(({ path }) => path);

/** Adds a call of the tool `T` for each path, with the ids 1, 2, 3. */
export function addCalls(executor: StreamingToolExecutor, ...names: string[]): void {
  for (const [at, path] of names.entries()) executor.add({ id: `${at + 1}`, name: "T", input: { path } });
}

export async function outcomesOf(executor: StreamingToolExecutor): Promise<string[]> {
  return (await resultsOf(executor)).map(({ outcome }) => outcome.type);
}
