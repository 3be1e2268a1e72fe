/**
 * A batch of 500 prompts with one rate limit, one budget and one session per prompt: a batch that stops, for whatever
 * reason, continues where it was.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type LimiterOptions,
  type Model,
  NoSuchSession,
  type Session,
  createAgent,
  createLimiter,
  sessions,
} from "@runahead/agent";

/** In your program: anthropic({ model: "claude-haiku-4-5" }), whose price is known. */
const demoModel: Model = {
  name: "demo",
  async *stream({ messages }) {
    yield { type: "message-started", id: `msg_${messages.length}`, model: "demo" };
    yield { type: "text", text: "Positive." };
    yield { type: "block", block: { type: "text", text: "Positive." } };
    const usage = { inputTokens: 1000, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield { type: "usage", usage };
    yield { type: "stopped", reason: "end_turn", detail: "" };
  },
};
/** How many prompts are answered at the same time. */
const WORKERS = 20;
const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

/** Answers the prompts that have no answer yet, and returns how many were answered and what that cost. */
async function runBatch(prompts: readonly string[], home: string, limits: LimiterOptions) {
  const store = sessions({ home });
  const limiter = createLimiter({ price: PRICE, ...limits });
  const model = limiter.limit(demoModel);
  const waiting = prompts.entries();
  let answered = 0;

  async function answerOne(at: number, prompt: string): Promise<void> {
    const session = await openSession(`prompt-${at}`);
    const isNew = session.messages.length === 0;
    // The last message is the model's: this prompt was answered in an earlier run.
    if (session.messages.at(-1)?.role === "assistant") return session.close();
    const agent = createAgent({ model, tools: [], session });
    const { reason } = await (isNew ? agent.send(prompt) : agent.resume());
    if (reason === "completed") answered++;
    await agent.close();
  }

  async function openSession(id: string): Promise<Session> {
    try {
      return await store.resume(id);
    } catch (error) {
      if (error instanceof NoSuchSession) return store.create(id);
      throw error;
    }
  }

  async function work(): Promise<void> {
    // All workers take from the same iterator, so each prompt is taken once.
    for (const [at, prompt] of waiting) await answerOne(at, prompt);
  }

  await Promise.all(Array.from({ length: WORKERS }, work));
  return { answered, spentUsd: limiter.spent.costUsd ?? 0 };
}

const home = mkdtempSync(join(tmpdir(), "runahead-batch-"));
const prompts = Array.from({ length: 500 }, (_, at) => `Is review ${at} positive or negative?`);
const limits: LimiterOptions = { requests: 500, windowMs: 1_000, costUsd: 0.2 };

const first = await runBatch(prompts, home, limits);
console.log(`first run: ${first.answered < prompts.length ? "stopped by the budget" : "complete"}`);

const second = await runBatch(prompts, home, { ...limits, costUsd: 10 });
console.log(`both runs: ${first.answered + second.answered} of ${prompts.length} answered`);
rmSync(home, { recursive: true });
