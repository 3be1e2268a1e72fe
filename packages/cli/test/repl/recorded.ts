/**
 * Screens that are compared as text with a recorded file, one section for each screen. `UPDATE_SCREENS=1` records them
 * again; then look at the difference before you commit it.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Program, has, pause } from "./terminal.ts";

const IS_UPDATE = process.env["UPDATE_SCREENS"] !== undefined;
const MOST_MS = 60_000;
const LOOK_MS = 30;
/** A screen that did not change for so long is recorded. */
const STILL_MS = 1_500;
/** Counted from the end: how far the terminal has scrolled depends on how quick the run was. */
const MOST_LINES = 30;
/** As long as "59 min 59 s". */
const MOST_TIME = 11;
const HEADING = /^=== (.+)$/;

export class RecordedScreens {
  readonly #path: string;
  /** The program whose screen is compared. */
  program: Program;
  readonly #known: ReadonlyMap<string, string>;
  readonly #seen = new Map<string, string>();

  /** `name` is the name of the file. */
  constructor(program: Program, name: string) {
    this.program = program;
    this.#path = fileURLToPath(new URL(`./screens/${name}.txt`, import.meta.url));
    this.#known = existsSync(this.#path) ? sections(readFileSync(this.#path, "utf8")) : new Map();
  }

  /**
   * Waits until the screen is as recorded. `mark` is on it, so that the right screen is recorded. `settled` replaces what
   * differs from run to run.
   */
  async shows(name: string, mark: string, settled = (text: string): string => text): Promise<void> {
    await this.#compares(name, mark, () => settled(this.program.text()));
  }

  /** The same with the styles and the links of the text. */
  async showsStyled(name: string, mark: string): Promise<void> {
    await this.#compares(name, mark, () => this.program.styledText());
  }

  async #compares(name: string, mark: string, textOf: () => string): Promise<void> {
    const now = (): string => comparable(textOf(), this.program.folder);
    const recorded = this.#known.get(name);
    await this.program.sees(mark);
    if (IS_UPDATE) {
      this.#seen.set(name, await still(now));
      return this.#record();
    }
    const deadline = Date.now() + MOST_MS;
    while (now() !== recorded && Date.now() < deadline) await pause(LOOK_MS);
    expect(now(), name).toBe(recorded);
    this.#seen.set(name, now());
  }

  /** The same, and then Esc closes it. `mark` is nowhere else. */
  async showsClosed(name: string, mark: string): Promise<void> {
    await this.shows(name, mark);
    this.program.press("\u001b");
    await this.program.sees((text) => !has(text, mark));
  }

  /** All recorded screens were seen. */
  end(): void {
    if (!IS_UPDATE) expect([...this.#seen.keys()]).toEqual([...this.#known.keys()]);
  }

  #record(): void {
    const parts = [...this.#seen].map(([name, text]) => `=== ${name}\n${text}\n`);
    writeFileSync(this.#path, parts.join("\n"));
  }
}

async function still(now: () => string): Promise<string> {
  let text = now();
  for (let sinceMs = Date.now(); Date.now() - sinceMs < STILL_MS; await pause(LOOK_MS)) {
    if (now() === text) continue;
    text = now();
    sinceMs = Date.now();
  }
  return text;
}

/** The last lines, without what differs from run to run. */
function comparable(screen: string, folder: string): string {
  const lines = withoutNotice(screen).split("\n").slice(-MOST_LINES);
  return withoutTimes(lines.join("\n"), folder);
}

/** The notice about a server that cannot start comes before or after the first lines. */
function withoutNotice(screen: string): string {
  return screen.replaceAll(/^The MCP server broken is not available:[^]*?was not found\n+/gm, "");
}

/** Times, sizes of the context and temporary names differ from run to run. */
function withoutTimes(screen: string, folder: string): string {
  // A row can end within the name, which is always as long.
  const name = new RegExp(
    [...folder].map((letter) => letter.replace(/[^\w/]/, "\\$&")).join("(?:\\n *)?"),
    "g",
  );
  return (
    screen
      .replaceAll(name, (found) => `/tmp/FOLDER${(found.match(/\n */g) ?? []).join("")}`)
      // A longer time leaves less room for the title before it.
      .replaceAll(
        /^(.*)… · ([a-z]+) ((?:\d+ min )?\d+(?:\.\d)? s)(?=$| · )/gm,
        (_, title: string, state: string, time: string) =>
          `${title.slice(0, title.length + time.length - MOST_TIME)}… · ${state} ${time}`,
      )
      .replaceAll(/\b(?:\d+ min )?\d+(?:\.\d)? s\b/g, "0.0 s")
      .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, "⠋")
      // The names of the project and the session, and the day.
      .replaceAll(/saved in\s+~[^]*?\.md/g, (found) => found.replaceAll(/(?<=~[^]*)\w/g, "x"))
      .replaceAll(/--resume\s+[\da-f-]+\n?[\da-f-]+/g, "--resume ID")
      .replaceAll(/by process \d+\.\s+A\s+copy\s+starts/g, "by process PID. A copy starts")
      .replaceAll(/^([█▓▒░▚] [\w ]+?) +[\d.kM]+ +[\d.]+ %$/gm, "$1 N")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replaceAll(/\b20\d\d-\d\d-\d\d \d\d:\d\d\b/g, "2026-01-01 00:00")
      .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "ID")
  );
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
