/** Connects the vim keys with the editor of the input line. */

import { type Editor, decodeKittyPrintable, matchesKey } from "@earendil-works/pi-tui";
import { cursorIndex, setEditor } from "./editor-cursor.ts";
import { ESC, INITIAL, type VimState, press } from "./vim.ts";

const UP = "\u001b[A";
const DOWN = "\u001b[B";

export class VimKeys {
  readonly #editor: Editor;
  #state: VimState = INITIAL;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  get mode(): VimState["mode"] {
    return this.#state.mode;
  }

  /** The mode for the screen, with the keys of a command that is not complete. */
  get words(): string {
    const { mode, pending } = this.#state;
    return `vim: ${mode}${pending === "" ? "" : ` ${pending}`}`;
  }

  /** Whether Esc is for the editor: it leaves insert mode, or drops a selection or a command. */
  get takesEscape(): boolean {
    const { mode, pending } = this.#state;
    return mode !== "normal" || pending !== "";
  }

  /** A new line starts in insert mode. */
  reset(): void {
    this.#state = { ...this.#state, mode: "insert", pending: "", recording: "", undo: [], redo: [] };
    this.#state = { ...this.#state, inserted: { text: "", at: 0 } };
  }

  /** Returns false if the key is for the editor. */
  handleInput(data: string): boolean {
    if (matchesKey(data, "escape")) return this.#press(ESC);
    if (this.#state.mode === "insert") return false;
    const key = decodeKittyPrintable(data) ?? data;
    const isLetter = [...key].length === 1 && !/\p{Cc}/u.test(key);
    if (isLetter) return this.#history(key) || this.#press(key);
    if (matchesKey(data, "backspace")) return this.#press("h");
    // A paste or another key changes the text: what is pending no longer fits.
    this.#state = { ...this.#state, pending: "", mode: "normal" };
    return false;
  }

  /** At the first and the last line, `k` and `j` go through previous prompts. */
  #history(key: string): boolean {
    const { mode, pending } = this.#state;
    if (mode !== "normal" || pending !== "" || (key !== "j" && key !== "k")) return false;
    const { line } = this.#editor.getCursor();
    const isEdge = key === "k" ? line === 0 : line === this.#editor.getLines().length - 1;
    if (isEdge) this.#editor.handleInput(key === "k" ? UP : DOWN);
    return isEdge;
  }

  #press(key: string): true {
    const now = { ...this.#state, text: this.#editor.getText(), at: cursorIndex(this.#editor) };
    this.#state = press(now, key);
    setEditor(this.#editor, this.#state.text, this.#state.at);
    return true;
  }
}
