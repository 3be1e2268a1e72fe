/** A response that says nothing for too long is cut. What keeps a connection alive says nothing. */

import { ModelError } from "./error.ts";

const DEFAULT_IDLE_MS = 120_000;

/** How long a response may go without content: `RUNAHEAD_STREAM_IDLE_MS`, or 120 s. */
export function idleLimitMs(): number {
  const given = Number(process.env["RUNAHEAD_STREAM_IDLE_MS"]);
  return Number.isFinite(given) && given > 0 ? given : DEFAULT_IDLE_MS;
}

/** Passes events on; ends the source with an error when none that counts has come for the limit. */
export async function* withIdleLimit<Event>(
  events: AsyncIterable<Event>,
  limitMs: number,
  counts: (event: Event) => boolean,
): AsyncGenerator<Event, void, undefined> {
  const source = events[Symbol.asyncIterator]();
  let expire = (_error: ModelError): void => {};
  const expired = new Promise<never>((_, reject) => (expire = reject));
  // Nobody may be waiting when it expires, for a moment.
  expired.catch(() => {});
  const idle = (): void => expire(new ModelError("cut", `the model said nothing for ${limitMs / 1000} s`));
  let timer = setTimeout(idle, limitMs);
  try {
    for (;;) {
      const next = await Promise.race([source.next(), expired]);
      if (next.done === true) return;
      if (counts(next.value)) {
        clearTimeout(timer);
        timer = setTimeout(idle, limitMs);
      }
      yield next.value;
    }
  } finally {
    clearTimeout(timer);
    // A source that hangs in a read answers this only when the read ends, so it is not waited for.
    void source.return?.()?.catch(() => {});
  }
}
