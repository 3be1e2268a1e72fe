/** The transcript in order. Finished entries move to the terminal's scrollback. */

import type { Entry } from "./entry.ts";
import type { Frame } from "../screen/live-region.ts";

export class Transcript {
  #entries: Entry[] = [];
  /** The kind of the last printed entry. */
  #lastKind: Entry["kind"] | undefined;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Removes the matching entries that are not printed yet. */
  drop(isDropped: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter((entry) => !isDropped(entry));
  }

  /**
   * Prints finished entries in order. Those that wait for an earlier one are only named if they would not fit on the
   * screen, and printed out of order if even that is too much.
   */
  frame(width: number, room: number): Frame {
    const above: string[] = [];
    while (this.#entries[0]?.isFinished === true) above.push(...this.#print(this.#entries[0], width));
    above.push(...this.#settle(this.#entries[0], width));
    for (;;) {
      const whole = this.#live(width, false);
      const live = whole.length > room ? this.#live(width, true) : whole;
      const finished = live.length > room ? this.#entries.find((entry) => entry.isFinished) : undefined;
      if (finished === undefined) return { above, live: shortened(live, room) };
      above.push(...this.#print(finished, width));
    }
  }

  #print(entry: Entry, width: number): string[] {
    const lines = spaced(entry, this.#lastKind, width);
    this.#entries.splice(this.#entries.indexOf(entry), 1);
    this.#lastKind = entry.kind;
    return lines;
  }

  /** Text that is streaming moves up row by row, so that a long paragraph or list does not fill the screen. */
  #settle(entry: Entry | undefined, width: number): string[] {
    const isSeparate = entry !== undefined && isApart(entry, this.#lastKind);
    const rows = entry?.settle?.(width) ?? [];
    if (entry === undefined || rows.length === 0) return [];
    this.#lastKind = entry.kind;
    return isSeparate ? ["", ...rows] : rows;
  }

  #live(width: number, isShort: boolean): string[] {
    let before = this.#lastKind;
    return this.#entries.flatMap((entry) => {
      const lines = spaced(entry, before, width);
      before = entry.kind;
      const isNamed = isShort && entry.isFinished && entry.kind === "call";
      return isNamed ? lines.slice(0, lines[0] === "" ? 2 : 1) : lines;
    });
  }
}

function spaced(entry: Entry, before: Entry["kind"] | undefined, width: number): string[] {
  const lines = entry.render(width);
  return isApart(entry, before) && lines.length > 0 ? ["", ...lines] : lines;
}

/** Whether an empty line is above it. */
function isApart(entry: Entry, before: Entry["kind"] | undefined): boolean {
  return before !== undefined && entry.isContinued !== true && (entry.kind !== "call" || before !== "call");
}

/** Keeps the end, which is where lines change. */
function shortened(lines: string[], room: number): string[] {
  return lines.length <= room ? lines : lines.slice(lines.length - Math.max(0, room));
}
