import { expect, test } from "vitest";
import { checkName, namesOf } from "./names.ts";

test("names of queues are plain: they become part of keys that others share", () => {
  expect(["tools", "a", "A-b_9", "x".repeat(64)].map((name) => checkName(name, "A queue"))).toHaveLength(4);
  for (const name of ["", "a b", "a:b", "a/b", "a.b", "-a", "x".repeat(65), "ä", "a\n", 3, undefined])
    expect(() => checkName(name, "A queue")).toThrow(/^A queue must be 1 to 64 letters/);
});

test("no key of one queue is a key of another", () => {
  const keys = (queue: string): string[] => {
    const names = namesOf(queue);
    return [names.shared, names.ownOf("w"), names.holding("j"), names.mail("c"), names.workers, names.stops];
  };
  const all = ["a", "a-w", "a_w"].flatMap(keys);
  expect(new Set(all).size).toBe(all.length);
});
