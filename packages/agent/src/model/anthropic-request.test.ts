import { expect, test } from "vitest";
import { anthropicBody } from "./anthropic-request.ts";
import type { Message } from "./message.ts";

/** Reads of messages for a request with so many of them. */
function readsFor(count: number): number {
  let reads = 0;
  const messages = Array.from(
    { length: count },
    (_, at): Message => ({
      get role() {
        reads++;
        return at % 2 === 0 ? ("user" as const) : ("assistant" as const);
      },
      content: "words",
    }),
  );
  anthropicBody("m", { system: "", tools: [], messages, maxTokens: 9 });
  return reads;
}

test("the work for a request grows with the number of messages, not with its square", () => {
  const few = readsFor(100);
  expect(readsFor(8_000)).toBeLessThanOrEqual(80 * few);
});
