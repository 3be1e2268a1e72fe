/** What differs between the APIs whose SDKs `runWith` works with. */

import type { CallSink, ToolResult } from "@runahead/engine";
import type { WholeCall } from "@runahead/engine/wire";
import type { Shape } from "@runahead/base";

/** An API with its own form of the history. Entries are what goes into it: messages, or items. */
export interface Dialect {
  /** What the caller's parameters begin with. */
  readonly begun: readonly unknown[];
  /** Sends the history; gives the SDK's stream. */
  send(history: readonly unknown[], signal: AbortSignal | undefined): PromiseLike<AsyncIterable<unknown>>;
  /** Takes the calls off the stream, which comes out unchanged. */
  tap(events: AsyncIterable<unknown>, sink: CallSink): AsyncIterable<unknown>;
  read(): ResponseReader;
  resultEntries(results: readonly ToolResult[]): readonly unknown[];
}

/** Keeps of one response what goes into the history. */
export interface ResponseReader {
  take(event: Shape): void;
  /** A call is whole; without one, it has no place in the history. */
  called(id: string, whole: WholeCall | undefined): void;
  /** The whole parts, without what was cut off. */
  entries(): readonly unknown[];
  /** Why it ended, in the API's own words. */
  readonly stop: string;
}

/** One of an SDK's methods that can stream. */
export type Create = (params: never, options?: never) => unknown;

/** The method, called with its types left behind. */
export function callCreate(
  owner: { readonly create: Create },
  params: Shape,
  signal: AbortSignal | undefined,
): PromiseLike<AsyncIterable<unknown>> {
  const create = owner.create.bind(owner) as unknown as (params: Shape, options: object) => unknown;
  const streaming = { ...params, stream: true };
  return create(streaming, signal === undefined ? {} : { signal }) as PromiseLike<AsyncIterable<unknown>>;
}
