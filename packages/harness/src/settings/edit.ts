/** Adds to a JSON text without changing the rest of it. */

import type { JsonArray, JsonObject } from "./json.ts";

/** An entry of a list, or a member of an object, whose name includes quotes and colon. */
export interface Piece {
  readonly name: string;
  readonly value: unknown;
}

/** Adds to the end of an object or list, with the layout of its neighbours. */
export class Edit {
  readonly #text: string;
  readonly #unit: string;
  readonly #newline: string;

  constructor(text: string, file: JsonObject) {
    this.#text = text;
    this.#newline = text.includes("\r\n") ? "\r\n" : "\n";
    const [first] = file.members;
    this.#unit = (first === undefined ? "" : this.#indentBefore(first.start)) || "  ";
  }

  add(to: JsonObject | JsonArray, piece: Piece): string {
    const starts =
      to.type === "object" ? to.members.map(({ start }) => start) : to.items.map(({ start }) => start);
    const last = to.type === "object" ? to.members.at(-1)?.value : to.items.at(-1);
    const [first] = starts;
    if (first === undefined || last === undefined) return this.#fill(to, piece);
    const isOnOneLine = !this.#text.slice(to.start, first).includes("\n");
    const added = isOnOneLine
      ? `, ${piece.name}${JSON.stringify(piece.value)}`
      : `,${this.#newline}${this.#laidOut(piece, this.#indentBefore(first))}`;
    return this.#text.slice(0, last.end) + added + this.#text.slice(last.end);
  }

  #fill(to: JsonObject | JsonArray, piece: Piece): string {
    const outer = this.#indentBefore(to.start);
    const [open, close] = to.type === "object" ? ["{", "}"] : ["[", "]"];
    const [start, end] = [`${open}${this.#newline}`, `${this.#newline}${outer}${close}`];
    const filled = `${start}${this.#laidOut(piece, outer + this.#unit)}${end}`;
    return this.#text.slice(0, to.start) + filled + this.#text.slice(to.end);
  }

  #laidOut({ name, value }: Piece, indent: string): string {
    const lines = JSON.stringify(value, undefined, this.#unit).split("\n");
    return `${indent}${name}${lines.join(this.#newline + indent)}`;
  }

  /** The indentation of its line. */
  #indentBefore(at: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf("\n", at - 1) + 1, at);
    return /^[ \t]*/.exec(line)?.[0] ?? "";
  }
}
