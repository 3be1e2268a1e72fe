/** Where one types: an editor with a memory, that knows commands and files. */

import { Editor } from "@earendil-works/pi-tui";
import type { World } from "../../shared/world.ts";
import { Completion, type Named } from "./completion.ts";
import { editOutside, editorOf } from "./external-editor.ts";
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

const MOST_COMPLETIONS = 8;
/** In fewer the editor cannot lay out a wide character; what does not fit is cut off. */
const LEAST_COLUMNS = 3;

export class Typing {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #editor: Editor;
  readonly #history: History;
  #isOutside = false;

  constructor({ world, screen, commands, onSubmit, onNotice }: TypingPorts) {
    const files = new ProjectFiles(world.cwd);
    this.#world = world;
    this.#screen = screen;
    this.#history = new History(world, onNotice);
    this.#editor = new Editor(screen, EDITOR, { autocompleteMaxVisible: MOST_COMPLETIONS });
    this.#editor.focused = true;
    this.#editor.onSubmit = onSubmit;
    this.#editor.setAutocompleteProvider(new Completion({ commands, files: () => files.list() }));
  }

  get isEmpty(): boolean {
    return this.#editor.getText() === "";
  }

  /** Esc closes the list and does nothing else. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  /** The terminal is another program's. */
  get isOutside(): boolean {
    return this.#isOutside;
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

  /** As if it were pasted, so that what is long stays a mark. A text cannot end the paste and press keys. */
  put(text: string): void {
    this.#editor.handleInput(`\u001b[200~${strip(text)}\u001b[201~`);
  }

  handleInput(data: string): void {
    this.#editor.handleInput(data);
  }

  render(width: number): string[] {
    return this.#editor.render(Math.max(LEAST_COLUMNS, width));
  }

  async search(panels: Panels): Promise<void> {
    const typed = this.#history.everywhere;
    const found = await panels.open<string>((done) => new HistorySearch(typed, done));
    if (found !== undefined) this.#editor.setText(found);
  }

  /** Gives why it did not come to it, if it did not. */
  async editOutside(): Promise<string | undefined> {
    const editor = editorOf(this.#world);
    if (editor === undefined) return "Set VISUAL or EDITOR to an editor of yours.";
    if (this.#isOutside) return undefined;
    this.#isOutside = true;
    this.#screen.suspend();
    try {
      const edited = await editOutside(this.#editor.getExpandedText(), editor, this.#world);
      if (edited.type === "failed") return edited.why;
      this.clear();
      this.put(edited.text);
      return undefined;
    } finally {
      this.#isOutside = false;
      this.#screen.start();
    }
  }
}
