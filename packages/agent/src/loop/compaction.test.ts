import { memoryResults } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, modelServer, sse } from "../../test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { anthropic } from "../model/anthropic.ts";
import { ModelError } from "../model/error.ts";
import type { Model } from "../model/event.ts";
import type { Block, Message } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { type CompactionRequest, type CompactionResult, Compactor } from "./compaction.ts";
import { estimateTokens } from "./tokens.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const text = (words: string): Block => ({ type: "text", text: words });
const said = (words: string): Message => ({ role: "user", content: words });
const user = (...content: Block[]): Message => ({ role: "user", content });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
const contentOf = (message: Message | undefined): readonly Block[] =>
  message === undefined || typeof message.content === "string" ? [] : message.content;
const call = (id: string): Block => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, chars: number): Block => ({
  type: "tool_result",
  tool_use_id: id,
  content: "r".repeat(chars),
});

/** So many turns whose results have 1,000 tokens each, or whose texts have. */
const reading = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) => [assistant(call(`c${at}`)), user(result(`c${at}`, 4_000))]).flat();
const talking = (turns: number): Message[] =>
  Array.from({ length: turns }, () => [said("?"), assistant(text("t".repeat(4_000)))]).flat();

const says = (...words: string[]): Model => scripted(words.map((word) => [text(word)]));
const silent = scripted([]);
const failing = (times: number): Model => scripted(Array.from({ length: times }, () => []));
const request = (model: Model, more: Partial<CompactionRequest> = {}): CompactionRequest => {
  const signal = new AbortController().signal;
  return { model, system: "", tools: [], maxTokens: 1_000, signal, manual: false, ...more };
};
const small = (): Compactor => new Compactor({ windowTokens: 10_000, results: memoryResults() });

function compacted(done: CompactionResult): Extract<CompactionResult, { type: "compacted" }> {
  if (done.type === "failed") throw new Error(done.reason);
  return done;
}

test("compaction is needed above four fifths of the window, or at the given share", () => {
  const needed = (compactor: Compactor, ...tokens: number[]) =>
    tokens.map((count) => compactor.isNeeded(count));
  expect(needed(new Compactor({}), 160_000, 160_001)).toEqual([false, true]);
  const early = new Compactor({ windowTokens: 1_000, compactAt: 0.5 });
  expect(needed(early, 500, 501)).toEqual([false, true]);
});

test("invalid sizes throw an error that says what is wrong", () => {
  const wrong = [
    [{ windowTokens: 0 }, "windowTokens must be a number above 0, got 0"],
    [{ windowTokens: NaN }, "windowTokens must be a number above 0, got NaN"],
    [{ windowTokens: Infinity }, "windowTokens must be a number above 0, got Infinity"],
    [{ compactAt: 80 }, "compactAt must be above 0 and at most 1, got 80"],
    [{ compactAt: 0 }, "compactAt must be above 0 and at most 1, got 0"],
    [{ keepTokens: -1 }, "keepTokens must be 0 or more, got -1"],
    [{ keepTokens: NaN }, "keepTokens must be 0 or more, got NaN"],
  ] as const;
  for (const [options, message] of wrong) expect(() => new Compactor(options)).toThrow(message);
});

test("if shortened results free enough, no summary is requested", async () => {
  const messages = [said("Go"), ...reading(9)];
  const done = compacted(await small().compact(messages, request(silent)));
  expect(done).toMatchObject({ how: "shortened", usage: NO_USAGE });
  expect(done.beforeTokens).toBe(estimateTokens(messages));
  expect(done.afterTokens).toBe(estimateTokens(done.messages));
  expect(done.afterTokens).toBeLessThan(4_000);
  expect(done.messages.slice(-2)).toEqual(messages.slice(-2));
  expect(checkHistory(done.messages)).toEqual([]);
});

test("otherwise the conversation is summarised, and the newest part stays", async () => {
  const messages = [said("Go"), ...reading(4), assistant(text("Read.")), ...talking(6)];
  const asked: (readonly Message[])[] = [];
  const model = scripted([
    (sent) => {
      asked.push(sent.messages);
      return [text("In short: done.")];
    },
  ]);
  const done = compacted(await small().compact(messages, request(model)));
  expect(done.how).toBe("summarised");
  // The part that the summary covers fits, although the whole conversation does not.
  expect(asked[0]?.slice(0, 10)).toEqual(messages.slice(0, 10));
  expect(done.messages.slice(1)).toEqual(messages.slice(-4));
  expect(contentOf(done.messages[0])[0]?.["text"]).toMatch(/In short: done\.$/);
  expect(done.afterTokens).toBeLessThan(done.beforeTokens / 2);
});

test("the request for a summary has shortened results only if the part that it covers does not fit", async () => {
  const asked: (readonly Message[])[] = [];
  const model = scripted([
    (sent) => {
      asked.push(sent.messages);
      return [text("In short: done.")];
    },
  ]);
  const messages = [said("Go"), ...reading(6), assistant(text("Read.")), ...talking(6)];
  const done = compacted(await small().compact(messages, request(model)));
  expect(done.how).toBe("summarised");
  expect(contentOf(asked[0]?.[2])[0]?.["content"]).toMatch(/^\[Shortened: the result of Read/);
});

test("at most a quarter of the window, and of the conversation, is kept", async () => {
  const kept = async (compactor: Compactor, turns: number): Promise<number> => {
    const done = await compactor.compact(talking(turns), request(says("S")));
    return estimateTokens(compacted(done).messages.slice(1));
  };
  expect(Math.round((await kept(new Compactor({ windowTokens: 10_000 }), 12)) / 1_000)).toBe(2);
  expect(Math.round((await kept(new Compactor({ windowTokens: 90_000 }), 80)) / 1_000)).toBe(19);
  expect(
    Math.round((await kept(new Compactor({ windowTokens: 90_000, keepTokens: 9_000 }), 80)) / 1_000),
  ).toBe(8);
  expect(Math.round((await kept(new Compactor({}), 12)) / 1_000)).toBe(3);
});

test("a manual compaction is always a summary, with the user's instructions", async () => {
  const asked: unknown[] = [];
  const model = scripted([
    ({ messages }) => {
      asked.push(messages.at(-1)?.content);
      return [text("S")];
    },
  ]);
  const wish = request(model, { manual: true, instructions: "the tests" });
  expect(compacted(await small().compact([said("Go"), ...reading(9)], wish)).how).toBe("summarised");
  expect(asked).toEqual([expect.stringMatching(/the tests$/)]);
});

test("G08: after three failed attempts in a row, compaction stops, says why, and sends no more requests", async () => {
  const compactor = small();
  const messages = [said("x".repeat(40_000)), assistant(text("Yes.")), said("And?")];
  const model = says("1", "2", "3", "4");
  const tries: CompactionResult[] = [];
  for (let round = 0; round < 4; round++) {
    expect(compactor.isNeeded(9_000)).toBe(round < 3);
    tries.push(await compactor.compact(messages, request(model)));
  }
  const left = /^the result would have \d+ tokens instead of \d+/;
  const usage = NO_USAGE;
  expect(tries).toEqual([
    { type: "failed", reason: expect.stringMatching(left), gaveUp: false, usage },
    { type: "failed", reason: expect.stringMatching(left), gaveUp: false, usage },
    {
      type: "failed",
      reason: expect.stringMatching(/ \(3 failed attempts in a row\)$/),
      gaveUp: true,
      usage,
    },
    {
      type: "failed",
      reason: expect.stringMatching(/ \(3 failed attempts in a row\)$/),
      gaveUp: true,
      usage,
    },
  ]);
  // The fourth answer of the model is still there.
  const wish = request(model, { manual: true });
  const [summary] = compacted(await compactor.compact(talking(5), wish)).messages;
  expect(contentOf(summary)[0]?.["text"]).toMatch(/\n4$/);
  expect(compactor.isNeeded(9_000)).toBe(true);
});

test("G08: a successful attempt resets the count, and a failed manual compaction does not count", async () => {
  const compactor = small();
  const failedAttempt = () => compactor.compact(talking(9), request(failing(1)));
  await failedAttempt();
  await failedAttempt();
  compacted(await compactor.compact(talking(9), request(says("S"))));
  await failedAttempt();
  await failedAttempt();
  const wish = await compactor.compact(talking(9), request(failing(1), { manual: true }));
  const reason = "no summary: the model returned no summary";
  expect(wish).toEqual({ type: "failed", reason, gaveUp: false, usage: NO_USAGE });
  expect(compactor.isNeeded(9_000)).toBe(true);
  expect(await failedAttempt()).toMatchObject({ gaveUp: true });
  const again = await compactor.compact(talking(9), request(failing(1), { manual: true }));
  expect(again).toEqual({ type: "failed", reason, gaveUp: true, usage: NO_USAGE });
  expect(compactor.isNeeded(9_000)).toBe(false);
});

test("if the summary fails, shortened results are used", async () => {
  const messages = [said("Go"), ...reading(4), assistant(text("Read.")), ...talking(6)];
  const model: Model = {
    name: "broken",
    stream() {
      throw new ModelError("credentials", "no key");
    },
  };
  expect(compacted(await small().compact(messages, request(model))).how).toBe("shortened");
  const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 1 };
  const wordless: Model = {
    name: "wordless",
    async *stream() {
      yield { type: "usage", usage };
      yield { type: "stopped", reason: "end_turn", detail: "" };
    },
  };
  // Its usage is still reported.
  expect(await small().compact(messages, request(wordless))).toMatchObject({ how: "shortened", usage });
  expect(await small().compact(messages, request(model, { manual: true }))).toEqual({
    type: "failed",
    reason: "no summary: no key",
    gaveUp: false,
    usage: NO_USAGE,
  });
});

test("an abort is thrown and does not count", async () => {
  const compactor = small();
  const signal = AbortSignal.abort();
  for (let round = 0; round < 4; round++) {
    const aborted = compactor.compact(talking(9), request(says("S"), { signal }));
    await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  }
  expect(compactor.isNeeded(9_000)).toBe(true);
});

test("over real HTTP, the server accepts the requests and the results of compaction", async () => {
  const answer = { pieces: [sse([messageStart, ...textBlock(0, "In short."), ...messageEnd("end_turn")])] };
  const server = await modelServer(answer, answer);
  servers.push(server);
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url });
  const messages = [said("Go"), ...reading(4), assistant(text("Read.")), ...talking(5)];
  const done = compacted(await small().compact([...messages, said("Next")], request(model)));
  expect(done).toMatchObject({ how: "summarised", usage: { inputTokens: 100, cacheReadTokens: 40 } });
  const { signal } = new AbortController();
  const next = { system: "", tools: [], messages: done.messages, maxTokens: 100 };
  for await (const event of model.stream(next, signal))
    if (event.type === "stopped") expect(event.reason).toBe("end_turn");
  expect(server.requests).toHaveLength(2);
});

/** What a random history is made of: sizes are in characters. */
interface Round {
  readonly calls: readonly number[];
  readonly thinking: boolean;
  readonly isText: boolean;
}
interface Prompted {
  readonly prompts: readonly string[];
  readonly rounds: readonly Round[];
  readonly answer: number;
}
const size = fc.oneof(fc.nat(50), fc.nat(8_000));
const roundOf: fc.Arbitrary<Round> = fc.record({
  calls: fc.array(size, { minLength: 1, maxLength: 3 }),
  thinking: fc.boolean(),
  isText: fc.boolean(),
});
const promptedOf: fc.Arbitrary<Prompted> = fc.record({
  prompts: fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), {
    minLength: 1,
    maxLength: 2,
  }),
  rounds: fc.array(roundOf, { maxLength: 4 }),
  answer: size,
});
/** How far the last turn has come: to its prompt, its open calls, their results, or its end. */
const endings = ["prompt", "open", "results", "end"] as const;

interface Made {
  readonly messages: Message[];
  readonly open: readonly string[];
  readonly lastPrompt: readonly string[];
}

function make(conversation: readonly Prompted[], ending: (typeof endings)[number]): Made {
  const messages: Message[] = [];
  let ids = 0;
  const round = ({ calls, thinking, isText }: Round): string[] => {
    const named = calls.map((chars) => ({ id: `id${ids++}`, chars }));
    const thought = thinking ? [{ type: "thinking", thinking: "Hm", signature: `s${ids}` }] : [];
    const words = isText ? [text("I look.")] : [];
    messages.push(assistant(...thought, ...words, ...named.map(({ id }) => call(id))));
    messages.push(user(...named.map(({ id, chars }) => result(id, chars))));
    return named.map(({ id }) => id);
  };
  let open: string[] = [];
  let lastPrompt: readonly string[] = [];
  for (const [at, { prompts, rounds, answer }] of conversation.entries()) {
    lastPrompt = prompts.map((prompt, part) => `prompt ${at}.${part}: ${prompt}`);
    messages.push(lastPrompt.length === 1 ? said(lastPrompt[0] as string) : user(...lastPrompt.map(text)));
    const isLast = at === conversation.length - 1;
    if (isLast && ending === "prompt") break;
    const all = isLast && rounds.length === 0 ? [{ calls: [10], thinking: true, isText: false }] : rounds;
    for (const one of all) open = round(one);
    if (!isLast || ending === "end") messages.push(assistant(text(`Done.${"a".repeat(answer)}`)));
  }
  if (ending !== "open") return { messages, open: [], lastPrompt };
  return { messages: messages.slice(0, -1), open, lastPrompt };
}

const blocksOf = (messages: readonly Message[], type: string): Block[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((block) => block.type === type),
  );

const textsOf = (messages: readonly Message[]): string =>
  messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) =>
      typeof content === "string" ? [content] : content.map((block) => block["text"]),
    )
    .join("\n");

/** Sums up, and refuses what a server would refuse. */
const strict = (): Model =>
  scripted([
    ({ messages }) => {
      expect(checkHistory(messages)).toEqual([]);
      return [text("S")];
    },
  ]);

test("G08: compaction of any history, at any point of a turn, leaves a valid history and keeps the latest prompt", async () => {
  const seen = new Map<string, number>();
  const property = fc.asyncProperty(
    fc.array(promptedOf, { minLength: 1, maxLength: 6 }),
    fc.constantFrom(...endings),
    fc.record({ windowTokens: fc.integer({ min: 100, max: 20_000 }), keepTokens: fc.nat(5_000) }),
    fc.boolean(),
    async (conversation, ending, sizes, manual) => {
      const { messages, open, lastPrompt } = make(conversation, ending);
      const before = structuredClone(messages);
      const compactor = new Compactor({ ...sizes, results: memoryResults() });
      const done = await compactor.compact(messages, request(strict(), { manual }));
      const kind = done.type === "failed" ? "failed" : `${done.how}, ${ending}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      expect(messages).toEqual(before);
      if (done.type === "failed") return;
      const after = done.messages;
      const results = user(...open.map((id) => result(id, 1)));
      expect(checkHistory(open.length === 0 ? after : [...after, results])).toEqual([]);
      const calls = blocksOf(after, "tool_use").map(({ id }) => id);
      const answered = blocksOf(after, "tool_result").map((block) => block["tool_use_id"]);
      expect(calls).toEqual([...answered, ...open]);
      const thinking = new Set(blocksOf(messages, "thinking"));
      expect(blocksOf(after, "thinking").filter((block) => !thinking.has(block))).toEqual([]);
      for (const prompt of lastPrompt) expect(textsOf(after)).toContain(prompt);
      expect(done.afterTokens).toBeLessThan(done.beforeTokens);
    },
  );
  await fc.assert(property, { seed: 20_261_115, numRuns: 500 });
  const kinds = ["shortened", "summarised"].flatMap((how) => endings.map((ending) => `${how}, ${ending}`));
  for (const kind of kinds) expect([kind, (seen.get(kind) ?? 0) > 5]).toEqual([kind, true]);
});
