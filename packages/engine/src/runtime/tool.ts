/** What a tool is. */

import type { Claim } from "../core/access.ts";
import type { NestedPermissions } from "./ports.ts";
import { toText } from "./serialise.ts";
import { checkName } from "./shapes.ts";
import { isRecord } from "../wire/shape.ts";

/** Describes the input of a tool with any library that follows Standard Schema: Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface of Standard Schema: `validate` checks a value, synchronously or not. */
  readonly "~standard": {
    /** The version of Standard Schema. */
    readonly version: 1;
    /** The name of the library. The engine does not use it. */
    readonly vendor: string;
    /** Returns the validated value, or the issues. What it throws or rejects with becomes a failed result of the call. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** For type inference only: no library has it at run time. */
    readonly types?:
      | {
          /** The type before validation. */
          readonly input: Input;
          /** The type after validation, with defaults and conversions: what `call` receives. */
          readonly output: Output;
        }
      | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** Says what is wrong with an input, and where. */
export interface SchemaIssue {
  /** What is wrong. */
  readonly message: string;
  /** The path to the invalid member. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The name of the member, or the index of the item. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/** Describes the input of a tool as plain JSON Schema, for tools that come from outside. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type StandardOutput<Schema> =
  Schema extends StandardSchema<infer _Input, infer Output> ? Output : Record<string, unknown>;

/** Gives the type of the input that a tool with this schema receives, after validation. */
export type InputOf<Schema> = Schema extends { readonly "~standard": unknown }
  ? StandardOutput<Schema>
  : Record<string, unknown>;

/** Says where the bytes of an image are: in the block, at a URL, or in a file that was uploaded to the API. */
export type ImageSource =
  | {
      readonly type: "base64";
      /** The format of the image. */
      readonly media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
      /** The bytes in base64, or the text of a document. */
      readonly data: string;
    }
  | RemoteSource;

/** Says where a document is: a PDF or a text in the block, at a URL, or in a file that was uploaded to the API. */
export type DocumentSource =
  | {
      readonly type: "base64";
      /** The format of the document. */
      readonly media_type: "application/pdf";
      /** The bytes in base64, or the text. */
      readonly data: string;
    }
  | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
  | RemoteSource;

type RemoteSource =
  | {
      readonly type: "url";
      /** A URL that the API can load. */
      readonly url: string;
    }
  | {
      readonly type: "file";
      /** The id that the API gave to the file. */
      readonly file_id: string;
    };

/** A part of a result, in the format of the Messages API. `toOpenAi` converts it for OpenAI's APIs. */
export type ResultBlock =
  | {
      readonly type: "text";
      /** What the model reads. */
      readonly text: string;
    }
  | {
      readonly type: "image";
      /** Where the image or the document is. */
      readonly source: ImageSource;
    }
  | { readonly type: "document"; readonly source: DocumentSource };

/** Holds the content of a result: a text, or a list of blocks. */
export type ResultContent = string | readonly ResultBlock[];

/** Holds what the calls of a turn share and can change for later ones. */
export interface SharedContext {
  /** The folder that relative paths are resolved against. */
  readonly cwd: string;
  /** The sub-agent that makes the calls. Left out for the main agent. */
  readonly agent?: AgentIdentity;
}

/** Identifies a sub-agent. */
export interface AgentIdentity {
  /** Unique within the session. */
  readonly id: string;
  /** The name of its definition, such as `general-purpose`. */
  readonly type: string;
}

/**
 * Typed as a method, so that tools with their own context type are assignable; a property, so that it can be
 * destructured.
 */
type ChangeContext<Context> = { change(modify: (context: Context) => Context): void }["change"];

/** Holds what a running call gets: its signal, its context and functions for progress and changes. */
export interface CallContext<Context extends SharedContext = SharedContext> {
  /** The id of the call. */
  readonly callId: string;
  /**
   * Identifies the call in every process: the same after a crash and on a worker, if the executor has a `scope` (agents
   * with a session have one). At most 200 characters, all of which a header can carry. Send it to services that accept
   * an idempotency key, so that they perform the call once.
   */
  readonly idempotencyKey: string;
  /** Aborted when the call must stop. A call that does not stop is abandoned after five seconds. */
  readonly signal: AbortSignal;
  /** The folder of the shared context. */
  readonly cwd: string;
  /** The shared context, as the earlier calls left it. */
  readonly context: Context;
  /** The assistant message that contains the call, if the caller passed it. */
  readonly message: unknown;
  /** Permissions for nested calls. */
  readonly permissions: NestedPermissions;
  /** Reports progress to listeners at once, without waiting. By convention `{type: "status" | "output", …}`. */
  readonly progress: (data: unknown) => void;
  /** Changes the context of later calls; applied in the model's order. */
  readonly change: ChangeContext<Context>;
}

/** Holds what `check` gets: its signal and its context. `change` takes effect only if the check throws. */
export type CheckContext<Context extends SharedContext = SharedContext> = Pick<
  CallContext<Context>,
  "callId" | "signal" | "cwd" | "context" | "change"
>;

/** Says when and how often a failed call is retried. */
export interface ToolRetry {
  /** The maximum number of attempts, including the first. Default: 3. */
  readonly attempts?: number;
  /** The wait before the second attempt in milliseconds; it doubles with each further attempt. Default: 500. */
  readonly backoffMs?: number;
  /** The longest wait in milliseconds. Default: 30,000. */
  readonly maxBackoffMs?: number;
  /** The part of each wait that is random, from 0 to 1, so that calls do not return all at once. Default: 0.5. */
  readonly jitter?: number;
  /** Returns whether another attempt can help. Default: after every error. */
  readonly on?: (error: unknown) => boolean;
  /**
   * True: also retries calls that write. Set it only if a second attempt has no second effect, such as with the call's
   * `idempotencyKey`. Default: only calls that only read are retried.
   */
  readonly writes?: boolean;
}

/** Holds what `reconcile` gets: its signal and its context. */
export type ReconcileContext<Context extends SharedContext = SharedContext> = Pick<
  CallContext<Context>,
  "callId" | "signal" | "cwd" | "context"
>;

/** Holds what `stamp` gets: its signal and its context. */
export type StampContext<Context extends SharedContext = SharedContext> = ReconcileContext<Context>;

/** Says what happened to a call whose outcome is unknown. */
export type Reconciled<Output = unknown> =
  | {
      /** It happened. */
      readonly fate: "finished";
      /** What the tool would have returned. */
      readonly output: Output;
    }
  | {
      /** It did not happen, and cannot happen later, such as by a request that is still under way. */
      readonly fate: "never-started";
    }
  | {
      /** It cannot be determined. */
      readonly fate: "unknown";
    };

/**
 * Defines what a model can call. Only `name`, `description`, `inputSchema` and `call` are required.
 *
 * Without declarations a call is treated as one that writes everything, which is safe and slow: declare `isReadOnly`
 * and `access` so that calls can run in parallel.
 */
export interface Tool<Schema = unknown, Output = unknown, Context extends SharedContext = SharedContext> {
  /** The name that the model calls it by. Must be unique among the tools of an executor. */
  readonly name: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  /** Validates the input: any Standard Schema, or plain JSON Schema if the executor has `validateJsonSchema`. */
  readonly inputSchema: Schema;
  /**
   * The input as JSON Schema, for the model, if the schema library cannot generate it (Zod 3, Valibot). Input is still
   * validated by `inputSchema`. Default: generated from `inputSchema`.
   */
  readonly jsonSchema?: JsonSchema;
  /** Other names that models and rules use for it. */
  readonly aliases?: readonly string[];
  /** The maximum size of a result in characters. A larger result goes to the store. Default: 30,000. */
  readonly maxResultChars?: number;
  /** Returns whether the call only reads. Default: false. */
  isReadOnly?(input: InputOf<Schema>): boolean;
  /** Returns whether the call can run in parallel with other such calls. Default: as `isReadOnly`. */
  isConcurrencySafe?(input: InputOf<Schema>): boolean;
  /**
   * Returns what the call touches. Default: reads everything if it is concurrency-safe, otherwise writes everything.
   */
  access?(input: InputOf<Schema>, context: Context): readonly Claim[];
  /** Returns what a new user message does: `cancel` stops the call, `block` waits for it. Default: `block`. */
  interruptBehavior?(input: InputOf<Schema>): "cancel" | "block";
  /** Returns the time limit of the call in milliseconds; `Infinity` for none. Default: 600,000. */
  timeoutMs?(input: InputOf<Schema>): number;
  /**
   * Returns what a failure does to later calls: `cancel-later` cancels every later unfinished call that writes, while
   * read-only calls still run. Default: `isolate`.
   */
  onError?(input: InputOf<Schema>): "isolate" | "cancel-later";
  /** Describes the call in one line, for the user. */
  describe?(input: InputOf<Schema>): string;
  /**
   * Throws if the call cannot succeed; the error becomes the call's result. Runs before the user is asked, after
   * earlier conflicting calls have settled. Must not change anything except through `context.change`.
   */
  check?(input: InputOf<Schema>, context: CheckContext<Context>): void | Promise<void>;
  /**
   * `false`: if an earlier unfinished call conflicts with this one, the user is asked without a check and does not have
   * to wait for it. For tools whose calls take long and whose check rarely fails. Default: true.
   */
  readonly checkWaits?: boolean;
  /**
   * `true`: the call only waits for work that other calls do, each with claims of its own, such as those of a
   * sub-agent. It claims nothing (`access` is not asked) and takes no slot of the limit. Such calls of one response run
   * together; all earlier other calls of the response come first, and all later ones wait for them. Default: false.
   */
  readonly delegates?: boolean;
  /**
   * Calls `call` again if it fails. The call keeps its claims, its slot and its time limit meanwhile, and can be stopped
   * at any time. Default: no further attempt.
   */
  readonly retry?: ToolRetry;
  /**
   * `true`: a call that only reads can return the result of an earlier call with the same input, as long as no call has
   * written a place that it reads. Takes effect with agents and with {@link createToolCache}. Declare `access`, or every
   * write counts; declare `stamp` if something besides calls can change what it reads. Default: false.
   */
  readonly cache?: boolean;
  /**
   * Returns a text that changes when what the call reads changes, such as the modification time of a file or the etag of
   * a page. It is taken before the call runs; with `cache`, an earlier result is used only if the stamp is the same.
   * Undefined, or an error: the call runs. Default: only calls change what is read.
   */
  stamp?(
    input: InputOf<Schema>,
    context: StampContext<Context>,
  ): string | undefined | Promise<string | undefined>;
  /** Does the work. What it throws becomes a failed result. */
  call(input: InputOf<Schema>, context: CallContext<Context>): Output | Promise<Output>;
  /**
   * Called when the PostToolUse hooks of a successful call have run, if there are any, while the call still holds its
   * claims. Returns a text that is added to the result, such as what a hook changed in the file that the call wrote.
   */
  afterHooks?(
    output: Awaited<Output>,
    context: CallContext<Context>,
  ): string | undefined | Promise<string | undefined>;
  /**
   * Determines what happened to a call whose outcome is unknown, because the program ended while it ran or its worker
   * was lost. `key` is the `idempotencyKey` that the call had, and `input` is what it ran with. If it throws or takes
   * longer than a minute, the outcome stays unknown.
   */
  reconcile?(
    key: string,
    input: InputOf<Schema>,
    context: ReconcileContext<Context>,
  ): Reconciled<Awaited<Output>> | Promise<Reconciled<Awaited<Output>>>;
  /** Converts the output to what the model reads. Default: text as it is, anything else as JSON. */
  toResult?(output: Awaited<Output>): ResultContent;
}

/** Holds what a tool declares in addition to its name, its schema and its code. */
export type ToolDeclarations = Pick<
  Tool,
  | "aliases"
  | "maxResultChars"
  | "isReadOnly"
  | "isConcurrencySafe"
  | "access"
  | "interruptBehavior"
  | "timeoutMs"
  | "onError"
  | "describe"
  | "delegates"
  | "retry"
  | "cache"
  | "stamp"
>;

/** Holds any tool, without the types of its input and output. */
export type AnyTool = Tool;

/**
 * Returns the tool unchanged, with types: the type of the input comes from the schema and is known in every member.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { defineTool } from "@runahead/engine";
 * import { z } from "zod";
 *
 * export const read = defineTool({
 *   name: "Read",
 *   description: "Reads a text file.",
 *   inputSchema: z.object({ path: z.string() }),
 *   isReadOnly: () => true,
 *   access: ({ path }) => [{ mode: "read", place: `fs:${path}` }],
 *   call: ({ path }, { signal }) => readFile(path, { encoding: "utf8", signal }),
 * });
 * ```
 */
export function defineTool<const Schema, Output, Context extends SharedContext = SharedContext>(
  tool: Tool<Schema, Output, Context>,
): Tool<Schema, Output, Context> {
  return tool;
}

const DESCRIBED_CHARS = 200;

/**
 * Describes a call in one line, for people: in the words of the tool's `describe`, else by its name and input. Never
 * throws.
 *
 * @example
 * ```ts
 * import { type Ask, describeCall } from "@runahead/engine";
 *
 * const ask: Ask = async ({ tool, input, reason }) => {
 *   console.log(`${describeCall(tool, input)} (${reason})`);
 *   return { behavior: "deny", message: "Not now." };
 * };
 * ```
 */
export function describeCall(tool: AnyTool, input: unknown): string {
  checkName(tool);
  try {
    const words = tool.describe?.(input as Record<string, unknown>);
    if (typeof words === "string" && words !== "") return words;
  } catch {
    // Falls back to the name and the input.
  }
  return `${tool.name} ${toText(beginningOf(input))}`.slice(0, DESCRIBED_CHARS);
}

function hasLongText(input: object): boolean {
  for (const name in input) {
    const value: unknown = (input as Record<string, unknown>)[name];
    if (typeof value === "string" && value.length > DESCRIBED_CHARS) return true;
  }
  return false;
}

/** Long texts are cut before they are written as JSON: only the beginning of the whole is shown. */
function beginningOf(input: unknown): unknown {
  try {
    if (!isRecord(input) || "toJSON" in input) return input;
    if (!hasLongText(input)) return input;
    const members: [string, unknown][] = Object.entries(input);
    if (!members.every(([, value]) => PLAIN.has(typeof value))) return input;
    return Object.fromEntries(
      members.map(([name, value]) => [
        name,
        typeof value === "string" ? value.slice(0, DESCRIBED_CHARS) : value,
      ]),
    );
  } catch {
    return input;
  }
}

const PLAIN: ReadonlySet<string> = new Set(["string", "number", "boolean"]);
