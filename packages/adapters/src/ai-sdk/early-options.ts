/** Options of `early`, and the tools of the AI SDK as far as they are used. */

import type { ExecutorOptions, StandardSchema, Start, Tool, ToolDeclarations } from "@runahead/engine";

/** Describes a tool of AI SDK 6 and 7 as `tool()` returns it, as far as it is used. */
export interface EarlyTool {
  /** What the tool does; can be a function in AI SDK 7. */
  readonly description?: unknown;
  /** The schema of the input. The SDK validates with it. */
  readonly inputSchema: unknown;
  /** Whether the SDK asks for approval. Such a call runs when the SDK runs it, not earlier. */
  readonly needsApproval?: unknown;
  /** Runs the tool. A tool without it is left as it is. */
  execute?: ((input: never, options: never) => unknown) | undefined;
}

type Declarations<Input> = Pick<
  Tool<StandardSchema<Input>>,
  Exclude<keyof ToolDeclarations, "aliases" | "maxResultChars">
>;

/** Declares what a tool of the SDK does not say of itself. Without it a call is treated as one that writes everything. */
export interface EarlyDeclaration<Input = Record<string, unknown>> extends Declarations<Input> {
  /** False: it runs only when the SDK runs it, as without `early`. Default: true. */
  readonly early?: boolean;
}

/** The types of the inputs of tools, by name. */
export type EarlyInputs<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends { execute?: infer Execute }
    ? NonNullable<Execute> extends (input: infer Input, ...rest: never[]) => unknown
      ? unknown extends Input
        ? Record<string, unknown>
        : Input
      : Record<string, unknown>
    : Record<string, unknown>;
};

/** Configures `early`. `Inputs` has the type of each tool's input; `early` infers it from the tools. */
export interface EarlyOptions<
  Name extends string = string,
  Inputs extends { readonly [Each in Name]: unknown } = Readonly<Record<Name, Record<string, unknown>>>,
> extends Pick<
    ExecutorOptions,
    "canUseTool" | "ask" | "hooks" | "context" | "limit" | "onEvent" | "resolvePlace"
  > {
  /** What the tools touch, by name. */
  readonly declare?: { readonly [Each in Name]?: EarlyDeclaration<Inputs[Each]> };
  /**
   * When calls start. `eager`: each as soon as its input is complete. `reads`: only those that are declared to be
   * read-only, the others when the SDK runs them. `after`: all of them when the SDK runs them. Default: `eager`.
   */
  readonly start?: Start;
  /**
   * True: the tools serve one run at a time. Needed if the calls of one response do not get the same list of messages,
   * as in Mastra: without it such calls do not know of each other. Default: false.
   */
  readonly oneRun?: boolean;
}
