import { expect, test } from "vitest";
import { terminalOf } from "../../../test/support/terminal.ts";
import { TmuxTerminal } from "../../../test/support/tmux-terminal.ts";
import { type Picture, Screen } from "./screen.ts";

/** A screen in a terminal, which shows what a test gives it. */
class Shown {
  readonly terminal: TmuxTerminal;
  readonly #screen: Screen;
  readonly #size: { columns: number; rows: number };
  #written: Promise<void> = Promise.resolve();
  #press: (data: string) => void = () => {};
  picture: (width: number, rows: number) => Picture = () => ({ above: [], live: [] });

  /** `before` is what a shell has printed. */
  constructor(columns: number, rows: number, before: readonly string[] = []) {
    const size = { columns, rows };
    this.#size = size;
    this.terminal = new TmuxTerminal(size);
    void this.terminal.write(before.map((line) => `${line}\r\n`).join(""));
    const device = terminalOf({
      write: (bytes) => {
        this.#written = this.terminal.write(bytes);
      },
      start: (onInput) => {
        this.#press = onInput;
      },
    });
    Object.defineProperties(device, { columns: { get: () => size.columns }, rows: { get: () => size.rows } });
    this.terminal.onAnswer((data) => this.#press(data));
    this.#screen = new Screen(device, (width, height) => this.picture(width, height));
    this.#screen.start();
  }

  /** Draws until the terminal has answered. */
  async draw(above: readonly string[] = []): Promise<void> {
    let rest = above;
    const { picture } = this;
    this.picture = (width, rows) => {
      const made = picture(width, rows);
      if ("full" in made) return made;
      const printed = rest;
      rest = [];
      return { ...made, above: printed };
    };
    for (let count = 0; count < 3; count++) {
      this.#screen.drawNow();
      await this.#written;
    }
    this.picture = picture;
  }

  async resize(columns: number, rows: number): Promise<void> {
    Object.assign(this.#size, { columns, rows });
    void this.terminal.resize({ columns, rows });
    await this.draw();
  }

  async end(): Promise<string[]> {
    this.#screen.end([]);
    await this.#written;
    return this.terminal.lines();
  }

  restore(): Promise<void> {
    this.#screen.restore();
    return this.#written;
  }
}

/** As wide as the window. */
const wide = (name: string, width: number): string => `${name} ${"-".repeat(200)}`.slice(0, width);
const withoutEmpty = (lines: readonly string[]): string[] => lines.filter((line) => line !== "");
const finished = (count: number): string[] => Array.from({ length: count }, (_, at) => `finished ${at}`);

/** Every row of it is as wide as the window. */
const regionOf =
  (height: number) =>
  (width: number, rows: number): Picture => ({
    above: [],
    live: Array.from({ length: Math.min(height, rows) }, (_, at) => wide(`live ${at}`, width)),
  });

test.each([
  [2, 8],
  [3, 20],
  [10, 12],
  [40, 6],
  [40, 20],
])(
  "a window that becomes half as wide and high, and large again, leaves no remnants: %i lines, a region of %i rows",
  async (count, height) => {
    for (const [columns, rows] of [
      [40, 24],
      [80, 12],
      [40, 12],
      [60, 18],
    ] as const) {
      const shown = new Shown(80, 24);
      shown.picture = regionOf(height);
      await shown.draw(finished(count));
      await shown.resize(columns, rows);
      await shown.resize(80, 24);
      await shown.resize(columns, rows);
      expect(withoutEmpty(await shown.end())).toEqual(finished(count));
    }
  },
);

test.each([
  [2, 4],
  [3, 12],
  [12, 6],
  [60, 10],
])(
  "a window that shrinks in one step, down to 20 columns, leaves no remnants: %i lines, a region of %i rows",
  async (count, height) => {
    for (const [from, columns, rows] of [
      [80, 39, 24],
      [80, 20, 24],
      [80, 20, 10],
      [60, 25, 24],
      [200, 20, 12],
    ] as const) {
      const shown = new Shown(from, 24);
      shown.picture = regionOf(height);
      await shown.draw(finished(count));
      await shown.resize(columns, rows);
      await shown.resize(from, 24);
      expect(withoutEmpty(await shown.end())).toEqual(finished(count));
    }
  },
);

test.each([
  [2, 4],
  [3, 20],
  [12, 10],
  [60, 30],
])(
  "a wide and high window that shrinks in one step, down to 20 columns, leaves no remnants: %i lines, a region of %i rows",
  async (count, height) => {
    for (const [columns, rows] of [
      [40, 50],
      [40, 12],
      [66, 50],
      [80, 24],
      [30, 50],
      [20, 50],
      [20, 10],
    ] as const) {
      const shown = new Shown(200, 50);
      shown.picture = regionOf(height);
      await shown.draw(finished(count));
      await shown.resize(columns, rows);
      await shown.resize(200, 50);
      await shown.resize(columns, rows);
      expect(withoutEmpty(await shown.end())).toEqual(finished(count));
    }
  },
);

test("after any frames and sizes, all finished lines are there once and in order, and nothing of the region", async () => {
  let state = 11;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  for (let round = 0; round < 12; round++) {
    let [columns, rows] = [80, 24];
    const shown = new Shown(columns, rows);
    let printed = 0;
    for (let step = 0; step < 10; step++) {
      const isFull = below(6) === 0;
      const region = regionOf(1 + below(rows));
      shown.picture = (width, height) =>
        isFull ? { full: [wide("a view", width), "of all"] } : region(width, height);
      const above = Array.from({ length: isFull ? 0 : below(4) }, (_, at) => `finished ${printed + at}`);
      printed += above.length;
      await shown.draw(above);
      if (below(2) === 0) continue;
      const isSmall = below(2) === 0;
      [columns, rows] = isSmall
        ? [Math.ceil(columns / (1 + below(2))), Math.ceil(rows / (1 + below(2)))]
        : [80, 24];
      if (columns < 20 || rows < 6) [columns, rows] = [80, 24];
      await shown.resize(columns, rows);
    }
    expect(withoutEmpty(await shown.end())).toEqual(finished(printed));
  }
});

test("a region with few rows above it is drawn on the alternate screen, with the finished lines that are known", async () => {
  const shown = new Shown(20, 12);
  shown.picture = regionOf(5);
  await shown.draw(["one", "two"]);
  expect(shown.terminal.lines()).toEqual([
    "one",
    "two",
    ...Array.from({ length: 5 }, (_, at) => wide(`live ${at}`, 20)),
  ]);
  // After a crash, nothing is drawn, but what was finished is printed.
  await shown.restore();
  expect(shown.terminal.lines()).toEqual(["one", "two"]);
});

test("lines that were finished while the alternate screen was shown are wrapped, not cut, if the window is narrower then", async () => {
  const words = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
  const shown = new Shown(200, 12);
  shown.picture = regionOf(5);
  await shown.draw([words]);
  await shown.resize(40, 12);
  expect((await shown.end()).join(" ").replaceAll(/ +/g, " ").trim()).toBe(words);
});

test("below what a shell has printed, a region stays on the normal screen, because the terminal says at the start where it is", async () => {
  const shell = Array.from({ length: 45 }, (_, at) => `shell ${at}`);
  const shown = new Shown(200, 50, shell);
  shown.picture = regionOf(4);
  await shown.draw(["one"]);
  expect(shown.terminal.lines().slice(0, 46)).toEqual([...shell, "one"]);
});

test("a region with enough rows above it stays on the normal screen, so that the scrollback can be read", async () => {
  const shown = new Shown(20, 12);
  shown.picture = regionOf(5);
  await shown.draw(finished(30));
  expect(shown.terminal.lines().slice(0, 30)).toEqual(finished(30));
});

test("another program gets the terminal when all questions of the program were answered", async () => {
  let press: (data: string) => void = () => {};
  const written: string[] = [];
  const device = terminalOf({
    write: (bytes) => void written.push(bytes),
    start: (onInput) => {
      press = onInput;
    },
  });
  const screen = new Screen(device, () => ({ above: [], live: ["a line"] }));
  screen.start();
  const events: string[] = [];
  const lent = screen.lend(async () => void events.push("lent"));
  for (const answer of ["\u001b[?62;c", "\u001b[3;1R", "\u001b[?62;c"]) {
    await Promise.resolve();
    events.push("answered");
    press(answer);
  }
  const asked = written.join("").split("\u001b[6n").length;
  await lent;
  expect(events).toEqual(["answered", "answered", "answered", "lent"]);
  // Nothing more is asked until the program has the terminal again.
  expect(written.join("").split("\u001b[6n").length).toBe(asked + 1);
  screen.end([]);
});
