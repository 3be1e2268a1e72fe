/** Tools whose calls run on a worker. All that is declared of them stays here: who may run, when, and for how long. */

import type { AnyTool, CallContext, SharedContext } from "@runahead/engine";
import type { Caller } from "./caller.ts";
import {
  type Check,
  aFunction,
  aString,
  anything,
  checkOptions,
  checkTools,
  required,
  messageOf,
} from "@runahead/base";
import { type Connection, aConnection } from "./connection.ts";
import { NotRunError } from "./error.ts";
import { toJson } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { checkName } from "./names.ts";
import type { Dispatched } from "./pending.ts";
import { shareCaller } from "./shared-callers.ts";
import { versionOf } from "./version.ts";
import { Workspace, type WorkspaceOptions } from "./workspace.ts";

/** Options of {@link remote}. */
export interface RemoteOptions {
  /** The Redis server. */
  readonly connection: Connection;
  /** The name of the queue: that of the workers. */
  readonly queue: string;
  /**
   * Calls that touch files or jobs go to the worker that holds this workspace: use one for each session. Default: any
   * worker takes any call.
   */
  readonly workspace?: string | WorkspaceOptions;
  /** A word for what is deployed, which must equal that of the workers. Default: empty. */
  readonly release?: string;
  /** How long a call waits for a worker. Default: 60 s. */
  readonly waitMs?: number;
  /** How often a call that only reads is tried. A call that writes is tried once. Default: 3. */
  readonly tries?: number;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** Tools whose calls run on workers. */
export interface RemoteTools extends ReadonlyArray<AnyTool> {
  /** Stops what is still running, and closes the connection. */
  readonly close: () => Promise<void>;
}

const OPTIONS: Readonly<Record<keyof RemoteOptions, Check>> = {
  connection: required(aConnection),
  queue: required(aString),
  workspace: anything,
  release: aString,
  waitMs: anything,
  tries: anything,
  onNotice: aFunction,
};

/**
 * Makes tools whose calls run on workers. Their declarations stay here: permissions, order and time limits are those
 * of the agent.
 *
 * Throws a TypeError or a RangeError for wrong options. Calls throw {@link RemoteError}, {@link NotRunError} or
 * {@link OutcomeUnknownError}.
 *
 * @example
 * ```ts
 * import { defineTool } from "@runahead/engine";
 * import { createAgent, scripted } from "@runahead/agent";
 * import { remote } from "@runahead/workers";
 * import { z } from "zod";
 *
 * const build = defineTool({
 *   name: "Build",
 *   description: "Builds a target.",
 *   inputSchema: z.object({ target: z.string() }),
 *   call: ({ target }) => `built ${target}`,
 * });
 * const tools = remote([build], { connection: "redis://127.0.0.1:6379", queue: "tools" });
 * const agent = createAgent({ model: scripted([]), tools });
 * ```
 */
export function remote(tools: readonly AnyTool[], options: RemoteOptions): RemoteTools {
  checkTools(tools, "remote");
  checkOptions(options, OPTIONS, "remote");
  const { waitMs = LIMITS.waitMs, tries = LIMITS.tries, release = "", onNotice = () => {} } = options;
  const queue = checkName(options.queue, "The name of a queue");
  if (!(waitMs > 0)) throw new RangeError(`waitMs must be above 0, not ${waitMs}.`);
  if (!Number.isInteger(tries) || tries < 1) throw new RangeError(`tries must be 1 or more, not ${tries}.`);
  const workspace = options.workspace === undefined ? undefined : new Workspace(options.workspace);
  const { caller, close } = shareCaller({ connection: options.connection, queue, onNotice });
  const remotes = tools.map((tool) => {
    const version = versionOf(tool, release);
    return new Remote({ tool, version, caller, workspace, waitMs, tries }).tool();
  });
  return Object.assign(remotes, { close });
}

interface RemoteParts {
  readonly tool: AnyTool;
  readonly version: string;
  readonly caller: Caller;
  readonly workspace: Workspace | undefined;
  readonly waitMs: number;
  readonly tries: number;
}

type Input = Record<string, unknown>;

/** Time for a worker to stop a call at its limit, and for its loss to be noticed. */
const MARGIN_MS = 15_000;

class Remote {
  readonly #parts: RemoteParts;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  /** The time that it waits for a worker is not the tool's: its own limit is kept by the worker. */
  tool(): AnyTool {
    const { tool, waitMs } = this.#parts;
    return {
      ...declarationsOf(tool),
      timeoutMs: (input) => limitOf(tool, input) + waitMs + MARGIN_MS,
      call: (input, context) => this.#call(input, context),
    };
  }

  async #call(input: Input, context: CallContext): Promise<unknown> {
    const { caller } = this.#parts;
    const { progress, signal } = context;
    const dispatched = this.#dispatched(input, context);
    const answered = await caller.call({ dispatched, progress, signal });
    const { changes } = answered;
    if (Object.keys(changes).length > 0) context.change((before) => ({ ...before, ...changes }));
    if ("error" in answered) throw answered.error;
    return answered.output;
  }

  #dispatched(input: Input, { callId, context }: CallContext): Dispatched {
    const { tool, version, workspace, waitMs, tries } = this.#parts;
    const limitMs = limitOf(tool, input);
    return {
      callId: callId.slice(0, 1_000),
      tool: tool.name,
      version,
      waitMs,
      tries,
      input: sendable(input),
      context: contextOf(context),
      ...(Number.isFinite(limitMs) ? { limitMs } : {}),
      reads: declared(() => tool.isReadOnly?.(input)) === true,
      workspace: isBound(tool, input, context) ? workspace : undefined,
    };
  }
}

/** Taken out one by one: a tool may be an object of a class. */
function declarationsOf(tool: AnyTool): Omit<AnyTool, "call" | "timeoutMs"> {
  const { name, description, inputSchema, jsonSchema, aliases, maxResultChars } = tool;
  return {
    name,
    description,
    inputSchema,
    ...(jsonSchema === undefined ? {} : { jsonSchema }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(maxResultChars === undefined ? {} : { maxResultChars }),
    ...(tool.isReadOnly && { isReadOnly: tool.isReadOnly.bind(tool) }),
    ...(tool.isConcurrencySafe && { isConcurrencySafe: tool.isConcurrencySafe.bind(tool) }),
    ...(tool.access && { access: tool.access.bind(tool) }),
    ...(tool.interruptBehavior && { interruptBehavior: tool.interruptBehavior.bind(tool) }),
    ...(tool.onError && { onError: tool.onError.bind(tool) }),
    ...(tool.describe && { describe: tool.describe.bind(tool) }),
    ...(tool.toResult && { toResult: tool.toResult.bind(tool) }),
  };
}

function limitOf(tool: AnyTool, input: Input): number {
  const limitMs = declared(() => tool.timeoutMs?.(input)) ?? LIMITS.callMs;
  return limitMs > 0 ? limitMs : LIMITS.callMs;
}

/** It touches files, jobs or whatever else is on one machine. Without claims of its own it may touch everything. */
function isBound(tool: AnyTool, input: Input, context: SharedContext): boolean {
  const claims = declared(() => tool.access?.(input, context));
  return claims === undefined || claims.some(({ place }) => !place.startsWith("web:"));
}

/** A declaration that throws says nothing. */
function declared<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function sendable(input: Input): unknown {
  let json: string;
  try {
    json = toJson(input);
  } catch (error) {
    throw new NotRunError(`its input cannot be sent: ${messageOf(error)}.`);
  }
  const bytes = Buffer.byteLength(json);
  if (bytes <= LIMITS.inputBytes) return input;
  throw new NotRunError(`its input of ${bytes} bytes is larger than can be sent (${LIMITS.inputBytes}).`);
}

/** All of it where it can be sent; the folder always. */
function contextOf(context: SharedContext): Dispatched["context"] {
  const json = declared(() => toJson(context));
  return json !== undefined && json.length <= LIMITS.contextBytes ? { ...context } : { cwd: context.cwd };
}
