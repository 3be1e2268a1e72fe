/** Which key does what. `keybindings.json` in the user's folder changes the defaults. */

import { KeybindingsManager, type KeyId, TUI_KEYBINDINGS, matchesKey } from "@earendil-works/pi-tui";
import { nearest, oneLine } from "../../shared/words.ts";

/** What a key can do outside of the text. */
export const ACTIONS = {
  cycleMode: { keys: ["shift+tab"], help: "switch the permission mode" },
  output: { keys: ["ctrl+o"], help: "show the full output of calls" },
  search: { keys: ["ctrl+r"], help: "search previous prompts" },
  editor: { keys: ["ctrl+g"], help: "edit the prompt, or a plan, in $VISUAL or $EDITOR" },
  background: { keys: ["ctrl+b"], help: "move the running command or sub-agents to the background" },
  image: { keys: ["ctrl+v"], help: "paste an image from the clipboard" },
  stash: { keys: ["ctrl+s"], help: "put the text aside; on an empty line, bring it back" },
  model: { keys: ["alt+p"], help: "choose the model" },
  suspend: { keys: ["ctrl+z"], help: "suspend; `fg` in the shell continues" },
  exit: { keys: ["ctrl+d"], help: "exit, on an empty line" },
} as const satisfies Readonly<Record<string, { keys: readonly KeyId[]; help: string }>>;

type Action = keyof typeof ACTIONS;

/** Actions inside the text, which the editor does. */
const EDITING = {
  submit: "tui.input.submit",
  newLine: "tui.input.newLine",
  undo: "tui.editor.undo",
  lineStart: "tui.editor.cursorLineStart",
  lineEnd: "tui.editor.cursorLineEnd",
  wordLeft: "tui.editor.cursorWordLeft",
  wordRight: "tui.editor.cursorWordRight",
  deleteWord: "tui.editor.deleteWordBackward",
  deleteWordForward: "tui.editor.deleteWordForward",
  deleteToLineStart: "tui.editor.deleteToLineStart",
  deleteToLineEnd: "tui.editor.deleteToLineEnd",
  yank: "tui.editor.yank",
} as const;

type Editing = keyof typeof EDITING;

/** Names that other programs use. */
const OTHER_NAMES: Readonly<Record<string, Action | Editing>> = {
  "chat:cycleMode": "cycleMode",
  "chat:externalEditor": "editor",
  "chat:imagePaste": "image",
  "chat:modelPicker": "model",
  "chat:newline": "newLine",
  "chat:stash": "stash",
  "chat:submit": "submit",
  "chat:undo": "undo",
  "history:search": "search",
  "app:exit": "exit",
  "app:toggleTranscript": "output",
  "task:background": "background",
};

/** They always mean the same, so that a question can be refused and the program left. */
const RESERVED = new Set([
  "ctrl+c",
  "escape",
  "enter",
  "tab",
  "up",
  "down",
  "left",
  "right",
  "backspace",
  "space",
]);
const KEY =
  /^(?:(?:ctrl|alt|shift|super)\+)*(?:[a-z0-9]|f\d{1,2}|[`\-=[\]\\;',./!@#$%^&*()_+|~{}:<>?]|escape|enter|tab|space|backspace|delete|insert|home|end|pageUp|pageDown|up|down|left|right)$/;

export interface Bindings {
  /** The action of a key; undefined if it has none. */
  actionOf(data: string): Action | undefined;
  /** The keys of an action, for help. */
  keysOf(action: Action): readonly string[];
  /** For the editor. */
  readonly editing: KeybindingsManager;
}

export interface ReadBindings {
  readonly bindings: Bindings;
  /** What is wrong in the file. The rest of it takes effect. */
  readonly problems: readonly string[];
}

/** Reads the text of the file; undefined if there is none. */
export function readBindings(text: string | undefined): ReadBindings {
  const problems: string[] = [];
  const keys = new Map<string, Action | Editing>();
  for (const [action, { keys: defaults }] of Object.entries(ACTIONS))
    for (const key of defaults) keys.set(key, action as Action);
  for (const [key, action] of entriesIn(text, problems)) {
    const name = keyOf(key);
    const problem = problemOf(key, name, action);
    if (problem !== undefined) problems.push(problem);
    else if (typeof action !== "string") keys.delete(name);
    else keys.set(name, OTHER_NAMES[action] ?? (action as Action));
  }
  return { bindings: bindingsOf(keys), problems };
}

function bindingsOf(keys: ReadonlyMap<string, Action | Editing>): Bindings {
  const own = [...keys].filter((entry): entry is [string, Action] => entry[1] in ACTIONS);
  const added = (action: Editing): KeyId[] =>
    [...keys].flatMap(([key, one]) => (one === action ? [key as KeyId] : []));
  const user: Record<string, KeyId[]> = {};
  for (const [name, id] of Object.entries(EDITING)) {
    const more = added(name as Editing);
    const defaults = TUI_KEYBINDINGS[id].defaultKeys;
    const usual = (typeof defaults === "string" ? [defaults] : [...defaults]) as KeyId[];
    if (more.length > 0) user[id] = [...usual, ...more];
  }
  return {
    actionOf: (data) => own.find(([key]) => matchesKey(data, key as KeyId))?.[1],
    keysOf: (action) => own.flatMap(([key, one]) => (one === action ? [key] : [])),
    editing: new KeybindingsManager(TUI_KEYBINDINGS, user),
  };
}

/** The entries of the file: one object of keys, or lists of them by context, as another program has it. */
function entriesIn(text: string | undefined, problems: string[]): [string, unknown][] {
  if (text === undefined) return [];
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    problems.push(`it is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  if (!isObject(file)) return problems.push('expected an object, such as { "ctrl+e": "editor" }'), [];
  const { bindings, $schema: _schema, $docs: _docs, ...plain } = file;
  if (bindings === undefined) return Object.entries(plain);
  if (!Array.isArray(bindings)) return problems.push("bindings: expected a list"), [];
  return bindings.flatMap((block: unknown) => {
    if (isObject(block) && isObject(block["bindings"])) return Object.entries(block["bindings"]);
    problems.push("bindings: each entry needs an object `bindings`");
    return [];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `Control+E` and `opt+e` in the form of the terminal library. */
function keyOf(key: string): string {
  const parts = key.trim().split(/(?<=.)\+/);
  const names: Readonly<Record<string, string>> = {
    control: "ctrl",
    opt: "alt",
    option: "alt",
    meta: "alt",
    cmd: "super",
    esc: "escape",
    return: "enter",
    pageup: "pageUp",
    pagedown: "pageDown",
  };
  return parts.map((part) => names[part.toLowerCase()] ?? part.toLowerCase()).join("+");
}

function problemOf(key: string, name: string, action: unknown): string | undefined {
  const shown = oneLine(key);
  if (/\s/.test(key.trim())) return `${shown}: a sequence of keys cannot be bound; use one key`;
  if (!KEY.test(name)) return `${shown}: this is not the name of a key, such as ctrl+e, alt+enter or f2`;
  if (RESERVED.has(name)) return `${shown}: this key cannot be changed`;
  if (/^(?:shift\+)?.$/.test(name)) return `${shown}: a letter without ctrl or alt is text`;
  if (action === null) return undefined;
  const known = [...Object.keys(ACTIONS), ...Object.keys(EDITING)];
  if (typeof action !== "string")
    return `${shown}: expected the name of an action, or null to remove the key`;
  if (known.includes(action) || Object.hasOwn(OTHER_NAMES, action)) return undefined;
  const near = nearest(action, known);
  return `${shown}: unknown action ${oneLine(action)}. ${near === undefined ? `Actions: ${known.join(", ")}` : `Did you mean ${near}?`}`;
}
