/**
 * A batch of 500 prompts with one rate limit, one budget and one session per prompt: a batch that stops, for whatever
 * reason, continues where it was.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Model, ModelError, NoSuchSession, type Session, createAgent, sessions } from "@runahead/agent";

interface Limits {
  readonly requestsPerSecond: number;
  /** How many prompts are answered at the same time. */
  readonly concurrency: number;
  readonly budgetUsd: number;
}

/** Shares one rate limit between everything that uses the model. A 429 of one request holds up all others, too. */
function rateLimited(model: Model, requestsPerSecond: number): Model {
  let nextAt = 0;
  return {
    name: model.name,
    async *stream(request, signal) {
      const now = performance.now();
      const startAt = Math.max(now, nextAt);
      nextAt = startAt + 1000 / requestsPerSecond;
      await pause(startAt - now, undefined, { signal });
      try {
        yield* model.stream(request, signal);
      } catch (error) {
        if (error instanceof ModelError && error.kind === "rate-limit")
          nextAt = Math.max(nextAt, performance.now() + (error.retryAfterMs ?? 0));
        throw error;
      }
    },
  };
}

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
const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 };

/** Answers the prompts that have no answer yet, and returns how many were answered and what that cost. */
async function runBatch(prompts: readonly string[], home: string, limits: Limits) {
  const store = sessions({ home });
  const model = rateLimited(demoModel, limits.requestsPerSecond);
  const waiting = prompts.entries();
  // Requests that are under way when the budget is spent still finish: at most `concurrency` of them.
  let answered = 0;
  let spentUsd = 0;

  async function answerOne(at: number, prompt: string): Promise<void> {
    const session = await openSession(`prompt-${at}`);
    const isNew = session.messages.length === 0;
    // The last message is the model's: this prompt was answered in an earlier run.
    if (session.messages.at(-1)?.role === "assistant") return session.close();
    const left = limits.budgetUsd - spentUsd;
    if (left <= 0) return session.close();
    const agent = createAgent({ model, tools: [], session, price: PRICE, budget: { costUsd: left } });
    const { reason, costUsd = 0 } = await (isNew ? agent.send(prompt) : agent.resume());
    spentUsd += costUsd;
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

  await Promise.all(Array.from({ length: limits.concurrency }, work));
  return { answered, spentUsd };
}

const home = mkdtempSync(join(tmpdir(), "runahead-batch-"));
const prompts = Array.from({ length: 500 }, (_, at) => `Is review ${at} positive or negative?`);
const limits: Limits = { requestsPerSecond: 500, concurrency: 20, budgetUsd: 0.2 };

const first = await runBatch(prompts, home, limits);
console.log(`first run: ${first.answered < prompts.length ? "stopped by the budget" : "complete"}`);

const second = await runBatch(prompts, home, { ...limits, budgetUsd: 10 });
console.log(`both runs: ${first.answered + second.answered} of ${prompts.length} answered`);
rmSync(home, { recursive: true });
