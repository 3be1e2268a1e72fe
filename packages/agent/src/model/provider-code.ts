/** Anthropic's code execution: scripts that run on the provider's servers and call the tools of this program. */

import { shapeOf, stringOf } from "@runahead/base";
import { ModelError } from "./error.ts";
import type { Block, Message, ModelRequest, ToolDefinition } from "./message.ts";
import { EventBatches, batchesOf } from "./reading.ts";
import type { ModelEvent } from "./event.ts";

/**
 * Configures Anthropic's code execution, whose scripts call your tools. The scripts run on the provider's servers.
 * Their calls run here, and permissions, hooks and limits apply to them as to all calls.
 */
export interface ProviderCode {
  /** The names of the tools that a script can call. */
  readonly tools: readonly string[];
  /** Whether the model can also call these tools without a script. Default: false. */
  readonly alsoDirect?: boolean;
  /** The version of the API's tool. Default: `code_execution_20260120`. */
  readonly version?: CodeVersion;
}

/** A version of Anthropic's code execution that can call tools. */
export type CodeVersion = "code_execution_20250825" | "code_execution_20260120";

const LATEST: CodeVersion = "code_execution_20260120";
/** The first version is still a beta of the API. */
const BETA: Readonly<Partial<Record<CodeVersion, string>>> = {
  code_execution_20250825: "code-execution-2025-08-25,advanced-tool-use-2025-11-20",
};

export function codeHeaders(code: ProviderCode | undefined): Readonly<Record<string, string>> {
  const beta = code === undefined ? undefined : BETA[code.version ?? LATEST];
  return beta === undefined ? {} : { "anthropic-beta": beta };
}

/** Adds the tool that runs scripts, and marks the tools that scripts can call. */
export function withCode(
  tools: readonly ToolDefinition[],
  code: ProviderCode | undefined,
): readonly object[] {
  if (code === undefined) return tools;
  const { tools: names, alsoDirect = false, version = LATEST } = code;
  const called = new Set(names);
  const allowed_callers = alsoDirect ? ["direct", version] : [version];
  if (!tools.some(({ name }) => called.has(name))) return tools;
  return [
    { type: version, name: "code_execution" },
    ...tools.map((tool) => (called.has(tool.name) ? { ...tool, allowed_callers } : tool)),
  ];
}

/** A block that names the container in which a response ran its scripts. It is never sent. */
const CONTAINER = "anthropic_container";

export function isContainer({ type }: Block): boolean {
  return type === CONTAINER;
}

export function containerBlock(container: unknown): Block | undefined {
  const { id, expires_at } = shapeOf(container);
  if (typeof id !== "string" || id === "") return undefined;
  return { type: CONTAINER, id, ...(typeof expires_at === "string" ? { expires_at } : {}) };
}

/** The script that makes a call; empty if the model makes it. */
function scriptOf({ type, caller }: Block): string {
  return type === "tool_use" ? stringOf(shapeOf(caller)["tool_id"]) : "";
}

/** Whether a call waits for its result inside a script, so that only results can follow. */
export function isOfScript(block: Block): boolean {
  return scriptOf(block) !== "";
}

/** What a request says about scripts. */
interface Scripts {
  readonly messages: readonly Message[];
  /** The container in which the scripts continue. */
  readonly container: string | undefined;
}

/**
 * Prepares a history for a request. A script goes on if the request ends with the results of its calls. All other
 * scripts that have no end are given up: their calls stay in the history, as calls that the model made itself.
 *
 * @param givesUp - Gives up the script that waits too, because its container no longer exists.
 */
export function scriptsIn(messages: readonly Message[], givesUp = false): Scripts {
  if (!messages.some(hasScript)) return { messages, container: undefined };
  const blocks = messages.flatMap(blocksIn);
  const container = blocks.findLast(isContainer);
  const ended = new Set(blocks.map((block) => (block.type === "tool_result" ? "" : block["tool_use_id"])));
  const open = new Set(blocks.map(scriptOf).filter((id) => id !== "" && !ended.has(id)));
  const waiting = givesUp || container === undefined ? [] : waitingScripts(messages);
  for (const id of waiting) open.delete(id);
  const isSent = waiting.length > 0 || (!givesUp && container !== undefined && isAlive(container));
  return {
    messages: open.size === 0 ? messages : messages.map((message) => withoutScripts(message, open)),
    container: isSent ? stringOf(container?.["id"]) : undefined,
  };
}

function hasScript(message: Message): boolean {
  return blocksIn(message).some((block) => isContainer(block) || isOfScript(block));
}

/** The scripts that made the calls whose results, and nothing else, are at the end. */
function waitingScripts(messages: readonly Message[]): readonly string[] {
  const [calls, results] = messages.slice(-2);
  if (calls?.role !== "assistant" || results?.role !== "user") return [];
  const isOnlyResults = typeof results.content !== "string" && results.content.every(isResult);
  return isOnlyResults
    ? blocksIn(calls)
        .map(scriptOf)
        .filter((id) => id !== "")
    : [];
}

function withoutScripts(message: Message, scripts: ReadonlySet<string>): Message {
  if (!blocksIn(message).some((block) => isPartOf(block, scripts))) return message;
  const content = blocksIn(message)
    .filter(({ type, id }) => type !== "server_tool_use" || !scripts.has(stringOf(id)))
    .map((block) => (scripts.has(scriptOf(block)) ? withoutCaller(block) : block));
  return { ...message, content };
}

function isPartOf(block: Block, scripts: ReadonlySet<string>): boolean {
  if (block.type === "server_tool_use") return scripts.has(stringOf(block["id"]));
  return scripts.has(scriptOf(block));
}

function withoutCaller({ caller: _caller, ...block }: Block): Block {
  return block;
}

/** Whether a later script can use the same container. Without a date, a new one is used. */
function isAlive({ expires_at: expires }: Block): boolean {
  return Date.parse(stringOf(expires)) > Date.now();
}

function blocksIn({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [] : content;
}

function isResult({ type }: Block): boolean {
  return type === "tool_result";
}

/**
 * Sends a request that the server refuses again without the script that waits: its container can be gone, which servers
 * say in different words.
 */
export function withLostContainer(
  request: ModelRequest,
  open: (givesUp: boolean) => EventBatches,
): EventBatches {
  const { container } = scriptsIn(request.messages);
  return container === undefined ? open(false) : new EventBatches(eitherWay(open));
}

async function* eitherWay(
  open: (givesUp: boolean) => EventBatches,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  let hasBegun = false;
  try {
    for await (const batch of batchesOf(open(false))) {
      hasBegun ||= batch.length > 0;
      yield batch;
    }
  } catch (error) {
    if (hasBegun || !isRefused(error)) throw error;
    yield* batchesOf(open(true));
  }
}

function isRefused(error: unknown): boolean {
  const kind = error instanceof ModelError ? error.kind : "";
  return kind === "bad-request" || kind === "bad-history" || kind === "not-found";
}
