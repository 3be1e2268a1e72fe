import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { questionOf } from "../../../test/support/question.ts";
import {
  choiceAnswer,
  choiceLines,
  permissionAnswer,
  permissionLines,
  userAnswer,
  userLines,
} from "./questions.ts";
import { TypedLines } from "./typed-lines.ts";

const question = questionOf({
  input: { command: "npm test" },
  description: "npm test",
  reason: "npm test is not allowed by any rule.",
  choices: [
    { label: "Allow exactly this command", rules: ["Bash(npm test)"], scopes: ["session", "always"] },
    { label: "Allow every npm command", rules: ["Bash(npm:*)"], scopes: ["session"] },
  ],
});

test("a permission question is plain text, and a line that is not one of its answers answers nothing", () => {
  expect(permissionLines(question, "/p", 40)).toEqual([
    "─ Permission ─ Run this command? ───────",
    "npm test is not allowed by any rule.",
    "│ npm test",
    "y   allow once",
    "s1  for this session: Allow exactly this command: Bash(npm test)",
    "a1  always: Allow exactly this command: Bash(npm test)",
    "s2  for this session: Allow every npm command: Bash(npm:*)",
    "n   reject and end the turn",
    "n followed by text: reject and say what to do instead",
    "Type your answer and press Enter:",
  ]);
  const answers = [
    "y",
    "yes",
    "n",
    "n use make",
    "s",
    "a1",
    "s2",
    "a2",
    "s3",
    "yes please",
    "",
    "now do it",
    "0",
  ];
  expect(answers.map((line) => permissionAnswer(line, question))).toEqual([
    { type: "once" },
    { type: "once" },
    { type: "no" },
    { type: "no", message: "use make" },
    { type: "session", rules: ["Bash(npm test)"] },
    { type: "always", rules: ["Bash(npm test)"] },
    { type: "session", rules: ["Bash(npm:*)"] },
    ...Array.from({ length: 6 }, () => undefined),
  ]);
});

test("lists and questions of the model are answered by numbers or text", () => {
  const choosing = {
    title: "Which?",
    choices: [
      { value: "a", label: "One" },
      { value: "b", label: "Two" },
    ],
  };
  expect(choiceLines(choosing)).toEqual([
    "Which?",
    "1  One",
    "2  Two",
    "Type a number and press Enter; 0 cancels:",
  ]);
  expect(["2", "0", "3", "two"].map((line) => choiceAnswer(line, choosing))).toEqual([
    "b",
    null,
    undefined,
    undefined,
  ]);
  const asked = {
    question: "Which colours?",
    options: [{ label: "red" }, { label: "blue" }],
    multiSelect: true,
  };
  expect(userLines(asked).at(-1)).toBe(
    "Type numbers, such as 1,3, or your own answer and press Enter; an empty line skips:",
  );
  expect(["1, 2", "green", "", "4"].map((line) => userAnswer(line, asked))).toEqual([
    { type: "chosen", labels: ["red", "blue"] },
    { type: "said", text: "green" },
    { type: "skipped" },
    undefined,
  ]);
  expect(userAnswer("1,2", { ...asked, multiSelect: false })).toBe(undefined);
});

test("class 13: a line that was typed before the question could be read is not its answer", async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let asked = 0;
  const typed = new TypedLines({
    input,
    onLine: (line) => lines.push(line),
    onEnd: () => {},
    clock: { after: (_ms, done) => (waiting.push(done), () => {}) },
  });
  const answer = typed.ask(
    () => asked++,
    (line) => (line === "y" ? "yes" : undefined),
  );
  input.write("y\n");
  await new Promise(setImmediate);
  expect([lines, asked]).toEqual([["y"], 1]);
  for (const done of waiting) done();
  input.write("what?\ny\n");
  expect([await answer, asked, lines]).toEqual(["yes", 2, ["y"]]);
  typed.close();
});
