/**
 * Connects tools that make calls of their own with the agent that runs them. The types are those of the engine, which this
 * package does not import.
 */

/** A call arrived that another call made. It comes before all other events about it. */
export interface NestedArrival {
  readonly type: "call-arrived";
  readonly callId: string;
  readonly toolName: string;
  /** Its input, before validation. */
  readonly input: unknown;
  /** What it does, in one line. */
  readonly description: string;
}

type Bind = (settings: object) => object;

const binders = new WeakMap<object, Bind>();

/** Marks a tool whose calls make other calls. `bind` returns the tool for one turn. */
export function makesCalls<Tool extends object>(tool: Tool, bind: (settings: object) => Tool): Tool {
  binders.set(tool, bind);
  return tool;
}

/** Replaces the marked tools by those of a turn. `settings` are the options for the executors of their calls. */
export function withNestedCalls<Tool extends object>(
  tools: readonly Tool[],
  settings: () => object,
): readonly Tool[] {
  if (!tools.some((tool) => binders.has(tool))) return tools;
  const given = settings();
  return tools.map((tool) => (binders.get(tool)?.(given) as Tool | undefined) ?? tool);
}
