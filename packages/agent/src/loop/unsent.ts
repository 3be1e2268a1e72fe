/** Prompts that wait to be answered, saved with the session so that the end of the process does not lose them. */

import { isShape, listOf, shapeOf } from "@runahead/base";
import type { SessionState } from "../session/state.ts";
import type { Prompt } from "./event.ts";

/** The name of the state in the journal. */
export const UNSENT = "unsent-prompts";

export class UnsentPrompts implements SessionState {
  readonly #waiting: () => readonly Prompt[];
  #left: readonly Prompt[] = [];
  #isSaved = false;

  /** `waiting` returns the prompts that are not part of the conversation yet. */
  constructor(waiting: () => readonly Prompt[]) {
    this.#waiting = waiting;
  }

  /** The prompts that an earlier process, or this one, left behind. */
  get left(): readonly Prompt[] {
    return this.#left;
  }

  /** Keeps prompts for the next process. */
  keep(prompts: readonly Prompt[]): void {
    this.#left = [...this.#left, ...prompts];
  }

  /** Removes and returns what was left. */
  take(): readonly Prompt[] {
    const left = this.#left;
    this.#left = [];
    return left;
  }

  save(): unknown {
    const prompts = [...this.#left, ...this.#waiting()];
    // A session that never had any has no entry.
    if (prompts.length === 0) return this.#isSaved ? {} : undefined;
    this.#isSaved = true;
    return { prompts };
  }

  restore(data: unknown): void {
    this.#isSaved = true;
    this.#left = listOf(shapeOf(data)["prompts"]).filter(isPrompt);
  }
}

function isPrompt(value: unknown): value is Prompt {
  if (typeof value === "string") return true;
  return Array.isArray(value) && value.every((block) => isShape(block) && typeof block["type"] === "string");
}
