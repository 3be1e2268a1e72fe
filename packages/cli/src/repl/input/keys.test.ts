import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import { expect, test } from "vitest";
import { type Clock, DRAFT_PAUSE_MS, PAUSE_MS, UNREAD_MS } from "./attention.ts";
import { Keys } from "./keys.ts";
import { Panels } from "../panels/panels.ts";
import { strip } from "../../shared/safe-text.ts";

/** Time that passes when the test says so. */
class TestClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly done: () => void }>();

  after(ms: number, done: () => void): () => void {
    const timer = { at: this.#now + ms, done };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#timers.delete(next);
      next.done();
    }
    this.#now = end;
  }
}

/** Somebody at the keyboard, with an input line that takes letters and is sent by Enter. */
class Desk {
  readonly clock = new TestClock();
  readonly panels = new Panels(() => {}, this.clock);
  readonly sent: string[] = [];
  readonly answers: PersonAnswer[] = [];
  interrupted = 0;
  line = "";
  readonly #keys: Keys;

  constructor() {
    const isEmpty = (): boolean => this.line === "";
    const typing = {
      get isEmpty() {
        return isEmpty();
      },
      isCompleting: false,
      clear: () => (this.line = ""),
      search: () => Promise.resolve(),
      handleInput: (data: string) => {
        if (data === "\r" && this.line !== "") this.sent.push(this.line);
        this.line = data === "\r" ? "" : `${this.line}${data}`;
      },
    };
    const nothing = (): void => {};
    this.#keys = new Keys({
      panels: this.panels,
      typing,
      clock: this.clock,
      hint: nothing,
      interrupt: () => this.interrupted++,
      leave: nothing,
      takeBack: () => false,
      cycleMode: nothing,
      openOutput: nothing,
      editOutside: nothing,
      onChange: nothing,
    });
  }

  ask(waiting = 0, signal = new AbortController().signal): void {
    const question: PersonQuestion = {
      callId: "1",
      toolName: "Bash",
      input: { command: "make" },
      description: "make",
      reason: "",
      choices: [{ label: "make", rules: ["Bash(make)"], scopes: ["session", "always"] }],
      from: undefined,
      waiting,
      signal,
    };
    void this.panels.ask(question).then((answer) => this.answers.push(answer));
  }

  /** Each key after so long. The screen is drawn after each, as it is in the program. */
  async type(keys: readonly string[], everyMs: number): Promise<void> {
    for (const key of keys) {
      await this.wait(everyMs);
      this.#keys.press(key);
      this.panels.render(80, 24);
    }
    await Promise.resolve();
  }

  async wait(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      this.clock.pass(Math.min(10, ms - passed));
      this.panels.render(80, 24);
    }
    await Promise.resolve();
  }

  get isAsked(): boolean {
    return this.panels.render(80, 24)?.map(strip)[0]?.includes("Permission") ?? false;
  }
}

test("class 13: whatever is typed, and however slowly, no letter of it answers a question that arrives", async () => {
  for (const everyMs of [10, 60, 120, 240, 400, 490, 700, 999, 1_500, 2_900]) {
    for (const at of [0, 1, 2, 4]) {
      const desk = new Desk();
      const letters = [..."yes and say no"];
      await desk.type(letters.slice(0, at), everyMs);
      desk.ask();
      // With nothing typed before, a question can be read, and then it takes keys.
      if (at === 0 && everyMs >= UNREAD_MS) continue;
      await desk.type(letters.slice(at), everyMs);
      expect([everyMs, at, desk.line, desk.answers]).toEqual([everyMs, at, "yes and say no", []]);
    }
  }
});

test("class 13: a question opens after a pause, longer with a draft, which is kept, and then takes an answer", async () => {
  const desk = new Desk();
  await desk.type(["a", "\u007f"], 100);
  desk.line = "";
  desk.ask(2);
  expect([desk.isAsked, desk.panels.held]).toEqual([false, 3]);
  await desk.wait(DRAFT_PAUSE_MS + 10);
  expect([desk.isAsked, desk.panels.held]).toEqual([true, 0]);
  await desk.type(["d"], UNREAD_MS - 50);
  await desk.wait(PAUSE_MS + 10);
  expect([desk.isAsked, desk.line]).toEqual([false, "d"]);
  await desk.wait(DRAFT_PAUSE_MS);
  expect(desk.isAsked).toBe(true);
  await desk.type(["y"], UNREAD_MS + 20);
  await desk.wait(510);
  expect([desk.answers, desk.line, desk.isAsked]).toEqual([[{ type: "once" }], "d", false]);
});

test("class 13: after a line was sent a question opens at once, and is not answered by the next letter", async () => {
  const desk = new Desk();
  await desk.type([..."go", "\r"], 100);
  desk.ask();
  expect([desk.sent, desk.isAsked]).toEqual([["go"], true]);
  await desk.type([..."and"], 150);
  expect([desk.answers, desk.line, desk.isAsked]).toEqual([[], "and", false]);
});

test("class 13: a paste is never an answer, neither one that is marked nor keys faster than fingers", async () => {
  for (const keys of [["\u001b[200~y\n\u001b[201~"], ["y", "\r"], [..."a b"], ["\t", "x"], [" ", "y"]]) {
    const desk = new Desk();
    desk.ask();
    await desk.wait(UNREAD_MS * 3);
    await desk.type(keys, 1);
    await desk.wait(200);
    expect([keys, desk.answers, desk.isAsked]).toEqual([keys, [], keys[1] === "\r"]);
    expect(keys[1] === "\r" ? desk.sent : [desk.line]).toEqual([keys[1] === "\r" ? "y" : keys.join("")]);
  }
});

test("class 13: a question that has been there for long is not answered by the first letter of a word", async () => {
  for (const [draft, everyMs] of [
    ["", 180],
    ["so ", 450],
  ] as const) {
    const desk = new Desk();
    desk.line = draft;
    desk.ask();
    await desk.wait(60_000);
    expect(desk.isAsked).toBe(true);
    await desk.type([..."and so on"], everyMs);
    await desk.wait(everyMs);
    expect([desk.answers, desk.line, desk.isAsked]).toEqual([[], `${draft}and so on`, false]);
  }
});

test("class 13: Esc says no to a question at any time, and interrupts while one waits", async () => {
  const desk = new Desk();
  desk.ask();
  await desk.type(["\u001b"], 10);
  expect(desk.answers).toEqual([{ type: "no" }]);
  await desk.type([..."and"], 100);
  desk.ask();
  await desk.type(["\u001b"], 10);
  expect([desk.interrupted, desk.answers.length, desk.line]).toEqual([1, 1, "and"]);
});

test("class 13: a key that is held down answers one question, and is no text", async () => {
  const desk = new Desk();
  desk.ask();
  await desk.type(["y"], UNREAD_MS * 2);
  await desk.type(["y", "y"], 100);
  await desk.wait(200);
  desk.ask();
  await desk.type(["y", "y"], 100);
  expect([desk.answers, desk.line, desk.isAsked]).toEqual([[{ type: "once" }], "", true]);
});

test("class 13: a list that a command opens takes keys at once, but not what was typed after the command", async () => {
  const choosing = { title: "Back to before", choices: [{ value: "1", label: "one" }] };
  const expected = new Desk();
  await expected.type([..."/r", "\r"], 100);
  const chosen = expected.panels.choose(choosing);
  await expected.type(["\r"], 10);
  await expected.wait(50);
  expect(await chosen).toBe("1");
  const late = new Desk();
  await late.type([..."/r", "\r", ..."and", "x"], 100);
  void late.panels.choose(choosing).then(() => late.sent.push("chosen"));
  await late.type(["\r"], 10);
  await late.type(["\r"], UNREAD_MS - 50);
  await late.wait(50);
  expect(late.sent).toEqual(["/r", "andx"]);
});
