import { type AnyTool, StreamingToolExecutor } from "@runahead/engine";
import { expect, test } from "vitest";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { type AskUser, type UserAnswers, askUserTool } from "./ask-user.ts";

function asking(askPerson?: AskUser) {
  return agentIn("/tmp", [askUserTool(askPerson)]);
}

const QUESTIONS = [
  {
    question: "Which colour?",
    header: "Colour",
    options: [{ label: "red", description: "warm" }, { label: "blue" }],
  },
  { question: "Which days?", options: [{ label: "Mon" }, { label: "Tue" }], multiSelect: true },
  { question: "Anything else?", options: [] },
];

test("the user sees the questions as they are, and the model reads the answers", async () => {
  const seen: unknown[] = [];
  const answers: UserAnswers = {
    type: "answered",
    answers: [
      { type: "said", text: "green, please" },
      { type: "chosen", labels: ["Mon", "Tue"] },
      { type: "skipped" },
    ],
  };
  const call = asking((questions) => {
    seen.push(questions);
    return Promise.resolve(answers);
  });
  const { text, output } = await call("AskUserQuestion", { questions: QUESTIONS });
  expect(seen).toEqual([QUESTIONS]);
  expect(output).toEqual({ questions: QUESTIONS, answers });
  expect(text).toBe(
    "The user answered:\n\nWhich colour?\n→ green, please\n\nWhich days?\n→ Mon, Tue\n\nAnything else?\n→ (no answer)",
  );
});

test("a user can decline to answer, with or without a message", async () => {
  const declining = (words: string) => asking(() => ({ type: "declined", words }));
  const input = { questions: QUESTIONS };
  expect((await declining("")("AskUser", input)).text).toBe("The user declined to answer.");
  const skipping = asking((questions) => ({
    type: "answered",
    answers: questions.map(() => ({ type: "skipped" })),
  }));
  expect((await skipping("AskUser", input)).text).toBe("The user declined to answer.");
  expect((await declining("just begin")("AskUser", input)).text).toBe(
    "The user did not choose an answer, but said: just begin",
  );
});

test("if nobody can answer, the result says that the model must decide itself", async () => {
  const { text, isError } = await asking()("AskUser", { questions: QUESTIONS });
  expect([isError, text]).toEqual([
    true,
    "Error: Nobody can answer questions in this run. Choose the most sensible option yourself and say what you assumed.",
  ]);
});

test("invalid questions are refused field by field, and invalid answers throw", async () => {
  const call = asking(() => ({ type: "answered", answers: [] }));
  const twice = { question: "q", options: [{ label: "a" }, { label: "a" }] };
  expect((await call("AskUser", { questions: [twice] })).text).toContain(
    "`questions.0.options`: two options have the same label",
  );
  expect((await call("AskUser", { questions: [] })).text).toContain("`questions`");
  expect((await call("AskUser", { questions: [{ question: "q", options: [] }] })).text).toMatch(
    /^Error: askPerson returned 0 answers to 1 questions\./,
  );
});

test("a new prompt withdraws the question, even if the dialog ignores it", async () => {
  const controller = new AbortController();
  let signal: AbortSignal | undefined;
  const call = asking((_questions, given) => {
    signal = given;
    controller.abort("interrupt");
    return new Promise(() => {});
  });
  const { text } = await call("AskUser", { questions: QUESTIONS }, controller.signal);
  expect(text).toMatch(/^Stopped after \d+\.\d s: .*\nIt had printed nothing\.$/);
  expect(signal?.aborted).toBe(true);
});

test("a question waits for the calls before it, and those after it wait for the answer", async () => {
  const order: string[] = [];
  const anything = {
    "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
  } as const;
  const look: AnyTool = {
    name: "Look",
    description: "",
    inputSchema: anything,
    isReadOnly: () => true,
    call: (input) =>
      new Promise<void>((done) => setTimeout(() => (order.push((input as { at: string }).at), done()), 10)),
  };
  const askPerson: AskUser = async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    order.push("asked");
    return { type: "declined", words: "" };
  };
  const executor = new StreamingToolExecutor({ tools: [look, askUserTool(askPerson)] });
  executor.add({ id: "1", name: "Look", input: { at: "before" } });
  executor.add({ id: "2", name: "AskUser", input: { questions: QUESTIONS } });
  executor.add({ id: "3", name: "Look", input: { at: "after" } });
  executor.end();
  for await (const _update of executor.remaining());
  expect(order).toEqual(["before", "asked", "after"]);
});
