/** Which panel is in front: a question about a call before everything else, then what was opened last. */

import type { PersonAnswer, PersonQuestion } from "@runahead/agent";
import { Chooser, type Choosing } from "./chooser.ts";
import { Dialog } from "./dialog.ts";
import type { Panel } from "./panel.ts";

interface Open {
  readonly panel: Panel;
  /** Nobody will answer any more. */
  readonly giveUp: () => void;
}

export class Panels {
  readonly #onChange: () => void;
  #question: Open | undefined;
  readonly #opened: Open[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get front(): Panel | undefined {
    return this.#question?.panel ?? this.#opened.at(-1)?.panel;
  }

  /** One at a time; the engine has the others wait. */
  ask(question: PersonQuestion): Promise<PersonAnswer> {
    if (question.signal.aborted) return Promise.resolve({ type: "no" });
    return new Promise((resolve) => {
      const answer = (given: PersonAnswer): void => {
        question.signal.removeEventListener("abort", giveUp);
        if (this.#question === open) this.#question = undefined;
        this.#onChange();
        resolve(given);
      };
      const giveUp = (): void => answer({ type: "no" });
      const open: Open = { panel: new Dialog(question, answer), giveUp };
      this.#question = open;
      question.signal.addEventListener("abort", giveUp, { once: true });
      this.#onChange();
    });
  }

  /** Undefined where nothing was chosen. */
  choose(choosing: Choosing): Promise<string | undefined> {
    return this.open((done) => new Chooser(choosing, done));
  }

  /** Resolves with what the panel ends with; undefined where it is given up. */
  open<Value>(make: (done: (value: Value | undefined) => void) => Panel): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const done = (value: Value | undefined): void => {
        const at = this.#opened.indexOf(open);
        if (at >= 0) this.#opened.splice(at, 1);
        this.#onChange();
        resolve(value);
      };
      const open: Open = { panel: make(done), giveUp: () => done(undefined) };
      this.#opened.push(open);
      this.#onChange();
    });
  }

  /** A question that is open is answered with no (D02). */
  giveUp(): void {
    for (const { giveUp } of [...this.#opened, ...(this.#question === undefined ? [] : [this.#question])])
      giveUp();
  }
}
