/** Fills in the placeholders of a skill or command. */

import type { PromptFile } from "./prompt-file.ts";

/** Values that a text can name. */
export interface Given {
  /** The text that was typed after the name. */
  readonly words: string;
  /** `${CLAUDE_SKILL_DIR}`, `${CLAUDE_PLUGIN_ROOT}`, … */
  readonly variables: Readonly<Record<string, string>>;
}

const ARGUMENT = /(\\)?\$(?:ARGUMENTS(?:\[(\d+)\])?|(\d{1,2})(?!\d)|([A-Za-z_][\w-]*))/g;

/**
 * Fills in `$ARGUMENTS` with the typed text, `$ARGUMENTS[0]` and `$0` with its first word, `$name` with a named argument
 * and `${CLAUDE_SKILL_DIR}` with the folder of the file. A placeholder without an argument stays as it is. If the text
 * has none, the typed text is appended. Commands are found before that, so that an argument cannot add one.
 */
export function expanded(
  { body, argumentNames }: Pick<PromptFile, "body" | "argumentNames">,
  given: Given,
): PromptPiece[] {
  const filler = new Filler(argumentNames, given);
  const pieces = piecesOf(body).map(
    (piece): PromptPiece =>
      piece.type === "text"
        ? { type: "text", text: filler.fill(piece.text) }
        : { type: "command", command: filler.fill(piece.command) },
  );
  const { words } = given;
  return filler.isUsed || words === ""
    ? pieces
    : [...pieces, { type: "text", text: `\n\nARGUMENTS: ${words}` }];
}

/** Fills in `${NAME}` and the options of a plugin, `${user_config.KEY}`. */
export function filled(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Z][A-Z0-9_]*|user_config\.[\w-]+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
  );
}

class Filler {
  isUsed = false;
  readonly #names: readonly string[];
  readonly #given: Given;
  readonly #parts: readonly string[];

  constructor(names: readonly string[], given: Given) {
    this.#names = names;
    this.#given = given;
    this.#parts = wordsOf(given.words);
  }

  /** Variables come first, so that typed text is not searched for them. */
  fill(text: string): string {
    const { variables } = this.#given;
    return filled(text, variables).replaceAll(ARGUMENT, (whole: string, ...found: unknown[]) =>
      this.#argument(whole, found as (string | undefined)[]),
    );
  }

  #argument(whole: string, [escape, index, digit, name]: readonly (string | undefined)[]): string {
    if (name !== undefined && !this.#names.includes(name)) return whole;
    if (escape !== undefined) return whole.slice(1);
    this.isUsed = true;
    if (index === undefined && digit === undefined && name === undefined) return this.#given.words;
    const at = name === undefined ? Number(index ?? digit) : this.#names.indexOf(name);
    return this.#parts[at] ?? whole;
  }
}

/** Splits like a shell: quoted text is one word, and a backslash quotes one character. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:"(?:[^"\\]|\\[^])*"|'[^']*'|\\[^]|[^\s"'\\]|["'](?=\s|$))+/g)].map(([word]) =>
    word.replaceAll(
      /"((?:[^"\\]|\\[^])*)"|'([^']*)'|\\([^])/g,
      (_, double?: string, single?: string, one?: string) =>
        double === undefined ? (single ?? one ?? "") : double.replaceAll(/\\([^])/g, "$1"),
    ),
  );
}

/** A piece of a prompt: text, or a command whose output takes its place. */
export type PromptPiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "command"; readonly command: string };

const COMMAND = /(^|[\s(>])!`([^`\n]+)`|^```!\n([^]*?)\n```$/gm;

/** Finds the commands in a text: `` !`git status` ``, and blocks that begin with ` ```! `. */
function piecesOf(text: string): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let at = 0;
  for (const found of text.matchAll(COMMAND)) {
    const [whole, before = "", inline, block] = found;
    pieces.push({ type: "text", text: text.slice(at, found.index) + before });
    pieces.push({ type: "command", command: (inline ?? block ?? "").trim() });
    at = found.index + whole.length;
  }
  pieces.push({ type: "text", text: text.slice(at) });
  return pieces.filter((piece) => piece.type === "command" || piece.text !== "");
}
