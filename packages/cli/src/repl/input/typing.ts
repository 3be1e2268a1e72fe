/** The input line: an editor with history and completion. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Editor, matchesKey, setKeybindings } from "@earendil-works/pi-tui";
import { runaheadHome } from "@runahead/harness";
import { wordsOf } from "../../shared/failure.ts";
import type { World } from "../../shared/world.ts";
import { type Bindings, readBindings } from "./bindings.ts";
import { Completion, type Named } from "./completion.ts";
import { type Edited, editOutside, editorOf, openOutside } from "./external-editor.ts";
import { MARK_COLUMNS, framed } from "./frame.ts";
import { HistorySearch } from "./history-search.ts";
import { History } from "./history.ts";
import { cursorIndex, setEditor } from "./editor-cursor.ts";
import { PastedImages } from "./pasted-images.ts";
import { PastedTexts } from "./pasted-texts.ts";
import type { Panels } from "../panels/panels.ts";
import { ProjectFiles } from "./project-files.ts";
import { strip } from "../../shared/safe-text.ts";
import { ruleColumns } from "../screen/rows.ts";
import type { Screen } from "../screen/screen.ts";
import { EDITOR } from "../screen/style.ts";
import type { FileSuggester } from "./file-suggestion.ts";
import { VimKeys } from "./vim-keys.ts";
import type { ScreenWishes } from "../wishes.ts";

export interface TypingPorts {
  readonly world: World;
  readonly screen: Screen;
  readonly commands: () => readonly Named[];
  /** Finds commands that were added in the meantime. */
  readonly readCommands: () => Promise<void>;
  readonly onSubmit: (text: string) => void;
  readonly onNotice: (message: string) => void;
}

type FileWishes = Pick<ScreenWishes, "respectsGitignore" | "suggestFiles">;

const NO_EDITOR = "No editor: set VISUAL or EDITOR, for example EDITOR=vim.";
const ESCAPE = "\u001b";
const PASTE_START = "\u001b[200~";
const UP = "\u001b[A";
const PASTE_END = "\u001b[201~";
const MOST_COMPLETIONS = 8;
/** The input line, its rulers, the count of the list and the status, with a row for each that can wrap. */
const ROWS_BESIDE_LIST = 7;
/** With fewer columns the editor cannot lay out a wide character. What does not fit is cut off. */
const LEAST_COLUMNS = 3;
const LEAST_MARKED = 12;

export class Typing {
  readonly #world: World;
  readonly #screen: Screen;
  readonly #onNotice: (message: string) => void;
  readonly #editor: Editor;
  readonly #history: History;
  /** The previous prompts are known. */
  #isLoaded = false;
  /** Up was pressed before they were. */
  #isUpEarly = false;
  readonly #completion: Completion;
  readonly #pasted = new PastedTexts();
  /** Images that were pasted into the line. */
  readonly images: PastedImages;
  readonly #files: ProjectFiles;
  #suggester: FileSuggester | undefined;
  #vim: VimKeys | undefined;
  /** A text that was put aside. */
  #stashed = "";
  #bindings: Bindings = readBindings(undefined).bindings;

  constructor({ world, screen, commands, readCommands, onSubmit, onNotice }: TypingPorts) {
    this.#world = world;
    this.#screen = screen;
    this.#onNotice = onNotice;
    this.images = new PastedImages(world.env);
    this.#history = new History(world, onNotice);
    this.#editor = new Editor(screen, EDITOR, {
      paddingX: MARK_COLUMNS,
    });
    this.#editor.focused = true;
    this.#editor.onSubmit = (text) => {
      const whole = this.#pasted.expand(text);
      this.#pasted.forget();
      onSubmit(whole);
    };
    this.#files = new ProjectFiles(world.cwd);
    this.#completion = new Completion({
      commands,
      readCommands,
      files: () => this.#files.list(),
      suggester: () => this.#suggester,
    });
    this.#editor.setAutocompleteProvider(this.#completion);
  }

  get isEmpty(): boolean {
    return this.#editor.getText() === "";
  }

  /** Whether the completion list is open, so that Esc only closes the list. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  /** Which key does what. */
  get bindings(): Bindings {
    return this.#bindings;
  }

  async load(): Promise<void> {
    await Promise.all([this.#history.load(), this.#loadBindings()]);
    for (const text of this.#history.here) this.#editor.addToHistory(text);
    this.#isLoaded = true;
    if (!this.#isUpEarly || !this.isEmpty) return;
    this.#editor.handleInput(UP);
    this.#screen.requestRender();
  }

  async #loadBindings(): Promise<void> {
    const path = join(runaheadHome(this.#world), "keybindings.json");
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") this.#onNotice(`${path} cannot be read: ${error.message}`);
      return undefined;
    });
    const { bindings, problems } = readBindings(text);
    this.#bindings = bindings;
    setKeybindings(bindings.editing);
    for (const problem of problems) this.#onNotice(`${path}: ${problem}`);
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
    const safe = strip(text);
    const mark = this.#pasted.fold(safe);
    if (mark === undefined) this.#editor.handleInput(`${PASTE_START}${safe}${PASTE_END}`);
    else this.#editor.insertTextAtCursor(mark);
  }

  handleInput(data: string): void {
    this.#isUpEarly = !this.#isLoaded && this.isEmpty && matchesKey(data, "up");
    if (this.#isUpEarly) return;
    const isEnter = matchesKey(data, "enter");
    this.#completion.isSending = isEnter;
    const isCompleting = this.isCompleting && matchesKey(data, "escape");
    if (data.startsWith(PASTE_START) && data.endsWith(PASTE_END))
      return this.put(data.slice(PASTE_START.length, -PASTE_END.length).replaceAll(/\r\n?/g, "\n"));
    if (!isCompleting && this.#vim?.handleInput(data) === true) return;
    if (matchesKey(data, "backspace") && this.#removeMark()) return;
    this.#editor.handleInput(data);
    this.#closeStaleList();
    if (isEnter && this.isEmpty) this.#vim?.reset();
  }

  /** Keys that delete to the start of the line leave the editor's completion list open, without a word to complete. */
  #closeStaleList(): void {
    const before = this.#editor.getText().slice(0, cursorIndex(this.#editor));
    if (this.isCompleting && /(?:^|\n)$/.test(before)) this.#editor.handleInput(ESCAPE);
  }

  /** Removes the mark of a paste before the cursor as a whole. Returns false if there is none. */
  #removeMark(): boolean {
    const text = this.#editor.getText();
    const at = cursorIndex(this.#editor);
    const mark = this.#pasted.markAtEnd(text.slice(0, at));
    if (mark === undefined) return false;
    setEditor(this.#editor, text.slice(0, at - mark.length) + text.slice(at), at - mark.length);
    return true;
  }

  /** The text with all pastes. */
  get #wholeText(): string {
    return this.#pasted.expand(this.#editor.getExpandedText());
  }

  /** `mode` is the permission mode; undefined before the conversation starts. */
  render(width: number, mode?: string): string[] {
    // The mark would leave too few columns for a wide character.
    this.#editor.setPaddingX(width < LEAST_MARKED ? 0 : MARK_COLUMNS);
    const lines = this.#editor.render(Math.max(LEAST_COLUMNS, width));
    const { rows } = this.#screen.terminal;
    // In a low window the list would push the input line off the screen.
    this.#editor.setAutocompleteMaxVisible(Math.min(MOST_COMPLETIONS, rows - ROWS_BESIDE_LIST));
    const ruler = ruleColumns(width, rows);
    return framed(lines, { width: ruler, mode, state: this.#vim?.words ?? "", hasHint: this.isEmpty });
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

  /** Where the completion of file names gets them from. */
  completeFiles({ respectsGitignore, suggestFiles }: FileWishes): void {
    this.#files.respectsGitignore = respectsGitignore;
    this.#suggester = suggestFiles;
  }

  /** Turns the vim keys on or off. */
  setVim(isOn: boolean): void {
    this.#vim = isOn ? new VimKeys(this.#editor) : undefined;
  }

  /** Whether Esc is for the text, as in vim's insert mode. */
  get takesEscape(): boolean {
    return this.#vim?.takesEscape === true;
  }

  /** Puts the text aside, or brings back what is aside if the line is empty. Returns a message. */
  stash(): string {
    const text = this.#wholeText;
    if (text === "" && this.#stashed === "") return "Nothing to put aside.";
    const restored = text === "" ? this.#stashed : "";
    this.clear();
    this.put(restored);
    this.#stashed = text === "" ? "" : text;
    return text === "" ? "" : "Put aside. The same key on an empty line brings it back.";
  }

  /** Inserts a mark for the image in the clipboard. Returns why there is none, or an empty string. */
  async pasteImage(): Promise<string> {
    try {
      this.#editor.insertTextAtCursor(`${await this.images.take()} `);
      this.#screen.requestRender();
      return "";
    } catch (error) {
      return wordsOf(error);
    }
  }

  /** Returns why editing failed, or undefined. */
  async editOutside(): Promise<string | undefined> {
    const edited = await this.editText(this.#wholeText);
    if (edited.type === "failed") return edited.why;
    this.clear();
    this.put(edited.text);
    return undefined;
  }
}
