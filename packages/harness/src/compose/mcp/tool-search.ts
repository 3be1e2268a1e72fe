/** Decides when the definitions of MCP tools are left out of requests: if they would take more than a tenth of the context. */

import { type AnyTool, toAnthropicTools } from "@runahead/engine";
import { WRONG_CALL, searchTool } from "@runahead/agent/internal";

const CHARS_PER_TOKEN = 4;
const DEFAULT_PERCENT = 10;

/** Whether the definition of a tool is always loaded (`true`) or never (`false`); undefined if nobody says so. */
type Loading = (toolName: string) => boolean | undefined;

/** Once tools are deferred, they stay so: going back would invalidate the prompt cache. */
export class ToolSearch {
  readonly #share: number;
  readonly #contextTokens: () => number;
  readonly #loads: Loading;
  readonly #isOff: boolean;
  readonly #tool: AnyTool;
  #deferred: readonly AnyTool[] = [];
  #isDeferring = false;

  /**
   * `wish`: the value of `ENABLE_TOOL_SEARCH`: `true`, `false`, `auto` or `auto:PERCENT`. `contextTokens`: the window of the
   * current model.
   */
  constructor(wish: string | undefined, contextTokens: () => number, loads: Loading = () => undefined) {
    this.#contextTokens = contextTokens;
    this.#loads = loads;
    const [, percent] = /^auto:(\d{1,3})$/.exec(wish ?? "") ?? [];
    this.#isOff = wish === "false" || wish === "0";
    const isAlways = wish === "true" || wish === "1";
    this.#share = isAlways ? 0 : Number(percent ?? DEFAULT_PERCENT) / 100;
    this.#tool = searchTool({
      tools: () => this.#deferred,
      kind: "tools of MCP servers",
      hint: () => ` Servers: ${serversOf(this.#deferred)}.`,
    });
  }

  /** Returns the tools of servers, and those that find and call them if some are deferred. */
  with(tools: readonly AnyTool[]): readonly AnyTool[] {
    const undecided = tools.filter((tool) => isMcpTool(tool) && this.#loads(tool.name) === undefined);
    this.#isDeferring ||= !this.#isOff && undecided.length > 0 && this.#isLarge(undecided);
    this.#deferred = tools.filter((tool) => this.defers(tool));
    return this.#deferred.length === 0 && !this.#isDeferring ? tools : [this.#tool, WRONG_CALL, ...tools];
  }

  /** Whether the definition of a tool is left out of requests. */
  defers({ name }: { readonly name: string }): boolean {
    if (this.#isOff || !isMcpTool({ name })) return false;
    const loads = this.#loads(name);
    return loads === undefined ? this.#isDeferring : !loads;
  }

  #isLarge(tools: readonly AnyTool[]): boolean {
    const chars = JSON.stringify(toAnthropicTools(tools)).length;
    return chars / CHARS_PER_TOKEN > this.#contextTokens() * this.#share;
  }
}

/** The values of `ENABLE_TOOL_SEARCH`. */
const WISH = /^(?:|true|false|0|1|auto(?::\d{1,3})?)$/;

/** Says that a value of `ENABLE_TOOL_SEARCH` has no effect. */
export function wishProblem(wish: string | undefined): string | undefined {
  return wish === undefined || WISH.test(wish)
    ? undefined
    : `ENABLE_TOOL_SEARCH=${wish} has no effect: use true, false, auto or auto:PERCENT.`;
}

export function isMcpTool({ name }: { readonly name: string }): boolean {
  return name.startsWith("mcp__");
}

function serversOf(tools: readonly AnyTool[]): string {
  return [...new Set(tools.map(({ name }) => name.split("__")[1] ?? ""))].join(", ") || "none";
}
