/**
 * Screens that are compared as text with a recorded file, one section for each screen. `UPDATE_SCREENS=1` records them
 * again; then look at the difference before you commit it.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Program, pause } from "./terminal.ts";

const IS_UPDATE = process.env["UPDATE_SCREENS"] !== undefined;
const MOST_MS = 60_000;
const LOOK_MS = 30;
/** A screen that did not change for so long is recorded. */
const STILL_MS = 2_500;
/** Counted from the end: how far the terminal has scrolled depends on how quick the run was. */
const MOST_LINES = 30;
const HEADING = /^=== (.+)$/;

export class RecordedScreens {
  readonly #path: string;
  readonly #program: Program;
  readonly #known: ReadonlyMap<string, string>;
  readonly #seen = new Map<string, string>();

  /** The program must have this many columns. */
  constructor(program: Program, columns: number) {
    this.#program = program;
    this.#path = fileURLToPath(new URL(`./screens/${columns}.txt`, import.meta.url));
    this.#known = existsSync(this.#path) ? sections(readFileSync(this.#path, "utf8")) : new Map();
  }

  /** Waits until the screen is as recorded. `mark` is on it, so that the right screen is recorded. */
  async shows(name: string, mark: string): Promise<void> {
    const recorded = this.#known.get(name);
    await this.#program.sees(mark);
    if (IS_UPDATE) {
      this.#seen.set(name, await this.#still());
      return this.#record();
    }
    const deadline = Date.now() + MOST_MS;
    while (this.#now !== recorded && Date.now() < deadline) await pause(LOOK_MS);
    expect(this.#now, name).toBe(recorded);
    this.#seen.set(name, this.#now);
  }

  /** All recorded screens were seen. */
  end(): void {
    if (!IS_UPDATE) expect([...this.#seen.keys()]).toEqual([...this.#known.keys()]);
  }

  #record(): void {
    const parts = [...this.#seen].map(([name, text]) => `=== ${name}\n${text}\n`);
    writeFileSync(this.#path, parts.join("\n"));
  }

  get #now(): string {
    const lines = this.#program.text().split("\n").slice(-MOST_LINES);
    return withoutTimes(lines.join("\n"), this.#program.folder);
  }

  async #still(): Promise<string> {
    let text = this.#now;
    for (let sinceMs = Date.now(); Date.now() - sinceMs < STILL_MS; await pause(LOOK_MS)) {
      if (this.#now === text) continue;
      text = this.#now;
      sinceMs = Date.now();
    }
    return text;
  }
}

/** Times, sizes of the context and temporary names differ from run to run. */
function withoutTimes(screen: string, folder: string): string {
  // A row can end within the name, which is always as long.
  const name = new RegExp(
    [...folder].map((letter) => letter.replace(/[^\w/]/, "\\$&")).join("(?:\\n *)?"),
    "g",
  );
  return screen
    .replaceAll(name, (found) => `/tmp/FOLDER${(found.match(/\n */g) ?? []).join("")}`)
    .replaceAll(/\b(?:\d+ min )?\d+(?:\.\d)? s\b/g, "0.0 s")
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
    .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d\b/g, "2026-01-01 00:00")
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "ID");
}

function sections(text: string): Map<string, string> {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, name] = HEADING.exec(line) ?? [];
    if (name === undefined) lines.push(line);
    else found.set(name, (lines = []));
  }
  return new Map([...found].map(([name, all]) => [name, all.join("\n").trimEnd()]));
}
