import { expect, test } from "vitest";
import { ContextMeter, estimateTokens } from "./tokens.ts";

const SYSTEM = "s".repeat(400);
const TOOL = { name: "Read", description: "d".repeat(400), input_schema: { type: "object" } };
const usage = { inputTokens: 10, outputTokens: 200, cacheReadTokens: 3_000, cacheWriteTokens: 40_000 };

test("text counts one token per four letters, and more for other scripts", () => {
  const texts = ["", "a".repeat(400), "é".repeat(400), "漢".repeat(300), "😀".repeat(150)];
  expect(texts.map(estimateTokens)).toEqual([0, 100, 200, 200, 200]);
});

test("an image counts the same whatever its size, and a document by its size", () => {
  const image = (chars: number) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "A".repeat(chars) },
  });
  expect([image(10), image(1_000_000)].map(estimateTokens)).toEqual([1_600, 1_600]);
  const pdf = { type: "document", source: { type: "base64", data: "A".repeat(1_000_000) } };
  const text = { type: "document", source: { type: "text", data: "A".repeat(40_000) } };
  const named = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } };
  expect([pdf, named].map(estimateTokens)).toEqual([30_000, 1_600]);
  expect(Math.round(estimateTokens(text) / 100)).toBe(100);
});

test("messages count with the results and inputs in them, and tools with their schemas", () => {
  const result = {
    type: "tool_result",
    tool_use_id: "a",
    content: [{ type: "text", text: "x".repeat(4_000) }],
  };
  const call = {
    type: "tool_use",
    id: "a",
    name: "Write",
    input: { lines: ["y".repeat(4_000), 1, true, null] },
  };
  const messages = [
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ];
  expect(Math.round(estimateTokens(messages) / 100)).toBe(20);
  expect(Math.round(estimateTokens([SYSTEM, [TOOL]]) / 10)).toBe(21);
});

test("an input that is nested a hundred thousand times, or has as many members, is counted too", () => {
  let deep: unknown = "end";
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  expect(estimateTokens(deep)).toBe(1);
  expect(estimateTokens(Array.from({ length: 300_000 }, () => "abcd"))).toBe(300_000);
});

test("the meter uses the server's count, and estimates only what was added after it", () => {
  const meter = new ContextMeter({ system: SYSTEM, tools: [TOOL] });
  const fixed = estimateTokens([SYSTEM, [TOOL]]);
  const prompt = [{ role: "user", content: "p".repeat(400) }] as const;
  expect(meter.tokens).toBe(fixed);
  meter.added(prompt);
  expect(meter.tokens).toBe(fixed + estimateTokens(prompt));
  meter.took(usage);
  expect(meter.tokens).toBe(43_210);
  meter.added(prompt);
  expect(meter.tokens).toBe(43_210 + estimateTokens(prompt));
  meter.reset(prompt);
  expect(meter.tokens).toBe(fixed + estimateTokens(prompt));
});

test("A18: if the server reports no usage or invalid usage, the estimate is used", () => {
  const meter = new ContextMeter();
  meter.added([{ role: "user", content: "p".repeat(400) }]);
  const estimate = meter.tokens;
  meter.took({ inputTokens: 0, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 });
  meter.took({ inputTokens: NaN, outputTokens: 5, cacheReadTokens: -4, cacheWriteTokens: 0 });
  expect(meter.tokens).toBe(estimate);
  meter.took({ inputTokens: 700, outputTokens: -5, cacheReadTokens: NaN, cacheWriteTokens: 0 });
  expect(meter.tokens).toBe(700);
});
