/** What differs between the APIs that `runWith` supports. */

import type { CallSink, ToolResult } from "@runahead/engine";
import type { WholeCall } from "@runahead/engine/wire";
import type { Shape } from "@runahead/base";

/** An API with its own format of the history. Its entries are messages or items. */
export interface Dialect {
  /** The history in the caller's parameters. */
  readonly begun: readonly unknown[];
  /** Sends the history and returns the SDK's stream. */
  send(history: readonly unknown[], signal: AbortSignal | undefined): PromiseLike<AsyncIterable<unknown>>;
  /** Takes the calls off the stream and passes the stream on unchanged. */
  tap(events: AsyncIterable<unknown>, sink: CallSink): AsyncIterable<unknown>;
  read(): ResponseReader;
  resultEntries(results: readonly ToolResult[]): readonly unknown[];
}

/** Collects the parts of one response that go into the history. */
export interface ResponseReader {
  take(event: Shape): void;
  /** Called for each complete call. Other calls do not go into the history. */
  called(id: string, whole: WholeCall | undefined): void;
  /** The complete parts, without what was cut off. */
  entries(): readonly unknown[];
  /** Why the response ended, as the API reported it. */
  readonly stop: string;
}

/** A method of an SDK that can stream. */
export type Create = (params: never, options?: never) => unknown;

/** Calls the method without its types. */
export function callCreate(
  owner: { readonly create: Create },
  params: Shape,
  signal: AbortSignal | undefined,
): PromiseLike<AsyncIterable<unknown>> {
  const create = owner.create.bind(owner) as unknown as (params: Shape, options: object) => unknown;
  const streaming = { ...params, stream: true };
  return create(streaming, signal === undefined ? {} : { signal }) as PromiseLike<AsyncIterable<unknown>>;
}
