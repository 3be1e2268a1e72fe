/** Tools whose calls run on a worker. Their declarations stay local: permissions, order and time limits. */

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
import { NotRunError, OutcomeUnknownError } from "./error.ts";
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
  /** The name of the queue; the same as the workers'. */
  readonly queue: string;
  /**
   * Sends calls that touch files or jobs to the worker that holds this workspace. Use one workspace per session.
   * Default: any worker takes any call.
   */
  readonly workspace?: string | WorkspaceOptions;
  /** Identifies what is deployed, such as a commit; must equal the workers'. Default: empty. */
  readonly release?: string;
  /** How long a call waits for a worker. Default: 60 s. */
  readonly waitMs?: number;
  /** How often a read-only call is tried. A call that writes is tried once. Default: 3. */
  readonly tries?: number;
  /** Receives problems that do not stop the work. */
  readonly onNotice?: (message: string) => void;
}

/** Tools whose calls run on workers. */
export interface RemoteTools extends ReadonlyArray<AnyTool> {
  /** Stops the running calls and closes the connection. */
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
 * Returns tools whose calls run on workers. Their declarations stay local, so permissions, order and time limits work
 * as for local tools.
 *
 * Throws a TypeError or a RangeError for invalid options. Calls throw {@link RemoteError}, {@link NotRunError} or
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
  if (!(waitMs > 0)) throw new RangeError(`remote: "waitMs" must be above 0, got ${waitMs}.`);
  if (!Number.isInteger(tries) || tries < 1)
    throw new RangeError(`remote: "tries" must be a whole number of 1 or more, got ${tries}.`);
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

/** Time for the worker to stop a call at its limit, or for the caller to detect a lost worker. */
const MARGIN_MS = 15_000;

class Remote {
  readonly #parts: RemoteParts;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  /** The tool's own time limit is enforced by the worker; here the wait for a worker is added. */
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
    const answered = await caller.call({ dispatched, progress, signal }).catch((error: unknown) => ({
      error: error instanceof Error ? error : new Error(messageOf(error)),
      changes: {},
    }));
    if ("error" in answered && answered.error instanceof OutcomeUnknownError)
      return this.#reconciled(input, context, answered.error);
    const { changes } = answered;
    if (Object.keys(changes).length > 0) context.change((before) => ({ ...before, ...changes }));
    if ("error" in answered) throw answered.error;
    return answered.output;
  }

  /** A lost worker cannot say what happened, but its tool can know how to find out. A call that was stopped stays unknown. */
  async #reconciled(input: Input, context: CallContext, error: OutcomeUnknownError): Promise<unknown> {
    const { tool } = this.#parts;
    const { idempotencyKey, callId, signal, cwd } = context;
    if (tool.reconcile === undefined || signal.aborted) throw error;
    const about = { callId, signal, cwd, context: context.context };
    const said = await Promise.resolve()
      .then(() => tool.reconcile?.(idempotencyKey, input, about))
      .catch(() => undefined);
    if (said?.fate === "finished") return said.output;
    throw said?.fate === "never-started"
      ? new NotRunError("its worker was lost before the call had an effect.")
      : error;
  }

  #dispatched(input: Input, { callId, idempotencyKey, context }: CallContext): Dispatched {
    const { tool, version, workspace, waitMs, tries } = this.#parts;
    const limitMs = limitOf(tool, input);
    return {
      callId: callId.slice(0, 1_000),
      key: idempotencyKey,
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

/** Copies and binds each member, because a tool can be an instance of a class. */
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
    ...(tool.retry && { retry: tool.retry }),
    ...(tool.reconcile && { reconcile: tool.reconcile.bind(tool) }),
    ...(tool.toResult && { toResult: tool.toResult.bind(tool) }),
  };
}

function limitOf(tool: AnyTool, input: Input): number {
  const limitMs = declared(() => tool.timeoutMs?.(input)) ?? LIMITS.callMs;
  return limitMs > 0 ? limitMs : LIMITS.callMs;
}

/** Whether a call depends on the machine: files, jobs and so on. A tool without claims can touch everything. */
function isBound(tool: AnyTool, input: Input, context: SharedContext): boolean {
  const claims = declared(() => tool.access?.(input, context));
  return claims === undefined || claims.some(({ place }) => !place.startsWith("web:"));
}

/** A declaration that throws counts as missing. */
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
  throw new NotRunError(`its input has ${bytes} bytes (limit: ${LIMITS.inputBytes}).`);
}

/** The whole context if it can be sent; otherwise only the working directory. */
function contextOf(context: SharedContext): Dispatched["context"] {
  const json = declared(() => toJson(context));
  return json !== undefined && json.length <= LIMITS.contextBytes ? { ...context } : { cwd: context.cwd };
}
