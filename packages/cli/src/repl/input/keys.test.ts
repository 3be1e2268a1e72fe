import type { PersonAnswer } from "@runahead/harness";
import { expect, test } from "vitest";
import { askUser } from "../panels/ask-user.ts";
import { Keyboard, PASTE } from "../../../test/support/keyboard.ts";
import { PAUSE_MS, UNREAD_MS } from "./attention.ts";

const READ_MS = PAUSE_MS + UNREAD_MS + 50;
const ENTER = "\r";
const ESC = "\u001b";
const BACKSPACE = "\u007f";
const SESSION: PersonAnswer = { type: "session", rules: ["Bash(make)"] };

test("class 13: with a draft, no pause is long enough for a letter of it to answer a question", async () => {
  for (const everyMs of [10, 120, 490, 999, 1_600, 2_900, 10_000, 600_000]) {
    for (const at of [1, 2, 4]) {
      const desk = new Keyboard();
      const letters = [..."yes and say no"];
      await desk.type(letters.slice(0, at), everyMs);
      desk.ask();
      await desk.type(letters.slice(at), everyMs);
      await desk.wait(READ_MS);
      expect([everyMs, at, desk.line, desk.answers]).toEqual([everyMs, at, "yes and say no", []]);
    }
  }
});

test("class 13: a question is drawn above a draft after a pause, and says how to answer it", async () => {
  const desk = new Keyboard();
  await desk.type([..."so"], 100);
  desk.ask(2);
  expect([desk.isWaiting, desk.panels.notice]).toEqual([
    false,
    "3 questions waiting for you to finish typing",
  ]);
  await desk.wait(PAUSE_MS + 10);
  const offer = "A question is waiting. Press Tab to answer it, or Enter to send your text.";
  expect([desk.isWaiting, desk.isAsked, desk.panels.notice]).toEqual([true, false, offer]);
  await desk.type(["y"], 5_000);
  expect([desk.isWaiting, desk.line]).toEqual([true, "soy"]);
  await desk.type([ENTER], 60_000);
  expect([desk.isAsked, desk.sent, desk.answers]).toEqual([false, ["soy"], []]);
  await desk.wait(PAUSE_MS + 10);
  expect(desk.isAsked).toBe(true);
  await desk.type(["y"], UNREAD_MS);
  await desk.wait(250);
  expect([desk.answers, desk.line]).toEqual([[{ type: "once" }], ""]);
});

test("class 13: a space before the question could be read is not a draft that the question waits for", async () => {
  const desk = new Keyboard();
  desk.ask();
  await desk.type([" "], 100);
  await desk.wait(READ_MS);
  expect([desk.isAsked, desk.line, desk.answers]).toEqual([true, "", []]);
});

test("class 13: Tab gives a question the keyboard, and the draft is there afterwards", async () => {
  const desk = new Keyboard();
  await desk.type([..."so"], 100);
  desk.ask();
  await desk.wait(READ_MS);
  await desk.type(["\t", "y"], 100);
  await desk.wait(250);
  expect([desk.answers, desk.line]).toEqual([[{ type: "once" }], "so"]);
  // The next question waits again.
  desk.ask();
  await desk.type(["y"], 10_000);
  expect([desk.answers.length, desk.line]).toEqual([1, "soy"]);
});

test("class 13: a Tab that completes a word, or that more text follows at once, is not for the question", async () => {
  const early = new Keyboard();
  await early.type([..."@so"], 100);
  early.ask();
  await early.type(["\t", "y"], 300);
  await early.wait(300);
  expect([early.answers, early.line]).toEqual([[], "@soy"]);
  const pasted = new Keyboard();
  pasted.line = "so";
  pasted.ask();
  await pasted.wait(READ_MS);
  await pasted.type(["\t", "y"], 1);
  await pasted.wait(300);
  expect([pasted.answers, pasted.line]).toEqual([[], "soy"]);
});

test("class 13: after Tab, keys that are not answers continue the draft", async () => {
  const desk = new Keyboard();
  desk.line = "so ";
  desk.ask();
  await desk.wait(READ_MS);
  await desk.type(["\t", "s", "o"], 400);
  await desk.type(["y", ENTER], 3_000);
  expect([desk.answers, desk.sent]).toEqual([[], ["so soy"]]);
});

test("class 13: with an empty line, keys count after a second without a key and half a second on the screen", async () => {
  for (const everyMs of [60, 240, 490, 700, 999]) {
    const desk = new Keyboard();
    await desk.type(["x", BACKSPACE], everyMs);
    desk.ask();
    await desk.type(["y"], everyMs);
    expect([everyMs, desk.answers, desk.line]).toEqual([everyMs, [], "y"]);
  }
  for (const [afterMs, expected] of [
    [PAUSE_MS + UNREAD_MS - 30, []],
    [PAUSE_MS + UNREAD_MS + 30, [{ type: "once" }]],
  ] as const) {
    const desk = new Keyboard();
    await desk.type(["x", BACKSPACE], 10);
    desk.ask();
    await desk.type(["y"], afterMs);
    await desk.wait(250);
    expect([afterMs, desk.answers]).toEqual([afterMs, expected]);
  }
});

test("class 13: a letter that allows more than this call needs Enter, and the next letter makes it text", async () => {
  const confirmed = new Keyboard();
  confirmed.ask();
  await confirmed.type(["s", ENTER], READ_MS);
  await confirmed.wait(50);
  expect([confirmed.answers, confirmed.line]).toEqual([[SESSION], ""]);
  // Faster than a word is recognised, slower than a paste.
  const quick = new Keyboard();
  quick.ask();
  await quick.wait(READ_MS);
  await quick.type(["s", ENTER], 100);
  await quick.wait(50);
  expect([quick.answers, quick.line]).toEqual([[SESSION], ""]);
  for (const text of ["and", "ssh", "say", "a 2", "1s1", "1y", "2", "x", "1 and 2"]) {
    const desk = new Keyboard();
    desk.ask();
    await desk.wait(READ_MS);
    await desk.type([...text], 5_000);
    await desk.wait(READ_MS);
    expect([text, desk.answers, desk.line]).toEqual([text, [], text]);
  }
});

test("class 13: Backspace removes a mark", async () => {
  const desk = new Keyboard();
  desk.ask();
  await desk.wait(READ_MS);
  await desk.type(["a", BACKSPACE, ENTER], 300);
  await desk.wait(300);
  expect([desk.answers, desk.line]).toEqual([[], ""]);
});

test("class 13: a paste is never an answer, neither a bracketed one nor very fast keys", async () => {
  for (const keys of [
    [`${PASTE}y\n\u001b[201~`],
    ["y", ENTER],
    ["s", ENTER],
    [..."a b"],
    ["\t", "x"],
    [" ", "y"],
  ]) {
    const desk = new Keyboard();
    desk.ask();
    await desk.wait(READ_MS);
    await desk.type(keys, 1);
    await desk.wait(READ_MS);
    const isSent = keys[1] === ENTER;
    expect([keys, desk.answers, desk.sent.length]).toEqual([keys, [], isSent ? 1 : 0]);
  }
});

test("class 13: a question that has been there for long is not answered by the first letter of a word", async () => {
  const desk = new Keyboard();
  desk.ask();
  await desk.wait(60_000);
  await desk.type([..."yes and so on"], 180);
  await desk.wait(READ_MS);
  expect([desk.answers, desk.line]).toEqual([[], "yes and so on"]);
});

test("class 13: Esc says no to a question with an empty line, and interrupts while there is a draft", async () => {
  const desk = new Keyboard();
  desk.ask();
  await desk.type([ESC], 10);
  expect(desk.answers).toEqual([{ type: "no" }]);
  await desk.type([..."and"], 100);
  desk.ask();
  await desk.type([ESC], 10_000);
  expect([desk.interrupted, desk.answers.length, desk.line]).toEqual([1, 1, "and"]);
});

test("class 13: a key that is held down answers one question, and is not text", async () => {
  const desk = new Keyboard();
  desk.ask();
  await desk.type(["y"], UNREAD_MS * 2);
  await desk.type(["y", "y"], 100);
  await desk.wait(200);
  desk.ask();
  await desk.type(["y", "y"], 100);
  expect([desk.answers, desk.line, desk.isAsked]).toEqual([[{ type: "once" }], "", true]);
});

test("class 13: a question takes no key from what the user has opened, or is answering", async () => {
  const opened: string[] = [];
  const desk = new Keyboard();
  void desk.panels.open(() => ({ render: () => ["search"], handleInput: (key) => opened.push(key) }));
  desk.ask();
  await desk.type(["y", ENTER, "n"], 5_000);
  expect([opened, desk.answers, desk.panels.notice.slice(0, 10)]).toEqual([
    ["y", ENTER, "n"],
    [],
    "1 question",
  ]);
  await desk.wait(READ_MS);
  expect(desk.panels.notice).toBe("A question is waiting. Press Tab to answer it.");
  await desk.type(["\t", "y"], 300);
  await desk.wait(300);
  expect([opened.length, desk.answers]).toEqual([3, [{ type: "once" }]]);

  const field: string[] = [];
  const answering = new Keyboard();
  void answering.panels.openUnasked(() => ({
    takesText: true,
    render: () => ["field"],
    handleInput: (key) => field.push(key),
  }));
  await answering.wait(READ_MS);
  answering.ask();
  await answering.type([..."yes", ENTER], 700);
  expect([field, answering.answers]).toEqual([["y", "e", "s", ENTER], []]);
});

test("class 13: a paste that is not marked does not send what it puts into a field", async () => {
  const field: string[] = [];
  const desk = new Keyboard();
  void desk.panels.openUnasked(() => ({
    takesText: true,
    render: () => ["field"],
    handleInput: (key) => field.push(key),
  }));
  await desk.wait(READ_MS);
  await desk.type([..."yes", ENTER], 1);
  await desk.type([ENTER], 100);
  expect(field).toEqual(["y", "e", "s", ENTER]);
});

test("class 13: a list that a command opens takes keys at once, but not what was typed after the command", async () => {
  const choosing = { title: "Back to before", choices: [{ value: "1", label: "one" }] };
  const expected = new Keyboard();
  await expected.type([..."/r", ENTER], 100);
  for (const list of [expected.panels.choose(choosing), expected.panels.choose(choosing)]) {
    await expected.type([ENTER], 10);
    await expected.wait(50);
    void list.then((chosen) => expected.sent.push(chosen ?? ""));
  }
  await expected.wait(10);
  expect(expected.sent).toEqual(["/r", "1", "1"]);
  const late = new Keyboard();
  await late.type([..."/r", ENTER, ..."and", "x"], 100);
  void late.panels.choose(choosing).then(() => late.sent.push("chosen"));
  await late.type([ENTER], 10);
  await late.type([ENTER], UNREAD_MS - 50);
  await late.wait(50);
  expect(late.sent).toEqual(["/r", "andx"]);
});

test("Ctrl+Z suspends wherever the keyboard is, and answers nothing", async () => {
  const desk = new Keyboard();
  await desk.type(["\u001a"], 100);
  desk.ask();
  await desk.wait(READ_MS);
  await desk.type(["\u001a"], 100);
  void desk.panels.show({ title: "A view", lines: ["one"] });
  await desk.type(["\u001a"], 100);
  await desk.wait(READ_MS);
  expect([desk.suspended, desk.answers, desk.line]).toEqual([3, [], ""]);
});

test("the arrows move in the next question of a form at once, and Enter counts when it could be read", async () => {
  const question = { question: "Which?", options: [{ label: "One" }, { label: "Two" }] };
  const desk = new Keyboard();
  const answers = askUser(desk.panels, [question, question], new AbortController().signal);
  await desk.wait(READ_MS);
  await desk.type([ENTER], 10);
  await desk.wait(50);
  await desk.type(["\u001b[B", ENTER], 100);
  expect([desk.panels.attention.isTyping, desk.line]).toEqual([false, ""]);
  await desk.wait(UNREAD_MS);
  await desk.type([ENTER], 10);
  await desk.wait(50);
  expect(await answers).toEqual({
    type: "answered",
    answers: [
      { type: "chosen", labels: ["One"] },
      { type: "chosen", labels: ["Two"] },
    ],
  });
});
