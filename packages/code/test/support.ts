/** Tools for scripts, and an executor that runs one script. */

import { type AnyTool, type ExecutorOptions, StreamingToolExecutor, defineTool } from "@runahead/engine";
import { z } from "zod";
import { type CodeToolOptions, codeTool } from "../src/index.ts";

export interface World {
  readonly tools: AnyTool[];
  /** What the tools did, in order. */
  readonly log: string[];
  /** How many lookups ran at a time at most. */
  most: number;
}

export function world(): World {
  const log: string[] = [];
  let running = 0;
  const made: World = { log, most: 0, tools: [] };
  made.tools.push(
    defineTool({
      name: "Price",
      description: "Looks up a price.",
      inputSchema: z.object({ sku: z.string() }),
      isReadOnly: () => true,
      access: ({ sku }) => [{ mode: "read", place: `shop:/${sku}` }],
      call: async ({ sku }) => {
        made.most = Math.max(made.most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        log.push(`read ${sku}`);
        return { sku, price: sku.length };
      },
    }),
    defineTool({
      name: "SetPrice",
      description: "Sets a price.",
      inputSchema: z.object({ sku: z.string() }),
      access: ({ sku }) => [{ mode: "write", place: `shop:/${sku}` }],
      describe: ({ sku }) => `Set ${sku}`,
      call: async ({ sku }) => {
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`write ${sku}`);
        return "set";
      },
    }),
    defineTool({
      name: "Fail",
      description: "Fails.",
      inputSchema: z.object({}),
      isReadOnly: () => true,
      access: () => [],
      call: () => {
        throw new Error("no such shop");
      },
    }),
    defineTool({
      name: "Wait",
      description: "Waits until it is stopped.",
      inputSchema: z.object({}),
      access: () => [{ mode: "write", place: "wait:/" }],
      call: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          log.push("waits");
          signal.addEventListener("abort", () => (log.push("stopped"), reject(signal.reason as Error)));
        }),
    }),
  );
  return made;
}

export interface Ran {
  readonly text: string;
  readonly isError: boolean;
}

/** Runs a script as the only call of a response. */
export async function run(
  script: string,
  tools: readonly AnyTool[],
  { options = {}, executor = {} }: { options?: CodeToolOptions; executor?: Partial<ExecutorOptions> } = {},
): Promise<Ran> {
  const turn = new StreamingToolExecutor({ tools: [codeTool(tools, options)], ...executor });
  turn.add({ id: "call-1", name: options.name ?? "Code", input: { script } });
  for await (const update of turn.remaining())
    if (update.type === "result")
      return { text: String(update.result.content), isError: update.result.is_error };
  throw new Error("no result");
}

/** What a script returned, without the note about its calls. */
export function valueIn({ text }: Ran): string {
  return text.replace(/\n\n\[\d+ calls? made(?:, \d+ without success)?\.\]$/, "");
}
