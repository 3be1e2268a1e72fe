import { memoryResults } from "@runahead/engine";
import { expect, test } from "vitest";
import type { Message } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { Compactor } from "./compaction.ts";
import { estimateTokens } from "./tokens.ts";

/** The bytes that a journal gets for compactions while a user sends so many prompts, by hundred prompts. */
async function bytesOfCompactions(prompts: number, windowTokens: number): Promise<number[]> {
  const compactor = new Compactor({ windowTokens, results: memoryResults() });
  const model = scripted(Array.from({ length: prompts }, () => [{ type: "text", text: "A short summary." }]));
  const signal = new AbortController().signal;
  const request = { model, system: "", tools: [], maxTokens: 1_000, signal, manual: false };
  const bytes: number[] = Array.from({ length: prompts / 100 }, () => 0);
  let messages: readonly Message[] = [];
  for (let at = 0; at < prompts; at++) {
    const answer = { type: "text", text: "some words of the answer ".repeat(24) };
    const prompt = { role: "user", content: `Look at the next file, which is number ${at}.` } as const;
    messages = [...messages, prompt, { role: "assistant", content: [answer] }];
    if (!compactor.isNeeded(estimateTokens(messages))) continue;
    const done = await compactor.compact(messages, request);
    if (done.type === "failed") throw new Error(done.reason);
    messages = done.messages;
    bytes[Math.floor(at / 100)] = (bytes[Math.floor(at / 100)] ?? 0) + JSON.stringify(messages).length;
  }
  return bytes;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

test("compactions write no more in the 20th hundred prompts than in the first ones", async () => {
  const bytes = await bytesOfCompactions(2_000, 10_000);
  const [early, late] = [sum(bytes.slice(0, 4)), sum(bytes.slice(-4))];
  expect(early).toBeGreaterThan(0);
  expect(late / early).toBeLessThan(1.1);
});
