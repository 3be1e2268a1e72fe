import { expect, test } from "vitest";
import { knownFacts } from "./models.ts";
import { costOf } from "./price.ts";

const priceOf = (name: string) => knownFacts(name).price;

const MILLION = 1_000_000;
const price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };

test("a price is found by the model's name, with or without a date", () => {
  const names = ["claude-opus-4-5", "claude-opus-4-5-20251101", "claude-opus-4-5@20251101"];
  for (const name of names) expect([name, priceOf(name)]).toEqual([name, price]);
  expect(priceOf("gpt-5.4-mini-2026-03-17")).toEqual({
    input: 0.75,
    output: 4.5,
    cacheRead: 0.075,
    cacheWrite: 0.75,
  });
});

test("a model whose name only begins like a known one has its own price or none", () => {
  expect(priceOf("claude-opus-5-5")?.input).toBe(4);
  expect(priceOf("claude-opus-4-20250514")?.input).toBe(15);
  const unknown = ["gpt-5-pro", "gpt-oss:20b", "qwen3-coder", "claude-haiku-5-5", "", "toString", "scripted"];
  expect(unknown.map((name) => knownFacts(name).price)).toEqual(unknown.map(() => undefined));
});

test("each kind of token costs its own price", () => {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(costOf(none, price)).toBe(0);
  expect(costOf({ ...none, inputTokens: MILLION }, price)).toBe(5);
  expect(costOf({ ...none, outputTokens: MILLION }, price)).toBe(25);
  expect(costOf({ ...none, cacheReadTokens: MILLION }, price)).toBe(0.5);
  expect(costOf({ ...none, cacheWriteTokens: MILLION }, price)).toBe(6.25);
});

test("A18: a cost is never negative and always a number", () => {
  const odd = {
    inputTokens: -MILLION,
    outputTokens: NaN,
    cacheReadTokens: Infinity,
    cacheWriteTokens: MILLION,
  };
  expect(costOf(odd, price)).toBe(6.25);
  expect(costOf({ ...odd, cacheWriteTokens: 0 }, { ...price, input: NaN, output: -1 })).toBe(0);
});
