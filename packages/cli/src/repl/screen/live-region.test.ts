import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { HOSTILE } from "../../../test/support/hostile.ts";
import { LiveRegion, type Size } from "./live-region.ts";

/** A terminal of this size, with what a region draws into it. */
class Emulated {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  readonly #region = new LiveRegion({ movesCursor: true });
  #size: Size;
  bytes = 0;

  constructor(size: Size) {
    this.#size = size;
    this.#terminal = new xterm.Terminal({
      cols: size.columns,
      rows: size.rows,
      scrollback: 10_000,
      allowProposedApi: true,
    });
  }

  async draw(above: readonly string[], live: readonly string[]): Promise<void> {
    const written = this.#region.draw({ above, live }, this.#size);
    this.bytes = written.length;
    await new Promise<void>((resolve) => this.#terminal.write(written, resolve));
  }

  /** Leaves the region, and prints a line as a shell would. */
  leave(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(`${this.#region.leave()}after`, resolve));
  }

  resize(size: Size): void {
    this.#size = size;
    this.#terminal.resize(size.columns, size.rows);
  }

  /** The text and the styles of the first row. */
  cells(): string[] {
    const row = this.#terminal.buffer.active.getLine(0);
    return Array.from({ length: this.#size.columns }, (_, at) => {
      const cell = row?.getCell(at);
      return `${cell?.getChars().trim() ?? ""} ${cell?.isBold()} ${cell?.getChars() === "" ? "" : cell?.getFgColor()}`;
    });
  }

  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const all = Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? "",
    );
    while (all.at(-1) === "") all.pop();
    return all;
  }
}

/** Numbers that are the same every time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("rows that are finished where they are shown are not written again, also when the screen scrolls", async () => {
  const terminal = new Emulated({ columns: 100, rows: 8 });
  const below = ["", "─".repeat(80), "input", "status"];
  const all = Array.from({ length: 20 }, (_, at) => `row ${at} `.padEnd(90, "x"));
  await terminal.draw([], [all[0] ?? "", ...below]);
  for (let at = 1; at < all.length; at++) {
    await terminal.draw(all.slice(at - 1, at), [all[at] ?? "", ...below]);
    expect(terminal.bytes).toBeLessThan(200);
    expect(terminal.lines()).toEqual([...all.slice(0, at + 1), ...below]);
  }
});

test("after any sequence of frames, the terminal shows all finished lines once, and then the region", async () => {
  const below = random(7);
  for (let round = 0; round < 30; round++) {
    const size = { columns: 1 + below(30), rows: 1 + below(8) };
    const terminal = new Emulated(size);
    const printed: string[] = [];
    const text = (): string => "abcdefghijklmnopqrstuvwxyz0123456789".slice(0, 1 + below(size.columns));
    for (let frame = 0; frame < 40; frame++) {
      const above = Array.from({ length: below(3) === 0 ? below(12) : 0 }, text);
      const live = Array.from({ length: 1 + below(Math.max(1, size.rows - 1)) }, text);
      await terminal.draw(above, live);
      printed.push(...above);
      expect(terminal.lines()).toEqual([...printed, ...live]);
    }
  }
});

test("only changed lines are written, and nothing if nothing changed", async () => {
  const terminal = new Emulated({ columns: 80, rows: 24 });
  const long = "x".repeat(79);
  await terminal.draw([], [long, "a", long, long]);
  await terminal.draw([], [long, "ab", long, long]);
  expect(terminal.bytes).toBeLessThan(50);
  await terminal.draw([], [long, "ab", long, long]);
  expect(terminal.bytes).toBe(0);
});

test("rows below an added or removed row are moved, not written again", async () => {
  const terminal = new Emulated({ columns: 80, rows: 12 });
  const bar = "─".repeat(80);
  const text = ["one", "two", "three", "four", "five", "six", "seven"];
  await terminal.draw(["finished"], ["one", bar, "input", bar, "status 0"]);
  for (const count of [2, 3, 5, 7, 4, 1, 6]) {
    const live = [...text.slice(0, count), bar, "input", bar, `status ${count}`];
    await terminal.draw([], live);
    expect(terminal.bytes).toBeLessThan(160);
    expect(terminal.lines()).toEqual(["finished", ...live]);
  }
});

test("a line that grows, shrinks or changes its styles is shown as if it were written whole", async () => {
  const below = random(13);
  const pieces = [
    "plain ",
    "\u001b[1mbold\u001b[22m ",
    "\u001b[31mred ",
    "\u001b[39m",
    "漢字",
    "e\u0301",
    "\u0301",
    "👍🏽",
    "x",
    "❤\ufe0f",
  ];
  for (let round = 0; round < 20; round++) {
    const [grown, fresh] = [new Emulated({ columns: 40, rows: 5 }), new Emulated({ columns: 40, rows: 5 })];
    let line = "start of it ";
    for (let frame = 0; frame < 12; frame++) {
      const piece = pieces[below(pieces.length)] ?? "";
      line = below(4) === 0 ? line.slice(0, below(line.length)) : `${line}${piece}`.slice(0, 60);
      await grown.draw([], [line, "below"]);
    }
    await fresh.draw([], [line, "below"]);
    expect(grown.cells()).toEqual(fresh.cells());
  }
});

test("a region that is higher than the screen shows its end, and lines are cut at the width, also wide characters", async () => {
  const terminal = new Emulated({ columns: 5, rows: 4 });
  await terminal.draw([], ["one", "two", "漢字漢字", "four and more", "five"]);
  expect(terminal.lines()).toEqual(["漢字", "four ", "five"]);
});

test("I05: after a resize, the region is drawn once, with what is above it", async () => {
  const terminal = new Emulated({ columns: 40, rows: 10 });
  const live = ["-".repeat(40), "typed text", "-".repeat(40), "l".repeat(35)];
  await terminal.draw(["finished"], live);
  for (const size of [
    { columns: 20, rows: 10 },
    { columns: 60, rows: 12 },
    { columns: 60, rows: 9 },
    { columns: 30, rows: 9 },
  ]) {
    terminal.resize(size);
    const drawn = live.map((line) => line.slice(0, size.columns));
    await terminal.draw([], drawn);
    expect(terminal.lines()).toEqual(["finished", ...drawn]);
  }
});

test("a window that shrinks and grows leaves no remnants of the region, whatever its size was", async () => {
  const below = random(5);
  for (let round = 0; round < 20; round++) {
    const size = { columns: 20 + below(60), rows: 20 + below(20) };
    const terminal = new Emulated({ ...size });
    const finished = Array.from({ length: below(30) }, (_, at) => `finished ${at}`);
    // Rows that do not fit on the screen when they wrap are pushed into the scrollback by this terminal.
    const height = 1 + below(4);
    const regionAt = (columns: number): string[] =>
      Array.from({ length: height }, (_, at) => `live ${at} ${"-".repeat(100)}`.slice(0, columns));
    await terminal.draw(finished, regionAt(size.columns));
    for (let change = 0; change < 6; change++) {
      const isWidth = below(2) === 0;
      if (isWidth) size.columns = 20 + below(60);
      else size.rows = 17 + below(22);
      terminal.resize({ ...size });
      const live = regionAt(size.columns);
      await terminal.draw([], live);
      expect(terminal.lines()).toEqual([...finished, ...live.slice(-Math.max(1, size.rows - 1))]);
    }
  }
});

test("a window that becomes lower and higher leaves no remnants of a region of any height", async () => {
  const below = random(3);
  for (let round = 0; round < 30; round++) {
    const size = { columns: 30, rows: 3 + below(22) };
    const terminal = new Emulated(size);
    const finished = Array.from({ length: below(30) }, (_, at) => `finished ${at}`);
    const live = Array.from({ length: 1 + below(size.rows - 1) }, (_, at) => `live ${at}`);
    await terminal.draw(finished, live);
    for (let change = 0; change < 6; change++) {
      const rows = 2 + below(23);
      terminal.resize({ columns: 30, rows });
      await terminal.draw([], live);
      expect(terminal.lines()).toEqual([...finished, ...live.slice(-Math.max(1, rows - 1))]);
    }
  }
});

test("the screen is never cleared from its first cell, which tmux would copy into the scrollback", () => {
  const region = new LiveRegion();
  const size = { columns: 20, rows: 5 };
  const written = [
    region.draw({ above: ["a"], live: ["one", "two"] }, size),
    region.draw({ above: [], live: ["one"] }, size),
    region.draw({ above: [], live: ["one"] }, { columns: 10, rows: 5 }),
    region.erase({ columns: 10, rows: 5 }),
  ].join("");
  expect(written.replaceAll("\u001b[C\u001b[J", "")).not.toContain("\u001b[J");
});

test("a region that is left has the cursor below it", async () => {
  const terminal = new Emulated({ columns: 20, rows: 6 });
  await terminal.draw(["finished"], ["one", "two"]);
  await terminal.leave();
  expect(terminal.lines()).toEqual(["finished", "one", "two", "after"]);
});

test("class 11: whatever a line contains, it takes one row and does not affect other lines", async () => {
  const below = random(11);
  const pieces = [
    ...HOSTILE,
    "\u001b",
    "[",
    "8m",
    "\u001b[7m",
    "\u009b",
    "plain ",
    "👍🏽🇩🇪",
    "❤\ufe0f",
    "한글",
  ];
  for (let round = 0; round < 40; round++) {
    const terminal = new Emulated({ columns: 10 + below(40), rows: 12 });
    const hostile = (): string =>
      Array.from({ length: 1 + below(4) }, () => pieces[below(pieces.length)] ?? "").join("");
    let printed = 0;
    for (let frame = 0; frame < 10; frame++) {
      const above = below(3) === 0 ? ["above"] : [];
      printed += above.length;
      await terminal.draw(above, ["one", hostile(), "two", hostile(), `three ${frame}`]);
      const lines = terminal.lines();
      expect([lines.length, lines.slice(0, printed)]).toEqual([printed + 5, Array(printed).fill("above")]);
      expect([lines.at(-5), lines.at(-3), lines.at(-1)]).toEqual(["one", "two", `three ${frame}`]);
    }
  }
});

test("a frame that is higher than the whole screen says how many of its rows are above", () => {
  const region = new LiveRegion();
  const live = ["the call", "one", "two", "three", "four", "five"];
  const lines = region.screenOf({ above: ["finished"], live }, { columns: 40, rows: 5 });
  expect(lines.map(strip)).toEqual(["finished", "… 3 rows above", "three", "four", "five"]);
});
