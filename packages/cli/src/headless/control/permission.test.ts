import { expect, test } from "vitest";
import { askUserBy } from "./permission.ts";

const QUESTIONS = [
  { question: "Which colour?", options: [{ label: "red" }] },
  { question: "Which name?", options: [] },
];

async function asked(answer: Readonly<Record<string, unknown>>) {
  const requests: object[] = [];
  const ask = askUserBy({
    request: (request) => {
      requests.push(request);
      return Promise.resolve(answer);
    },
  });
  return { answers: await ask(QUESTIONS, new AbortController().signal), requests };
}

test("the host gets the model's questions as a call of AskUserQuestion and adds the answers to its input", async () => {
  const updatedInput = { questions: QUESTIONS, answers: { "Which colour?": "red" } };
  const { answers, requests } = await asked({ behavior: "allow", updatedInput });
  expect(requests).toMatchObject([
    { subtype: "can_use_tool", tool_name: "AskUserQuestion", input: { questions: QUESTIONS } },
  ]);
  expect(answers).toEqual({
    type: "answered",
    answers: [{ type: "said", text: "red" }, { type: "skipped" }],
  });
});

test("a host that denies, or that allows without answers, has declined", async () => {
  expect((await asked({ behavior: "deny", message: "Not now." })).answers).toEqual({
    type: "declined",
    words: "Not now.",
  });
  expect((await asked({ behavior: "allow" })).answers).toEqual({ type: "declined", words: "" });
});
