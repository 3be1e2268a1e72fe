import { expect, test } from "vitest";
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
