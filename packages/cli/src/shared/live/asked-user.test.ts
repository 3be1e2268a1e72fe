import { expect, test } from "vitest";
import { answersOf, liveAsked } from "./asked-user.ts";
import { answerIn } from "./protocol.ts";

const QUESTIONS = [
  { question: "Which colour?", header: "Colour", options: [{ label: "red" }, { label: "blue\u202E" }] },
  { question: "Which parts?", options: [{ label: "a" }, { label: "b" }, { label: "c" }], multiSelect: true },
  { question: "Which name?", options: [] },
];

const given = (...answers: readonly object[]) => {
  const answer = answerIn({ type: "answers", answers });
  return answer === undefined ? "invalid" : answersOf(answer, QUESTIONS);
};

test("a viewer gets the questions with hidden characters made visible", () => {
  const { asked = [], plan, choices } = liveAsked("asked-1", QUESTIONS);
  expect([plan, choices]).toEqual([undefined, []]);
  expect(asked.map(({ header, isSeveral }) => [header, isSeveral])).toEqual([
    ["Colour", false],
    ["", true],
    ["", false],
  ]);
  expect(JSON.stringify(asked)).not.toContain("\u202E");
});

test("options are given by their number, text replaces them, and an empty reply skips the question", () => {
  expect(given({ options: [1] }, { options: [2, 0, 2] }, { text: " Acme " })).toEqual({
    type: "answered",
    answers: [
      { type: "chosen", labels: ["blue\u202E"] },
      { type: "chosen", labels: ["a", "c"] },
      { type: "said", text: "Acme" },
    ],
  });
  expect(given({ options: [0], text: "green" }, {}, null as unknown as object)).toEqual({
    type: "answered",
    answers: [{ type: "said", text: "green" }, { type: "skipped" }, { type: "skipped" }],
  });
  const skipped = { type: "skipped" };
  expect(given({}, {}, {})).toEqual({ type: "answered", answers: [skipped, skipped, skipped] });
});

test("an answer that does not fit the questions answers nothing", () => {
  for (const answers of [
    [{}],
    [{ options: [2] }, {}, {}],
    [{ options: [0, 1] }, {}, {}],
    [{ options: [-1] }, {}, {}],
  ])
    expect([answers, given(...answers)]).toEqual([answers, undefined]);
  expect(answersOf({ type: "once" }, QUESTIONS)).toBeUndefined();
  expect(answersOf({ type: "no", comment: " later " }, QUESTIONS)).toEqual({
    type: "declined",
    words: "later",
  });
});
