import { checkHistory, repairHistory } from "@runahead/engine/history";
import { afterEach, expect, test } from "vitest";
import { type ModelServer, modelServer, sse } from "../../test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../test/support/responses.ts";
import { anthropic } from "../model/anthropic.ts";
import { ModelError } from "../model/error.ts";
import type { Model, StopReason, Usage } from "../model/event.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { NO_USAGE } from "../model/token-usage.ts";
import { CUT_OFF } from "./notes.ts";
import { type SummaryPorts, type SummaryResult, summarise } from "./summary.ts";

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const AT_ONCE = { attempts: 4, firstWaitMs: 1, longestWaitMs: 2, random: () => 0.5 };
const LABEL =
  "[Summary of the earlier conversation. It replaces those messages. What it calls open may already be done in the messages below.]\n";
const SAID = "[The user wrote, word for word:]\n";
const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string): Block => ({ type: "tool_use", id, name: "Read", input: { file_path: "a.ts" } });
const result = (id: string): Block => ({ type: "tool_result", tool_use_id: id, content: "r".repeat(400) });
const said = (words: string): Message => ({ role: "user", content: words });
const user = (...content: Block[]): Message => ({ role: "user", content });
const assistant = (...content: Block[]): Message => ({ role: "assistant", content });
const contentOf = (message: Message | undefined): readonly Block[] =>
  message === undefined || typeof message.content === "string" ? [] : message.content;

const TURN = [assistant(text("I look."), call("a")), user(result("a"))];
const TWO = [assistant(text("And there."), call("b")), user(result("b"))];
const WORK = [said("Fix the bug."), ...TURN, ...TWO];
const TOOLS = [{ name: "Read", description: "Reads", input_schema: { type: "object" } }];

function summed(
  messages: readonly Message[],
  ports: Partial<SummaryPorts> & { model: Model },
): Promise<SummaryResult> {
  const signal = new AbortController().signal;
  const rest = { system: "Be brief.", tools: TOOLS, maxTokens: 32_000, keepTokens: 0, retry: AT_ONCE };
  return summarise(messages, { ...rest, signal, ...ports });
}
const summaryOf = (words: string, ...prompts: string[]): Message =>
  user(text(`${LABEL}${words}`), ...prompts.map((prompt) => text(`${SAID}${prompt}`)));

/** A model that remembers what it was asked, and answers with a given text or error. */
function telling(
  ...answers: readonly (string | Error | { stop: StopReason; text: string; usage?: Usage })[]
): {
  model: Model;
  requests: ModelRequest[];
} {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "telling",
    async *stream(request) {
      expect(checkHistory(request.messages)).toEqual([]);
      const answer = answers[requests.push(request) - 1] ?? new Error("no more answers");
      if (answer instanceof Error) throw answer;
      const next = typeof answer === "string" ? { stop: "end_turn" as const, text: answer } : answer;
      if (next.text !== "") yield { type: "block", block: text(next.text) };
      yield { type: "usage", usage: { ...NO_USAGE, inputTokens: 100, outputTokens: 7 } };
      yield { type: "stopped", reason: next.stop, detail: "" };
    },
  };
  return { model, requests };
}

test("old messages become one message that quotes the user's prompts; the last turn stays the same", async () => {
  const { model, requests } = telling("The bug is in a.ts.");
  const done = await summed(WORK, { model });
  expect(done).toEqual({
    type: "summarised",
    messages: [summaryOf("The bug is in a.ts.", "Fix the bug."), ...TWO],
    usage: { ...NO_USAGE, inputTokens: 100, outputTokens: 7 },
  });
  if (done.type === "failed") throw new Error(done.reason);
  expect(done.messages[1]).toBe(WORK[3]);
  expect(checkHistory(done.messages)).toEqual([]);
  expect(requests.map(({ system, tools, maxTokens }) => ({ system, tools, maxTokens }))).toEqual([
    { system: "Be brief.", tools: TOOLS, maxTokens: 16_000 },
  ]);
  const sent = requests[0]?.messages ?? [];
  expect(sent.slice(0, -1)).toEqual(WORK.slice(0, 3));
  expect(sent.at(-1)).toMatchObject({
    role: "user",
    content: expect.stringMatching(/^Write a summary of the conversation.*/),
  });
});

test("as many of the newest messages stay as fit, from a valid starting point", async () => {
  const begins = async (messages: readonly Message[], keepTokens: number): Promise<number> => {
    const done = await summed(messages, { model: telling("S").model, keepTokens });
    if (done.type === "failed") throw new Error(done.reason);
    expect(checkHistory(done.messages)).toEqual([]);
    expect(repairHistory(done.messages).repairs).toEqual([]);
    return messages.length - done.messages.length + 1;
  };
  expect(await begins(WORK, 0)).toBe(3);
  expect(await begins(WORK, 200)).toBe(3);
  expect(await begins(WORK, 1_000)).toBe(1);
  // All of it was answered: nothing must stay; a prompt that was not answered must.
  const answered = [...WORK, assistant(text("Fixed."))];
  expect(await begins(answered, 0)).toBe(6);
  expect(await begins([...answered, said("And now?")], 0)).toBe(6);
  expect(await begins([...WORK, said("Wait!")], 0)).toBe(5);
  // A response that was paused and went on is one.
  const paused = [assistant(text("two"), call("c")), user(result("c"))];
  expect(await begins([...WORK, assistant(text("One")), assistant(text("two")), said("?")], 4)).toBe(7);
  expect(await begins([...WORK, assistant(text("One")), ...paused], 4)).toBe(5);
});

test("G08: an open call stays with its message, and its result can follow", async () => {
  const open = [...WORK, assistant(text("More"), call("c"), call("d"))];
  const done = await summed(open, { model: telling("S").model });
  if (done.type === "failed") throw new Error(done.reason);
  expect(done.messages.slice(1)).toEqual([open[5]]);
  expect(done.messages[1]).toBe(open[5]);
  expect(checkHistory([...done.messages, user(result("c"), result("d"))])).toEqual([]);
});

test("an invalid history or request is repaired before it is sent", async () => {
  const { model, requests } = telling("S");
  const broken = [said("Go"), assistant(call("x")), said("Hello?"), ...TURN];
  await summed(broken, { model, instructions: "half \ud83d" });
  expect(requests[0]?.messages[2]).toMatchObject({
    content: [{ type: "tool_result", tool_use_id: "x" }, {}],
  });
});

test("the kept part never begins with results, even if they came late", async () => {
  const late = [said("Go"), assistant(call("x")), said("Hello?"), user(result("x"))];
  const done = await summed([...late, assistant(call("y"))], { model: telling("S").model, keepTokens: 150 });
  expect(done).toMatchObject({ messages: [summaryOf("S", "Go", "Hello?"), assistant(call("y"))] });
});

test("if there is nothing before the last turn, no request is sent", async () => {
  const failed = {
    type: "failed",
    reason: "there is nothing to summarise before the last turn",
    usage: NO_USAGE,
  };
  const { model, requests } = telling();
  for (const messages of [[], [said("Hi")], [assistant(call("a"))]])
    expect(await summed(messages, { model })).toEqual(failed);
  expect(requests).toEqual([]);
});

test("a summary of a summary keeps the user's prompts, not the text around them", async () => {
  const first = await summed(WORK, { model: telling("One.").model });
  if (first.type === "failed") throw new Error(first.reason);
  const later = [...first.messages, said("Now test it."), assistant(text("Tested."))];
  const second = await summed(later, { model: telling("Two.").model });
  expect(second).toMatchObject({ messages: [summaryOf("Two.", "Fix the bug.", "Now test it.")] });
});

test("the latest prompt is kept completely, and earlier ones as far as they fit", async () => {
  const prompts = ["first", "b".repeat(15_000), "c".repeat(6_000), "d".repeat(9_000), "e".repeat(30_000)];
  const kept = async (...latest: string[]): Promise<string[]> => {
    const messages = latest.flatMap((prompt) => [said(prompt), assistant(text("Yes."))]);
    const done = await summed(messages, { model: telling("S").model });
    if (done.type === "failed") throw new Error(done.reason);
    return contentOf(done.messages[0])
      .slice(1)
      .map((block) => String(block["text"]).slice(SAID.length));
  };
  expect(await kept(...prompts)).toEqual([prompts[4]]);
  // Texts that the loop added are not the user's.
  expect(await kept(...prompts, CUT_OFF)).toEqual([prompts[4]]);
  expect(await kept(...prompts.slice(0, 4))).toEqual([prompts[0], prompts[2], prompts[3]]);
  const two = [user(text(prompts[1] as string), text(prompts[2] as string)), assistant(text("Yes."))];
  expect(await summed(two, { model: telling("S").model })).toMatchObject({
    messages: [summaryOf("S", `${prompts[1]}\n\n${prompts[2]}`)],
  });
  expect((await kept(...Array.from({ length: 2_000 }, () => "?"))).length).toBeLessThan(600);
});

test("the user can give instructions, and calls in the summary do not run", async () => {
  const requests: ModelRequest[] = [];
  const model = scripted([
    (request) => {
      requests.push(request);
      return [text("First. "), call("x"), text("Second.")];
    },
  ]);
  const done = await summed(WORK, { model, instructions: "the tests" });
  expect(done).toMatchObject({ messages: [summaryOf("First. Second.", "Fix the bug."), ...TWO] });
  expect(requests[0]?.messages.at(-1)?.content).toMatch(/\n\nThe user asks to focus on: the tests$/);
});

test("an empty answer and a refusal are failures; a summary that was cut off says so", async () => {
  const answered = (stop: StopReason, words: string) =>
    summed(WORK, { model: telling({ stop, text: words }).model });
  const usage = { ...NO_USAGE, inputTokens: 100, outputTokens: 7 };
  expect(await answered("end_turn", " \n")).toEqual({
    type: "failed",
    reason: "the model returned no summary",
    usage,
  });
  expect(await answered("refusal", "I will not")).toEqual({
    type: "failed",
    reason: "the model refused",
    usage,
  });
  const cut = "Half\n[The summary was cut off by the output limit.]";
  expect(await answered("max_tokens", "Half")).toMatchObject({
    messages: [summaryOf(cut, "Fix the bug."), ...TWO],
  });
});

test("an error of the model is returned: at once if a retry cannot help, otherwise after a few attempts", async () => {
  const bad = telling(new ModelError("credentials", "no key"));
  expect(await summed(WORK, { model: bad.model })).toEqual({
    type: "failed",
    reason: "no key",
    usage: NO_USAGE,
  });
  const overloaded = new ModelError("overloaded", "Overloaded");
  const lucky = telling(overloaded, overloaded, "At last.");
  expect(await summed(WORK, { model: lucky.model })).toMatchObject({ type: "summarised" });
  const unlucky = telling(...Array.from({ length: 9 }, () => overloaded));
  expect(await summed(WORK, { model: unlucky.model })).toEqual({
    type: "failed",
    reason: "Overloaded",
    usage: NO_USAGE,
  });
  expect(unlucky.requests).toHaveLength(4);
});

test("an abort is thrown, during an answer and between attempts; so is a bug", async () => {
  const abort = new AbortController();
  const talking = scripted([
    () => {
      abort.abort();
      return [text("S")];
    },
  ]);
  const aborted = { name: "AbortError" };
  await expect(summed(WORK, { model: talking, signal: abort.signal })).rejects.toMatchObject(aborted);
  const later = new AbortController();
  const waiting = telling(new ModelError("rate-limit", "later", { retryAfterMs: 3_600_000 }));
  setTimeout(() => later.abort(), 5);
  await expect(summed(WORK, { model: waiting.model, signal: later.signal })).rejects.toMatchObject(aborted);
  const stopped = new AbortController();
  const cut: Model = {
    name: "cut",
    stream() {
      stopped.abort();
      throw new ModelError("cut", "the connection broke");
    },
  };
  const broken = summed(WORK, { model: cut, signal: stopped.signal, retry: { ...AT_ONCE, attempts: 1 } });
  await expect(broken).rejects.toThrow("the connection broke");
  const bug = telling(new TypeError("a bug"));
  await expect(summed(WORK, { model: bug.model })).rejects.toThrow("a bug");
});

test("a request that overflows the window drops its older half and is sent again", async () => {
  const turns = Array.from({ length: 16 }, (_, at) => [assistant(call(`c${at}`)), user(result(`c${at}`))]);
  const messages = [said("Fix the bug."), ...turns.flat(), ...TWO];
  const overflow = new ModelError("context-overflow", "prompt is too long");
  const { model, requests } = telling(overflow, { stop: "model_context_window_exceeded", text: "Ha" }, "S");
  const done = await summed(messages, { model });
  expect(done).toMatchObject({ messages: [summaryOf("S", "Fix the bug."), ...TWO] });
  expect(requests.map((request) => request.messages.length)).toEqual([34, 16, 8]);
  const [note, ...rest] = requests[2]?.messages ?? [];
  expect(note).toEqual(said("[The beginning of the conversation is omitted: it does not fit.]"));
  expect(rest.slice(0, -1)).toEqual(messages.slice(27, 33));
});

test("an overflow that cannot be reduced enough is a failure", async () => {
  const overflow = new ModelError("context-overflow", "prompt is too long");
  const one = telling(overflow);
  expect(await summed([said("x".repeat(9_000)), ...TWO], { model: one.model })).toEqual({
    type: "failed",
    reason: "prompt is too long",
    usage: NO_USAGE,
  });
  expect(one.requests).toHaveLength(1);
  const large = telling(overflow);
  expect(await summed([said("x"), ...TURN, ...TWO], { model: large.model })).toMatchObject({
    type: "failed",
  });
  expect(large.requests).toHaveLength(1);
  const turns = Array.from({ length: 99 }, (_, at) => [assistant(call(`c${at}`)), user(result(`c${at}`))]);
  const many = telling(...Array.from({ length: 9 }, () => overflow));
  expect(await summed([said("x"), ...turns.flat()], { model: many.model })).toMatchObject({ type: "failed" });
  expect(many.requests).toHaveLength(4);
});

test("thinking that is no longer valid, because the messages before it changed, is not sent again", async () => {
  const thinking = { type: "thinking", thinking: "Hm", signature: "s" };
  const messages = [said("Go"), assistant(thinking, text("I look."), call("a")), user(result("a")), ...TWO];
  const refusal = new ModelError(
    "bad-history",
    "400: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
  );
  const { model, requests } = telling(refusal, "S");
  expect(await summed(messages, { model })).toMatchObject({ messages: [summaryOf("S", "Go"), ...TWO] });
  expect(requests[1]?.messages.slice(0, -1)).toEqual([said("Go"), ...TURN]);
});

test("over real HTTP, the server accepts the request for a summary and the history after it", async () => {
  const answer = (words: string) => ({
    pieces: [sse([messageStart, ...textBlock(0, words), ...messageEnd("end_turn")])],
  });
  const server = await modelServer(answer("All of it."), answer("Going on."));
  servers.push(server);
  const model = anthropic({ model: "claude-test", apiKey: "key", baseURL: server.url });
  const done = await summed(WORK, { model });
  expect(done).toEqual({
    type: "summarised",
    messages: [summaryOf("All of it.", "Fix the bug."), ...TWO],
    usage: { inputTokens: 100, outputTokens: 50, cacheReadTokens: 40, cacheWriteTokens: 7 },
  });
  if (done.type === "failed") throw new Error(done.reason);
  const request = { system: "", tools: TOOLS, messages: done.messages, maxTokens: 100 };
  const events: string[] = [];
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event.type);
  expect(events.at(-1)).toBe("stopped");
  expect(server.requests.map(({ body }) => body["system"] !== undefined)).toEqual([true, false]);
  expect(server.requests[0]?.body["tools"]).toMatchObject(TOOLS);
});
