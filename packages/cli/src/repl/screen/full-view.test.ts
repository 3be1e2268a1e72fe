import { expect, test } from "vitest";
import { TmuxTerminal } from "../../../test/support/tmux-terminal.ts";
import { FullView } from "./full-view.ts";

const SIZE = { columns: 10, rows: 4 };
const plain = (bytes: string): string => bytes.replaceAll("\u001b", "^");

test("a view enters the alternate screen once, rewrites only lines that changed, and leaves it once", () => {
  const view = new FullView();
  expect(plain(view.draw(["one", "two", "three"], SIZE))).toBe(
    "^[?2026h^[?7l^[?1049h^[1;1H^[2Kone^[2;1H^[2Ktwo^[3;1H^[2Kthree^[4;1H^[J^[?7h^[?2026l",
  );
  expect(view.draw(["one", "two", "three"], SIZE)).toBe("");
  expect(plain(view.draw(["one", "2"], SIZE))).toBe("^[?2026h^[?7l^[2;1H^[2K2^[3;1H^[J^[?7h^[?2026l");
  expect([plain(view.close()), view.close()]).toEqual(["^[1;1H^[J^[?1049l", ""]);
});

test("lines that do not fit are cut, and another size draws everything again", () => {
  const view = new FullView();
  view.draw(["a", "b", "c", "d", "e"], SIZE);
  const bytes = plain(view.draw(["a line that is too long", "b"], { columns: 6, rows: 2 }));
  expect(bytes).toContain("^[1;1H^[2Ka line^[0m");
  expect(bytes).toContain("^[2;1H^[2Kb");
  expect(bytes).not.toContain("^[3;1H");
});

test("after any sequence of views, the terminal shows the last one, also if rows were added, removed or moved", async () => {
  const size = { columns: 60, rows: 12 };
  const terminal = new TmuxTerminal(size);
  const view = new FullView();
  let state = 5;
  const below = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  let lines = ["first"];
  for (let step = 0; step < 80; step++) {
    const row = below(lines.length + 1);
    const added = Array.from({ length: below(4) }, () => `row ${step} ${"x".repeat(below(50))}`);
    lines = [...lines.slice(0, row), ...added, ...lines.slice(row + below(3))].slice(0, 16);
    await terminal.write(view.draw(lines, size));
    const shown = lines.slice(0, size.rows);
    while (shown.at(-1) === "") shown.pop();
    expect(terminal.lines()).toEqual(shown.map((line) => line.trimEnd()));
  }
});
