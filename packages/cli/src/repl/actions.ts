/** What keys do, apart from typing and answering. */

import { OFFERED_MODES } from "../shared/offered-modes.ts";
import type { Chat } from "./chat.ts";
import { keyList } from "./input/key-list.ts";
import { typedText } from "./input/prompt.ts";
import type { Typing } from "./input/typing.ts";
import type { Panels } from "./panels/panels.ts";
import { Viewer } from "./screen/viewer.ts";
import type { Work } from "./transcript/work.ts";

interface Parts {
  readonly chat: Chat;
  readonly panels: Panels;
  readonly typing: Typing;
  readonly work: Work;
  /** Shows a line below the input line until the next key. */
  readonly hint: (text: string) => void;
  readonly onChange: () => void;
}

export class Actions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  interrupt(): void {
    const { chat, work } = this.#parts;
    if (chat.own.isRunning) return void chat.own.stop();
    chat.interrupt();
    work.interrupted();
  }

  openOutput(): void {
    const { chat, panels, hint } = this.#parts;
    const calls = chat.hearing.latestCalls;
    if (calls.length === 0) hint("No output yet.");
    else void panels.open<void>((done) => new Viewer(calls, () => done(undefined)));
  }

  showKeys(): void {
    const { typing, panels } = this.#parts;
    const list = keyList(typing.bindings);
    const columns = Math.max(...list.map(([key]) => key.length));
    const lines = list.map(([key, help]) => `${key.padEnd(columns)}  ${help}`);
    void panels.show({ title: "Keys", lines, closers: ["?"] });
  }

  editOutside(): void {
    const { typing, panels, hint, onChange } = this.#parts;
    void typing.editOutside().then((why) => {
      hint(why ?? "");
      // Keys that were meant for the editor can still arrive.
      panels.attention.typed();
      onChange();
    });
  }

  /** Lets running commands or sub-agents go on in the background. Returns false if no call waits for one. */
  toBackground(): boolean {
    const { chat, hint } = this.#parts;
    const moved = chat.conversation?.made.moveToBackground() ?? [];
    const refused = moved.find((one) => one.type === "refused");
    if (refused !== undefined) hint(`Not moved to the background: ${refused.reason}.`);
    else if (moved.length > 0) hint("Moved to the background; the model is notified when it ends.");
    return moved.length > 0;
  }

  /** Moves queued prompts back into the input line. Returns false if there are none. */
  takeBack(): boolean {
    const { chat, typing } = this.#parts;
    const prompts = chat.conversation?.made.agent.takeBack() ?? [];
    if (prompts.length === 0) return false;
    typing.put(prompts.map(typedText).join("\n"));
    return true;
  }

  cycleMode(): void {
    const gate = this.#parts.chat.conversation?.made.gate;
    if (gate === undefined) return;
    const modes = OFFERED_MODES.filter(({ id }) => gate.modeObjection(id) === undefined);
    const at = modes.findIndex(({ id }) => id === gate.mode);
    gate.setMode(modes[(at + 1) % modes.length]?.id ?? "default");
  }
}
