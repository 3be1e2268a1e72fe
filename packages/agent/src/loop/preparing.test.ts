import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Model, ModelEvent } from "../model/event.ts";
import type { Message, ModelRequest } from "../model/message.ts";
import { type Session, sessions } from "../session/sessions.ts";
import { type Agent, createAgent } from "./agent.ts";
import type { AgentEvent } from "./event.ts";
import { isSummary } from "./summary.ts";

const WINDOW = { contextTokens: 100_000, maxTokens: 10_000 } as const;
const [NEAR, NEEDED, FULL] = [70_000, 82_000, 95_000];
const PRICE = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
const work = defineTool({
  name: "Work",
  description: "Works",
  inputSchema: z.object({}),
  call: () => "done",
});

const isAboutSummary = ({ messages }: ModelRequest): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary of the conversation");

/** A model whose answers use this much context, and whose summaries come when the test says so. */
function world(sizes: readonly number[], session?: Session) {
  const left = [...sizes];
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let aborted = 0;
  const model: Model = {
    name: "m",
    async *stream(request, signal): AsyncGenerator<ModelEvent, void, undefined> {
      expect(checkHistory(request.messages)).toEqual([]);
      const about = isAboutSummary(request);
      (about ? summaries : requests).push(request);
      if (about) {
        const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await Promise.race([released, stopped]);
        if (signal.aborted) aborted++;
        signal.throwIfAborted();
      }
      const text = about ? "A summary." : `Answer ${requests.length}. ${"words ".repeat(500)}`;
      yield { type: "block", block: { type: "text", text } };
      const inputTokens = about ? 1_000 : (left.shift() ?? 10);
      yield {
        type: "usage",
        usage: { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      };
      yield { type: "stopped", reason: "end_turn", detail: "" };
    },
  };
  const events: AgentEvent[] = [];
  const agent = createAgent({
    model,
    tools: [work],
    price: PRICE,
    ...WINDOW,
    ...(session === undefined ? {} : { session }),
    onEvent: (event) => events.push(event),
  });
  const compacted = () => events.filter(({ type }) => type === "compacted");
  return { agent, requests, summaries, compacted, release, aborted: () => aborted };
}

const textsOf = (messages: readonly Message[]) => messages.map(({ content }) => content);

async function ask(agent: Agent, ...prompts: readonly string[]): Promise<void> {
  for (const prompt of prompts) expect((await agent.send(prompt)).reason).toBe("completed");
}

test("from two thirds of the window on, a summary is prepared while the conversation goes on", async () => {
  const { agent, requests, summaries, compacted, release } = world([10_000, NEAR, NEAR, NEEDED]);
  await ask(agent, "one");
  expect(summaries).toHaveLength(0);
  await ask(agent, "two", "three", "four");
  // It has not ended, and nobody has waited for it.
  expect([requests.length, summaries.length, compacted().length]).toEqual([4, 1, 0]);
  release();
  await new Promise((resolve) => setImmediate(resolve));
  await ask(agent, "five");
  expect([summaries.length, compacted()]).toEqual([
    1,
    [expect.objectContaining({ how: "summarised", beforeTokens: expect.closeTo(NEEDED, -2) as number })],
  ]);
  const sent = requests[4]?.messages ?? [];
  expect(isSummary(sent[0] as Message)).toBe(true);
  // What came after the summary was begun is there word for word.
  expect(textsOf(sent).slice(-2)[0]).toEqual(textsOf(agent.messages).at(-3));
  expect(textsOf(sent)).toContain("three");
  expect(textsOf(sent).at(-1)).toBe("five");
  await agent.close();
});

test("the summary request has the same prefix as the others, whole, and says that newer messages stay", async () => {
  const { agent, requests, summaries, release } = world([10_000, NEAR, NEAR]);
  await ask(agent, "one", "two", "three");
  release();
  const [summary] = summaries;
  const [, , last] = requests;
  expect(summary?.system).toBe(last?.system);
  expect(summary?.tools).toEqual(last?.tools);
  const covered = summary?.messages.slice(0, -1) ?? [];
  expect(covered.length).toBeGreaterThan(1);
  covered.forEach((message, at) => expect(message).toBe(last?.messages[at]));
  const text = String(summary?.messages.at(-1)?.content);
  expect(text).toContain("word for word");
  expect(text).toContain("Do not propose a next step.");
  await agent.close();
});

test("what it costs is counted, also if it ends between two prompts", async () => {
  const { agent, release } = world([NEAR, 10, 10]);
  await ask(agent, "one");
  release();
  await new Promise((resolve) => setImmediate(resolve));
  const { costUsd } = await agent.send("two");
  expect(costUsd).toBeCloseTo(1 + 10 / 1_000, 6);
  await agent.close();
});

test("what it costs is in the session, also if it ends after the last prompt", async () => {
  const home = mkdtempSync(join(tmpdir(), "runahead-preparing-"));
  try {
    const store = sessions({ home, cwd: home });
    const { agent, summaries, release } = world([NEAR], await store.create("s"));
    await ask(agent, "one");
    release();
    await expect.poll(() => summaries.length).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    await agent.close();
    const again = await store.resume("s");
    await again.close();
    expect([again.usage.inputTokens, again.costUsd]).toEqual([NEAR + 1_000, (NEAR + 1_000) / 1_000]);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("with a full window the request waits for the summary that is being prepared, and makes no other", async () => {
  const { agent, summaries, compacted, release } = world([NEAR, FULL, 10]);
  await ask(agent, "one", "two");
  const third = agent.send("three");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(compacted()).toEqual([]);
  release();
  expect((await third).reason).toBe("completed");
  expect([summaries.length, compacted().length]).toEqual([1, 1]);
  await agent.close();
});

test("a summary of messages that were taken back is dropped", async () => {
  const { agent, summaries, compacted, release, requests } = world([10, NEAR, NEEDED, 10]);
  await ask(agent, "one", "two");
  expect(summaries).toHaveLength(1);
  await agent.rewind(agent.prompts[1]?.messages ?? -1);
  release();
  await new Promise((resolve) => setImmediate(resolve));
  await ask(agent, "other", "last");
  const sent = JSON.stringify(requests.at(-1)?.messages);
  expect([sent.includes("other"), sent.includes("two"), compacted().length]).toEqual([true, false, 1]);
  expect(summaries).toHaveLength(2);
  await agent.close();
});

test("closing the agent stops it", async () => {
  const { agent, summaries, aborted } = world([NEAR]);
  await ask(agent, "one");
  await agent.close();
  expect([summaries.length, aborted()]).toEqual([1, 1]);
});
