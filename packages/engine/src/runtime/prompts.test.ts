import { getEventListeners } from "node:events";
import { expect, test, vi } from "vitest";
import type { Answer, Ask, Question } from "./ports.ts";
import { PromptLine } from "./prompts.ts";

const ALLOW: Answer = { behavior: "allow" };
const WITHDRAWN = new Error("The question was withdrawn.");

function questionOf(callId: string, signal: AbortSignal = new AbortController().signal): Question {
  const tool = { name: "Bash", description: "", inputSchema: {}, call: () => undefined };
  return { callId, tool, input: {}, context: { cwd: "/" }, reason: "it writes", waiting: 0, signal };
}

/** A person who answers on request, and what is shown to them. */
function person() {
  const shown: Question[] = [];
  const answers = new Map<string, (answer: Answer) => void>();
  const ask: Ask = (question) => {
    shown.push(question);
    return new Promise((resolve) => answers.set(question.callId, resolve));
  };
  return {
    line: new PromptLine(ask),
    shown,
    ids: () => shown.map(({ callId }) => callId),
    answer: (callId: string, answer: Answer = ALLOW) => answers.get(callId)?.(answer),
  };
}

test("One question is open at a time, in order, and each gets its own answer", async () => {
  const { line, ids, answer } = person();
  const asked = ["a", "b", "c"].map((callId) => line.ask(questionOf(callId)));
  expect(ids()).toEqual(["a"]);
  answer("a");
  expect(await asked[0]).toEqual(ALLOW);
  expect(ids()).toEqual(["a", "b"]);
  const no: Answer = { behavior: "deny", message: "not like this" };
  answer("b", no);
  expect(await asked[1]).toEqual(no);
  answer("c");
  expect([await asked[2], ids()]).toEqual([ALLOW, ["a", "b", "c"]]);
});

test("A question says what is asked and why, and how many others are waiting", async () => {
  const { line, shown, answer } = person();
  const question = questionOf("a");
  const first = line.ask(question);
  const second = line.ask(questionOf("b"));
  const third = line.ask(questionOf("c"));
  expect({ ...shown[0] }).toEqual({ ...question, waiting: 2 });
  for (const [callId, asked] of [
    ["a", first],
    ["b", second],
    ["c", third],
  ] as const) {
    answer(callId);
    await asked;
  }
  expect(shown.map(({ waiting }) => waiting)).toEqual([0, 0, 0]);
});

test("A question that is withdrawn while it waits is never shown", async () => {
  const { line, ids, answer } = person();
  const controller = new AbortController();
  const first = line.ask(questionOf("a"));
  const second = line.ask(questionOf("b", controller.signal));
  const third = line.ask(questionOf("c"));
  controller.abort();
  await expect(second).rejects.toEqual(WITHDRAWN);
  answer("a");
  await first;
  answer("c");
  expect([await third, ids()]).toEqual([ALLOW, ["a", "c"]]);
});

test("When an open question is withdrawn, the next one is asked, and a late answer is ignored", async () => {
  const { line, shown, ids, answer } = person();
  const controller = new AbortController();
  const first = line.ask(questionOf("a", controller.signal));
  const second = line.ask(questionOf("b"));
  controller.abort();
  await expect(first).rejects.toEqual(WITHDRAWN);
  expect(shown[0]?.signal.aborted).toBe(true);
  expect(ids()).toEqual(["a", "b"]);
  answer("a", { behavior: "deny" });
  answer("b");
  expect(await second).toEqual(ALLOW);
});

test("An outdated question is not shown, and the new one about its call takes its place", async () => {
  const { line, ids, answer } = person();
  const [about, other] = [{ place: undefined }, { place: undefined }];
  let isOutdated = false;
  const ask = (callId: string, of: { place: number | undefined }): Promise<Answer> =>
    line.ask(questionOf(callId), {
      about: of,
      isOutdated: () => isOutdated && of === about,
      before: undefined,
    });
  const first = line.ask(questionOf("a"));
  const second = ask("b", about);
  const third = ask("c", other);
  isOutdated = true;
  answer("a");
  await first;
  await expect(second).rejects.toEqual(WITHDRAWN);
  isOutdated = false;
  const again = ask("b again", about);
  await vi.waitFor(() => expect(ids()).toEqual(["a", "b again"]));
  answer("b again");
  await again;
  answer("c");
  expect([await third, ids()]).toEqual([ALLOW, ["a", "b again", "c"]]);
});

test("A question that was withdrawn before it is asked is never shown", async () => {
  const { line, ids } = person();
  await expect(line.ask(questionOf("a", AbortSignal.abort()))).rejects.toEqual(WITHDRAWN);
  expect(ids()).toEqual([]);
});

test.each<[string, Ask]>([
  [
    "throws",
    () => {
      throw new Error("the terminal is gone");
    },
  ],
  ["rejects", () => Promise.reject(new Error("the terminal is gone"))],
])("If the dialog %s, that question fails and the next is asked", async (_, broken) => {
  const line = new PromptLine((question) => (question.callId === "a" ? broken(question) : ALLOW));
  const asked = ["a", "b"].map((callId) => line.ask(questionOf(callId)));
  await expect(asked[0]).rejects.toEqual(new Error("the terminal is gone"));
  expect(await asked[1]).toEqual(ALLOW);
});

test("A question that is asked from within a dialog waits for that dialog", async () => {
  const order: string[] = [];
  let inner: Promise<Answer> | undefined;
  const line: PromptLine = new PromptLine(({ callId }) => {
    order.push(`open ${callId}`);
    if (callId === "outer") inner = line.ask(questionOf("inner"));
    order.push(`close ${callId}`);
    return ALLOW;
  });
  await line.ask(questionOf("outer"));
  expect(await inner).toEqual(ALLOW);
  expect(order).toEqual(["open outer", "close outer", "open inner", "close inner"]);
});

test("A finished question leaves no listener on its signal", async () => {
  const { line, answer } = person();
  const { signal } = new AbortController();
  for (const callId of ["a", "b", "c"]) {
    const asked = line.ask(questionOf(callId, signal));
    answer(callId);
    await asked;
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("A thousand questions are asked one after the other", async () => {
  let open = 0;
  const line = new PromptLine(async () => {
    expect(++open).toBe(1);
    await Promise.resolve();
    open--;
    return ALLOW;
  });
  const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => line.ask(questionOf(`${at}`))));
  expect(answers).toEqual(Array.from({ length: 1_000 }, () => ALLOW));
});
