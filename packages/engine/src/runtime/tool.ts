/** What a tool is. */

import type { Claim } from "../core/access.ts";
import type { Permissions } from "./ports.ts";
import { toText } from "./serialise.ts";

/** Any schema library that follows Standard Schema: Zod, Valibot, ArkType and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Plain JSON Schema, for tools that come from outside. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type StandardOutput<Schema> =
  Schema extends StandardSchema<infer _Input, infer Output> ? Output : Record<string, unknown>;

/** The input that a tool with this schema receives, after validation. */
export type InputOf<Schema> = Schema extends { readonly "~standard": unknown }
  ? StandardOutput<Schema>
  : Record<string, unknown>;

/** Says where the bytes of an image are: in the block, at an address, or in a file that was uploaded to the API. */
export type ImageSource =
  | {
      readonly type: "base64";
      /** The format of the image. */
      readonly media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
      /** The bytes in base64, or the text of a document. */
      readonly data: string;
    }
  | RemoteSource;

/** Says where a document is: a PDF or a text in the block, at an address, or in a file that was uploaded to the API. */
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
      /** An address that the API can load. */
      readonly url: string;
    }
  | {
      readonly type: "file";
      /** The id that the API gave to the file. */
      readonly file_id: string;
    };

/** A part of a result, in the form of the Messages API. `toOpenAi` converts it for OpenAI's APIs. */
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

/** What the model reads of a call. */
export type ResultContent = string | readonly ResultBlock[];

/** What calls of a turn share and may change for later ones. */
export interface SharedContext {
  readonly cwd: string;
}

/** Typed as a method, so that a tool with a context of its own is a tool; a property, so that it can be taken out. */
type ChangeContext<Context> = { change(modify: (context: Context) => Context): void }["change"];

/** What a running call may use. */
export interface CallContext<Context extends SharedContext = SharedContext> {
  readonly callId: string;
  /** Aborted when the call must stop. One that does not is abandoned after five seconds. */
  readonly signal: AbortSignal;
  readonly cwd: string;
  /** The shared context, as the calls before this one have left it. */
  readonly context: Context;
  /** The assistant message that the call came in, if the caller gave it. */
  readonly message: unknown;
  /** Permissions for nested calls. */
  readonly permissions: Permissions;
  /** Reaches listeners at once and never waits. By convention `{type: "status" | "output", …}`. */
  readonly progress: (data: unknown) => void;
  /** Changes the context of later calls; applied in the model's order. */
  readonly change: ChangeContext<Context>;
}

/** What `check` can use. `change` takes effect only if the check refuses the call. */
export type CheckContext<Context extends SharedContext = SharedContext> = Pick<
  CallContext<Context>,
  "callId" | "signal" | "cwd" | "context" | "change"
>;

export interface Tool<Schema = unknown, Output = unknown, Context extends SharedContext = SharedContext> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  /**
   * The JSON Schema of the input, for the model, if the library of `inputSchema` cannot write one (Zod 3 cannot).
   * Default: taken from `inputSchema`.
   */
  readonly inputJsonSchema?: JsonSchema;
  /** Other names that models and rules use for it. */
  readonly aliases?: readonly string[];
  /** Above this many characters the result goes to a file. 30,000 where absent. */
  readonly maxResultChars?: number;
  /** It only looks. */
  isReadOnly?(input: InputOf<Schema>): boolean;
  /** May run beside other safe calls. */
  isConcurrencySafe?(input: InputOf<Schema>): boolean;
  /** What it touches. */
  access?(input: InputOf<Schema>, context: Context): readonly Claim[];
  /** `cancel`: a new user message stops it; `block`: the message waits for it. */
  interruptBehavior?(input: InputOf<Schema>): "cancel" | "block";
  /** Its own limit; `Infinity` for none. 600 s where absent. */
  timeoutMs?(input: InputOf<Schema>): number;
  /** `cancel-later`: its failure cancels every later unfinished call that writes; calls that only read still run. */
  onError?(input: InputOf<Schema>): "isolate" | "cancel-later";
  /** One line for people: what this call does. */
  describe?(input: InputOf<Schema>): string;
  /**
   * Throws if the call cannot succeed; the error becomes the call's result. Runs before a person is asked, unless an
   * earlier unfinished call conflicts with this one. Must not change anything outside of `context.change`.
   */
  check?(input: InputOf<Schema>, context: CheckContext<Context>): void | Promise<void>;
  /** Does the work. */
  call(input: InputOf<Schema>, context: CallContext<Context>): Output | Promise<Output>;
  /** Output to what the model reads. */
  toResult?(output: Awaited<Output>): ResultContent;
}

/** What a tool declares beside its name, its schema and its code. Without declarations a call writes everything. */
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
>;

/** A tool whose types are known to itself only: what the engine holds. */
export type AnyTool = Tool;

/** Gives a tool its types: the input type flows from the schema into every member. */
export function defineTool<const Schema, Output, Context extends SharedContext = SharedContext>(
  tool: Tool<Schema, Output, Context>,
): Tool<Schema, Output, Context> {
  return tool;
}

const DESCRIBED_CHARS = 200;

/** One line for people: what a call does, in its tool's own words if it has any. */
export function describeCall(tool: AnyTool, input: unknown): string {
  try {
    const words = tool.describe?.(input as Record<string, unknown>);
    if (typeof words === "string" && words !== "") return words;
  } catch {
    // Then its name and its input must do.
  }
  return `${tool.name} ${toText(input)}`.slice(0, DESCRIBED_CHARS);
}
