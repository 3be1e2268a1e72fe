/** Completes commands after a slash and files after an `@`. */

import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import { UNSEEN_PART } from "../../shared/safe-text.ts";

export interface Named {
  readonly name: string;
  readonly help: string;
}

interface Sources {
  readonly commands: () => readonly Named[];
  readonly files: () => Promise<readonly string[]>;
}

type Applying = Parameters<AutocompleteProvider["applyCompletion"]>;
type Applied = ReturnType<AutocompleteProvider["applyCompletion"]>;

const MOST_SHOWN = 50;
const COMMAND = /^\s*\/([^\s/]*)$/;
const MENTION = /(?:^|[\s(])(@(?:"([^"]*)|([^\s"]*)))$/;

export class Completion implements AutocompleteProvider {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
    const command = cursorLine === 0 ? COMMAND.exec(before)?.[1] : undefined;
    if (command !== undefined) return suggested(before, this.#commands(command));
    const [, whole, quoted, plain] = MENTION.exec(before) ?? [];
    if (whole === undefined) return null;
    return suggested(whole, ranked(await this.#sources.files(), quoted ?? plain ?? ""));
  }

  /**
   * Checks the current text, because keys can arrive after the list was made. A completion that no longer fits changes
   * nothing.
   */
  applyCompletion(...[lines, cursorLine, cursorCol, item]: Applying): Applied {
    const line = lines[cursorLine] ?? "";
    const before = line.slice(0, cursorCol);
    const command = COMMAND.exec(before)?.[1];
    const mention = MENTION.exec(before)?.[1];
    const done = (kept: string, put: string): Applied => {
      const changed = [...lines];
      changed[cursorLine] = `${kept}${put}${line.slice(cursorCol)}`;
      return { lines: changed, cursorLine, cursorCol: kept.length + put.length };
    };
    if (command !== undefined && item.value.startsWith(command) && !this.#isName(command))
      return done("", `/${item.value} `);
    if (command === undefined && mention !== undefined)
      return done(before.slice(0, before.length - mention.length), mentionOf(item.value));
    return { lines, cursorLine, cursorCol };
  }

  shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
    return MENTION.test((lines[cursorLine] ?? "").slice(0, cursorCol));
  }

  #isName(word: string): boolean {
    return this.#sources.commands().some(({ name }) => name === word);
  }

  #commands(typed: string): AutocompleteItem[] {
    return this.#sources
      .commands()
      .filter(({ name }) => name.startsWith(typed))
      .map(({ name, help }) => ({ value: name, label: `/${name}`, description: help }));
  }
}

function suggested(prefix: string, items: AutocompleteItem[]): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { prefix, items: items.slice(0, MOST_SHOWN) };
}

/** Names that start with the text come first, then names that contain it, shorter before longer. */
function ranked(files: readonly string[], typed: string): AutocompleteItem[] {
  const wanted = typed.toLowerCase();
  const rank = (file: string): number => {
    const path = file.toLowerCase();
    const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1);
    if (path.startsWith(wanted)) return 0;
    return name.startsWith(wanted) ? 1 : 2;
  };
  return (
    files
      .filter((file) => file.toLowerCase().includes(wanted))
      // A name that could control the terminal is not offered (I06).
      .filter((file) => !UNSEEN_PART.test(file))
      .map((file) => ({ file, order: rank(file) }))
      .toSorted((one, other) => one.order - other.order || one.file.length - other.file.length)
      .slice(0, MOST_SHOWN)
      .map(({ file }) => ({ value: file, label: file }))
  );
}

/** A folder gets no space after it, so that typing can continue. */
function mentionOf(file: string): string {
  const isFolder = file.endsWith("/");
  if (!/\s/.test(file)) return `@${file}${isFolder ? "" : " "}`;
  return isFolder ? `@"${file}` : `@"${file}" `;
}
