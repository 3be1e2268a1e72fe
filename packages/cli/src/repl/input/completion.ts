/** Completes commands after a slash and files after an `@`. */

import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from "@earendil-works/pi-tui";
import type { FileSuggester } from "./file-suggestion.ts";
import { type FileIndex, matchFiles, scoreOf } from "./file-match.ts";
import { UNSEEN_PART } from "../../shared/safe-text.ts";

export interface Named {
  readonly name: string;
  readonly help: string;
}

interface Sources {
  readonly commands: () => readonly Named[];
  /** Finds commands that were added in the meantime. */
  readonly readCommands?: () => Promise<void>;
  readonly files: () => Promise<FileIndex>;
  /** The user's own command for file names, if there is one. */
  readonly suggester?: () => FileSuggester | undefined;
}

type Applying = Parameters<AutocompleteProvider["applyCompletion"]>;
type Applied = ReturnType<AutocompleteProvider["applyCompletion"]>;

const MOST_SHOWN = 50;
const COMMAND = /^\s*\/([^\s/]*)$/;
const MENTION = /(?:^|[\s(])(@(?:"([^"]*)|([^\s"]*)))$/;

export class Completion implements AutocompleteProvider {
  readonly #sources: Sources;
  /** Enter was pressed, which runs the command: only the start of its name counts then. */
  isSending = false;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    options?: { readonly signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? "").slice(0, cursorCol);
    const command = cursorLine === 0 ? COMMAND.exec(before)?.[1] : undefined;
    if (command !== undefined) {
      // Not awaited, because Enter must find the list. What was added is offered at the next key.
      this.#sources.readCommands?.().catch(() => {});
      return suggested(before, this.#commands(command));
    }
    const [, whole, quoted, plain] = MENTION.exec(before) ?? [];
    if (whole === undefined) return null;
    const found = await this.#files(quoted ?? plain ?? "", options?.signal);
    return suggested(
      whole,
      found.map((file) => ({ value: file, label: file })),
    );
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
    const isMeant =
      command !== undefined &&
      (item.value.startsWith(command) || (!this.isSending && isNear(item.value, command)));
    if (isMeant && !this.#isName(command)) return done("", `/${item.value} `);
    if (command === undefined && mention !== undefined)
      return done(before.slice(0, before.length - mention.length), mentionOf(item.value));
    return { lines, cursorLine, cursorCol };
  }

  shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
    return MENTION.test((lines[cursorLine] ?? "").slice(0, cursorCol));
  }

  async #files(typed: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    // A name that could control the terminal is not offered (I06).
    const isHidden = (name: string): boolean => UNSEEN_PART.test(name);
    const suggest = this.#sources.suggester?.();
    if (suggest !== undefined) return (await suggest(typed, signal)).filter((name) => !isHidden(name));
    return matchFiles(await this.#sources.files(), typed, { most: MOST_SHOWN, signal, isHidden });
  }

  #isName(word: string): boolean {
    return this.#sources.commands().some(({ name }) => name === word);
  }

  #commands(typed: string): AutocompleteItem[] {
    const all = this.#sources.commands();
    const starting = all.filter(({ name }) => name.startsWith(typed));
    const near = all.filter(({ name }) => !name.startsWith(typed) && isNear(name, typed));
    const ranked = near.toSorted(
      (one, other) => (scoreOf(one.name, typed) ?? 0) - (scoreOf(other.name, typed) ?? 0),
    );
    return [...starting, ...ranked].map(({ name, help }) => ({
      value: name,
      label: `/${name}`,
      description: help,
    }));
  }
}

/** Whether the letters are in the name, in this order. */
function isNear(name: string, typed: string): boolean {
  return scoreOf(name.toLowerCase(), typed.toLowerCase()) !== undefined;
}

function suggested(prefix: string, items: AutocompleteItem[]): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { prefix, items: items.slice(0, MOST_SHOWN) };
}

/** A folder gets no space after it, so that typing can continue. */
function mentionOf(file: string): string {
  const isFolder = file.endsWith("/");
  if (!/\s/.test(file)) return `@${file}${isFolder ? "" : " "}`;
  return isFolder ? `@"${file}` : `@"${file}" `;
}
