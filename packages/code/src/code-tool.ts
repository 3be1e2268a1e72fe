/** A tool that runs a script of the model in a sandbox. The script calls other tools. */

import { aPositiveNumber, aString, anObject, checkOptions, checkTools, makesCalls } from "@runahead/base";
import { type AnyTool, type CallContext, type JsonSchema, ToolError } from "@runahead/engine";
import { failureText, resultText } from "./report.ts";
import { runScript } from "./sandbox.ts";
import { type NestedSettings, ScriptCalls } from "./script-calls.ts";
import { toolTypes } from "./types.ts";

/** Options of {@link codeTool}. */
export interface CodeToolOptions {
  /** The name of the tool. Default: `Code`. */
  readonly name?: string;
  /** The time limit of a script with all its calls, in milliseconds. Default: 600,000. */
  readonly timeoutMs?: number;
  /** How long the script's own code can run, in milliseconds, without the time of its calls. Default: 10,000. */
  readonly cpuMs?: number;
  /** How much memory the script can use, in megabytes. Default: 64. */
  readonly memoryMb?: number;
  /** How many calls a script can make. Default: 1,000. */
  readonly maxCalls?: number;
  /**
   * Options for the executor of the scripts' calls, if the tool is not part of an agent: pass the `hooks`, `locks` and
   * `results` of your executor. Permissions are those of the call that runs the script. Agents set them by themselves.
   */
  readonly executor?: NestedSettings;
}

/** Output of the tool: what a script returned and printed. */
export interface CodeOutput {
  /** What the script returned, as plain data; undefined if it returned nothing. */
  readonly value: unknown;
  /** What it printed with `console.log`. */
  readonly printed: string;
  /** How many calls it made. */
  readonly calls: number;
  /** How many of them failed, were denied or were stopped, if any. */
  readonly failed?: number;
  /** The calls that were not run, because the question about them was deferred. */
  readonly deferred?: readonly {
    /** What the call would do, in a few words. */
    readonly call: string;
    /** The name of its tool. */
    readonly tool: string;
  }[];
}

const DEFAULTS = { name: "Code", timeoutMs: 600_000, cpuMs: 10_000, memoryMb: 64, maxCalls: 1_000 };
const MOST_PRINTED = 100_000;
const MOST_CHARS = 4_000_000;
const MOST_INPUT_CHARS = 16_000_000;
const MEGABYTE = 1024 * 1024;

const INPUT: JsonSchema = {
  type: "object",
  properties: {
    script: {
      type: "string",
      description: "The body of an async function in plain JavaScript. Use await and return.",
    },
  },
  required: ["script"],
  additionalProperties: false,
};

/**
 * Creates a tool that runs a script of the model. The script calls the given tools, filters and combines their results, and
 * returns only what matters: many calls take one turn, and what they return does not fill the context.
 *
 * A script runs in a JavaScript engine that is compiled to WebAssembly, in a thread of its own: no file system, no network,
 * no timers, with limits on time, memory and calls. Each of its calls is validated, judged by the permissions, seen by
 * hooks, ordered by its claims and can be cancelled, as every other call. Calls that do not conflict run in parallel.
 *
 * @throws TypeError if an option is unknown or of the wrong type.
 *
 * @example
 * ```ts
 * import { createAgent, scripted } from "@runahead/agent";
 * import { codeTool } from "@runahead/code";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * const price = defineTool({
 *   name: "Price",
 *   description: "Looks up a price.",
 *   inputSchema: z.object({ sku: z.string() }),
 *   isReadOnly: () => true,
 *   call: ({ sku }) => ({ sku, price: sku.length }),
 * });
 * const script = `
 *   const found = await Promise.all(["a", "bb", "ccc"].map((sku) => tools.Price({ sku })));
 *   return found.filter(({ price }) => price > 1).map(({ sku }) => sku);
 * `;
 * const model = scripted([
 *   [{ type: "tool_use", id: "call_1", name: "Code", input: { script } }],
 *   [{ type: "text", text: "Two of them cost more than 1." }],
 * ]);
 * const agent = createAgent({ model, tools: [codeTool([price])] });
 * console.log((await agent.send("Which cost more than 1?")).text);
 * ```
 */
export function codeTool(tools: readonly AnyTool[], options: CodeToolOptions = {}): AnyTool {
  checkTools(tools, "codeTool");
  checkOptions(
    options,
    {
      name: aString,
      timeoutMs: aPositiveNumber,
      cpuMs: aPositiveNumber,
      memoryMb: aPositiveNumber,
      maxCalls: aPositiveNumber,
      executor: anObject,
    },
    "codeTool",
  );
  const complete: Complete = { ...DEFAULTS, ...defined(options) };
  const { executor: settings = {} } = options;
  return makesCalls(made(tools, complete, settings), (given) =>
    made(tools, complete, merged(given as NestedSettings, settings)),
  );
}

/** The program's own settings win, and both listeners are called. */
function merged(given: NestedSettings, own: NestedSettings): NestedSettings {
  const listeners = [given.onEvent, own.onEvent].filter((one) => one !== undefined);
  if (listeners.length < 2) return { ...given, ...own };
  const onEvent: NestedSettings["onEvent"] = (event, parentId) => {
    for (const hear of listeners) hear(event, parentId);
  };
  return { ...given, ...own, onEvent };
}

type Complete = Required<Omit<CodeToolOptions, "executor">>;

function defined(options: CodeToolOptions): Partial<Complete> {
  const { executor: _executor, ...others } = options;
  return Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
}

function made(tools: readonly AnyTool[], options: Complete, settings: NestedSettings): AnyTool {
  return {
    name: options.name,
    description: descriptionOf(tools, options),
    inputSchema: SCHEMA,
    jsonSchema: INPUT,
    delegates: true,
    timeoutMs: () => options.timeoutMs,
    describe: (input) => `Run a script: ${firstLine(String(input["script"]))}`,
    call: (input, context) => run(input as unknown as ScriptInput, context, { tools, options, settings }),
    toResult: (output) => resultText(output as CodeOutput),
  };
}

function descriptionOf(tools: readonly AnyTool[], { maxCalls, cpuMs }: Complete): string {
  return `Runs a script that calls tools, and returns what the script returns. Use it for many calls, or to filter and combine results, instead of one call at a time. The script is the body of an async function in plain JavaScript: \`await\` the calls, run independent ones together with \`Promise.all\`, and \`return\` only what you need. A call that fails throws. It cannot use files, the network, timers or \`import\`. It can make ${maxCalls} calls and compute for ${cpuMs / 1000} s. \`console.log\` adds to the result.

\`\`\`ts
${toolTypes(tools)}
\`\`\``;
}

interface ScriptInput {
  readonly script: string;
}

/** A Standard Schema, so that no validator of JSON Schema is needed. */
const SCHEMA = {
  "~standard": {
    version: 1,
    vendor: "runahead",
    validate: (value: unknown) => {
      const { script } = (value ?? {}) as { script?: unknown };
      if (typeof script === "string") return { value: { script } };
      return { issues: [{ message: "script must be a string", path: ["script"] }] };
    },
  },
} as const;

function firstLine(script: string): string {
  const line = script.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.trim().slice(0, 100);
}

interface Means {
  readonly tools: readonly AnyTool[];
  readonly options: Complete;
  readonly settings: NestedSettings;
}

async function run(
  { script }: ScriptInput,
  context: CallContext,
  { tools, options, settings }: Means,
): Promise<CodeOutput> {
  const calls = new ScriptCalls(tools, context, { name: options.name, settings });
  const { cpuMs, memoryMb, maxCalls } = options;
  let printed = "";
  const end = await runScript({
    script,
    names: tools.map(({ name }) => name),
    limits: {
      cpuMs,
      memoryBytes: Math.floor(memoryMb * MEGABYTE),
      mostCalls: maxCalls,
      mostPrinted: MOST_PRINTED,
      mostChars: MOST_CHARS,
      mostInputChars: MOST_INPUT_CHARS,
    },
    signal: context.signal,
    call: (name, json) => calls.call(name, json),
    print: (text) => {
      printed += `${text}\n`;
      context.progress({ type: "output", content: `${text}\n` });
    },
  });
  // A script that has ended normally can leave calls that it did not await. They finish, and are part of the report.
  if (end.type === "failed") calls.stop();
  await calls.finish();
  if (end.type === "failed") throw new ToolError(failureText({ end, printed, log: calls.log, options }));
  const value: unknown = end.json === undefined ? undefined : JSON.parse(end.json);
  const deferred = calls.log.flatMap(({ isDeferred, description, tool }) =>
    isDeferred ? [{ call: description, tool }] : [],
  );
  const failed = calls.log.filter(({ outcome }) => outcome?.type !== "succeeded").length;
  return {
    value,
    printed,
    calls: calls.log.length,
    ...(failed === 0 ? {} : { failed }),
    ...(deferred.length === 0 ? {} : { deferred }),
  };
}
