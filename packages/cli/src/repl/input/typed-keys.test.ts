/** Random keys with random pauses, in time that the test makes pass. */

import { expect, test } from "vitest";
import { Keyboard, PASTE } from "../../../test/support/keyboard.ts";
import { askUser } from "../panels/ask-user.ts";
import { PAUSE_MS } from "./attention.ts";

const RUNS = 150;
const KEYS_PER_RUN = 25;
const ENTER = "\r";
const LETTERS = [..."ysane 123hello"];
const OTHERS = ["\u001b[A", "\u001b[B", "\u001b[5~", "\u001b[6~", "\u001b[H", "\u001b", "\u001b[I"];
const PASTES = [`${PASTE}y\u001b[201~`, `${PASTE}s\ra\r\u001b[201~`];
const PAUSES = [0, 1, 20, 30, 150, 250, 600, 1_100, 1_700, 3_500, 20_000];

/** Numbers that are the same in every run of the tests. */
function random(seed: number): <Value>(values: readonly Value[]) => Value {
  let state = seed + 1;
  return (values) => {
    state = (state * 48_271) % 2_147_483_647;
    return values[state % values.length] as (typeof values)[number];
  };
}

/** Every kind of dialog that opens by itself. */
function openAll(desk: Keyboard): void {
  const answered = (kind: string) => (value: unknown) =>
    desk.others.push(`${kind}: ${JSON.stringify(value)}`);
  const { signal } = new AbortController();
  const options = [{ label: "red" }, { label: "blue" }];
  const choices = ["yes", "no"].map((value) => ({ value, label: value }));
  desk.ask();
  void askUser(desk.panels, [{ question: "Which?", options }], signal).then(answered("choice"));
  void askUser(desk.panels, [{ question: "What?", options: [] }], signal).then(answered("text"));
  void askUser(desk.panels, [{ question: "Which?", options, multiSelect: true }], signal).then(
    answered("marks"),
  );
  void desk.panels.chooseUnasked({ title: "Trust?", choices }).then(answered("trust"));
}

test("class 13: while there is a draft, no keys and no pauses answer a dialog, and no letter is lost", async () => {
  for (let seed = 0; seed < RUNS; seed++) {
    const pick = random(seed);
    const desk = new Keyboard();
    const typed: string[] = [];
    desk.line = "x";
    openAll(desk);
    for (let at = 0; at < KEYS_PER_RUN; at++) {
      const key = pick([...LETTERS, ...LETTERS, ...OTHERS, ...PASTES, ENTER]);
      await desk.type([key], pick(PAUSES));
      if (LETTERS.includes(key)) typed.push(key);
      if (PASTES.includes(key)) typed.push(key.slice(PASTE.length, -PASTE.length));
      // There is a draft again at once, as if it had been recalled.
      if (desk.line === "") desk.line = "x";
    }
    await desk.wait(10_000);
    const kept = [...desk.sent, desk.line].map((line) => line.slice(1)).join("");
    expect([seed, desk.answers, desk.others, kept]).toEqual([seed, [], [], typed.join("")]);
  }
});

test("class 13: a user who never pauses for a second answers nothing, whether or not the line is empty", async () => {
  for (let seed = 0; seed < RUNS; seed++) {
    const pick = random(seed);
    const desk = new Keyboard();
    await desk.type(["x"], 0);
    openAll(desk);
    for (let at = 0; at < KEYS_PER_RUN; at++) {
      const pauses = PAUSES.filter((ms) => ms < PAUSE_MS);
      await desk.type([pick([...LETTERS, ...PASTES, ENTER, ENTER, "\u007f", "\u0015"])], pick(pauses));
    }
    expect([seed, desk.answers, desk.others]).toEqual([seed, [], []]);
  }
});

test("class 13: whatever is pressed, a rule is added only by its letter and then Enter, as two presses", async () => {
  let rules = 0;
  for (let seed = 0; seed < RUNS / 2; seed++) {
    const pick = random(seed);
    const desk = new Keyboard();
    const pressed: { readonly key: string; readonly afterMs: number }[] = [];
    desk.ask();
    for (let at = 0; at < 12 && desk.answers.length === 0; at++) {
      const press = { key: pick([..."sa1x", ENTER, ENTER, ENTER, ...PASTES, "\t"]), afterMs: pick(PAUSES) };
      pressed.push(press);
      await desk.type([press.key], press.afterMs);
      await desk.wait(30);
    }
    const [answer] = desk.answers;
    if (answer?.type !== "session" && answer?.type !== "always") continue;
    rules++;
    const letter = answer.type === "session" ? "s" : "a";
    expect([seed, pressed.slice(-2).map(({ key }) => key)]).toEqual([seed, [letter, ENTER]]);
  }
  expect(rules).toBeGreaterThan(5);
});

test("Ctrl+B moves a running command to the background, and without one it belongs to the input line", async () => {
  const desk = new Keyboard();
  await desk.type(["\u0002"], 300);
  expect(desk.line).toBe("\u0002");
  desk.line = "";
  desk.isBackgroundTaken = true;
  await desk.type(["\u0002"], 300);
  expect(desk.line).toBe("");
});
