/** For tests: somebody at the keyboard, and time that passes when the test says so. */

import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import type { Clock } from "../../src/repl/input/attention.ts";
import { Keys } from "../../src/repl/input/keys.ts";
import { Panels } from "../../src/repl/panels/panels.ts";
import { strip } from "../../src/shared/safe-text.ts";

export const PASTE = "\u001b[200~";

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

/** Somebody at it, with an input line that takes letters and is sent by Enter. */
export class Keyboard {
  readonly clock = new TestClock();
  readonly panels = new Panels(() => {}, { clock: this.clock, hasDraft: () => this.line !== "" });
  readonly sent: string[] = [];
  readonly answers: PersonAnswer[] = [];
  /** Answers to other dialogs, as a test notes them. */
  readonly others: string[] = [];
  interrupted = 0;
  suspended = 0;
  /** Whether a command runs that Ctrl+B moves to the background. */
  isBackgroundTaken = false;
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
      takesEscape: false,
      stash: () => "",
      pasteImage: () => Promise.resolve(""),
      search: () => Promise.resolve(),
      handleInput: (data: string) => this.#edit(data),
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
      suspend: () => this.suspended++,
      toBackground: () => this.isBackgroundTaken,
      showKeys: nothing,
      chooseModel: nothing,
      onChange: nothing,
    });
  }

  #edit(data: string): void {
    if (data === "\r" && this.line !== "") this.sent.push(this.line);
    if (data === "\r" || data === "\u0015") this.line = "";
    else if (data === "\u007f") this.line = this.line.slice(0, -1);
    else if (data.startsWith(PASTE)) this.line += data.slice(PASTE.length, -PASTE.length);
    else if (!data.startsWith("\u001b") && data !== "\t") this.line += data;
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
    const stepMs = Math.max(20, ms / 100);
    for (let passed = 0; passed < ms; passed += stepMs) {
      this.clock.pass(Math.min(stepMs, ms - passed));
      this.panels.render(80, 24);
    }
    await Promise.resolve();
  }

  /** A question about a call stands in place of the input line. */
  get isAsked(): boolean {
    return isQuestion(this.panels.render(80, 24) ?? []);
  }

  /** A question about a call stands above the input line. */
  get isWaiting(): boolean {
    return isQuestion(this.panels.renderWaiting(80, 24));
  }
}

function isQuestion([first = ""]: readonly string[]): boolean {
  return strip(first).includes("Permission");
}
