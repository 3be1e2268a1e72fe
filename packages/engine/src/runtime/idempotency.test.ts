import { expect, test } from "vitest";
import { z } from "zod";
import { StreamingToolExecutor } from "./engine.ts";
import { idempotencyKey } from "./idempotency.ts";
import { defineTool } from "./tool.ts";

const read = (keys: string[]) =>
  defineTool({
    name: "Read",
    description: "Reads.",
    inputSchema: z.object({}),
    access: () => [],
    call: (_input, { idempotencyKey: key }) => void keys.push(key),
  });

function keysOf(scope: string | undefined, ids: readonly string[]): string[] {
  const keys: string[] = [];
  const executor = new StreamingToolExecutor({
    tools: [read(keys)],
    ...(scope === undefined ? {} : { scope }),
  });
  for (const id of ids) executor.add({ id, name: "Read", input: {} });
  return keys;
}

test("two executors with the same scope give a call the same key, and other calls another one", () => {
  expect(keysOf("s/1", ["a", "b"])).toEqual(["s/1/a", "s/1/b"]);
  expect(keysOf("s/1", ["a"])).toEqual(["s/1/a"]);
  expect(keysOf("s/2", ["a"])).toEqual(["s/2/a"]);
});

test("without a scope, a later response with the same ids has other keys", () => {
  const [first, second] = [keysOf(undefined, ["call_0"]), keysOf(undefined, ["call_0"])];
  expect(first).not.toEqual(second);
  expect(first[0]).toMatch(/\/call_0$/);
});

test("a key has only characters that a header can carry, and at most 200 of them", () => {
  for (const id of ["grün €", "a\nb", "\uD800", "x".repeat(10_000), `${"ü".repeat(90)}1`])
    expect(idempotencyKey("s/1", id)).toMatch(/^[\x21-\x7E]{1,200}$/);
});

test("long ids that differ anywhere have different keys", () => {
  const keys = new Set<string>();
  for (let at = 0; at < 2_000; at++) {
    const id = [..."x".repeat(2_000)];
    id[at] = "y";
    keys.add(idempotencyKey("s/1", id.join("")));
  }
  expect(keys.size).toBe(2_000);
});

test("an empty scope is refused", () => {
  expect(() => new StreamingToolExecutor({ tools: [], scope: "" })).toThrow(/scope must be a string/);
});
