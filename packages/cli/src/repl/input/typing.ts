/** The input line: an editor with history and completion. */

import { Editor } from "@earendil-works/pi-tui";
import type { World } from "../../shared/world.ts";
import { Completion, type Named } from "./completion.ts";
import { type Edited, editOutside, editorOf, openOutside } from "./external-editor.ts";
import { MARK_COLUMNS, framed } from "./frame.ts";
import { HistorySearch } from "./history-search.ts";
import { History } from "./history.ts";
import type { Panels } from "../panels/panels.ts";
import { ProjectFiles } from "./project-files.ts";
import { strip } from "../../shared/safe-text.ts";
import type { Screen } from "../screen/screen.ts";
import { EDITOR } from "../screen/style.ts";

export interface TypingPorts {
  readonly world: World;
  readonly screen: Screen;
  readonly commands: () => readonly Named[];
  readonly onSubmit: (text: string) => void;
  readonly onNotice: (message: string) => void;
}

const NO_EDITOR = "No editor: set VISUAL or EDITOR, for example EDITOR=vim.";
const MOST_COMPLETIONS = 8;
/** With fewer columns the editor cannot lay out a wide character. What does not fit is cut off. */
const LEAST_COLUMNS = 3;

export class Typing {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #editor: Editor;
  readonly #history: History;

  constructor({ world, screen, commands, onSubmit, onNotice }: TypingPorts) {
    const files = new ProjectFiles(world.cwd);
    this.#world = world;
    this.#screen = screen;
    this.#history = new History(world, onNotice);
    this.#editor = new Editor(screen, EDITOR, {
      autocompleteMaxVisible: MOST_COMPLETIONS,
      paddingX: MARK_COLUMNS,
    });
    this.#editor.focused = true;
    this.#editor.onSubmit = onSubmit;
    this.#editor.setAutocompleteProvider(new Completion({ commands, files: () => files.list() }));
  }

  get isEmpty(): boolean {
    return this.#editor.getText() === "";
  }

  /** Whether the completion list is open, so that Esc only closes the list. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  async load(): Promise<void> {
    await this.#history.load();
    for (const text of this.#history.here) this.#editor.addToHistory(text);
  }

  async close(): Promise<void> {
    await this.#history.close();
  }

  remember(text: string): void {
    if (this.#history.add(text)) this.#editor.addToHistory(text);
  }

  clear(): void {
    this.#editor.setText("");
  }

  /** Inserts text as a paste, so that long text is collapsed. The text cannot end the paste and press keys. */
  put(text: string): void {
    this.#editor.handleInput(`\u001b[200~${strip(text)}\u001b[201~`);
  }

  handleInput(data: string): void {
    this.#editor.handleInput(data);
  }

  /** `mode` is the permission mode; undefined before the conversation starts. */
  render(width: number, mode?: string): string[] {
    const lines = this.#editor.render(Math.max(LEAST_COLUMNS, width));
    return framed(lines, { width, mode, state: "", hasHint: this.isEmpty });
  }

  async search(panels: Panels): Promise<void> {
    const typed = this.#history.everywhere;
    const found = await panels.open<string>((done) => new HistorySearch(typed, done));
    if (found !== undefined) this.#editor.setText(found);
  }

  /** Opens a text in the user's editor. */
  async editText(text: string): Promise<Edited> {
    const editor = editorOf(this.#world);
    if (editor === undefined) return { type: "failed", why: NO_EDITOR };
    if (this.#screen.isLent) return { type: "failed", why: "" };
    return this.#screen.lend(() => editOutside(text, editor, this.#world));
  }

  /** Opens a file in the user's editor, which creates it if it is missing. Returns why that failed, or undefined. */
  async openFile(path: string): Promise<string | undefined> {
    const editor = editorOf(this.#world);
    if (editor === undefined) return NO_EDITOR;
    return this.#screen.lend(() => openOutside(path, editor, this.#world));
  }

  /** Turns the vim keys on or off. */
  setVim(_isOn: boolean): void {}

  /** Returns why editing failed, or undefined. */
  async editOutside(): Promise<string | undefined> {
    const edited = await this.editText(this.#editor.getExpandedText());
    if (edited.type === "failed") return edited.why;
    this.clear();
    this.put(edited.text);
    return undefined;
  }
}
