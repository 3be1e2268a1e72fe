import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { framed } from "./frame.ts";

const plainly = (line = ""): string => line.replaceAll(/\u001b\[[\d;]*m/g, ""); // oxlint-disable-line no-control-regex -- styles
const at = (width: number, mode: string, state = "", hasHint = true): string[] =>
  framed(["─".repeat(width), "  text", "─".repeat(width)], { width, mode, state, hasHint }).map(plainly);

test.each([40, 80, 200])("the mode is named in words, and the border has exactly %i columns", (width) => {
  for (const mode of ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "other"]) {
    for (const state of ["", "vim: normal"])
      expect(visibleWidth(at(width, mode, state)[0] ?? "")).toBe(width);
  }
});

test("what does not fit is left out, the least important first", () => {
  expect(at(80, "plan")[0]).toMatch(/^── Plan mode: changes nothing ─+ \? for keys ─$/);
  expect(at(80, "plan", "vim: normal")[0]).toMatch(
    /^── Plan mode: changes nothing · vim: normal ─+ \? for keys ─$/,
  );
  expect(at(40, "acceptEdits")[0]).toMatch(/^── Accept edits ─+ \? for keys ─$/);
  expect(at(22, "plan")[0]).toBe(`── Plan mode ${"─".repeat(9)}`);
  expect(at(10, "plan")[0]).toBe("─".repeat(10));
  expect(at(80, "plan", "", false)[0]).not.toContain("keys");
});

test("the text is marked, and the border that counts hidden lines is kept", () => {
  expect(at(80, "default")[1]).toBe("› text");
  const scrolled = framed(["─── ↑ 2 more ───", "  text"], {
    width: 16,
    mode: "plan",
    state: "",
    hasHint: true,
  });
  expect(scrolled.map(plainly)).toEqual(["─── ↑ 2 more ───", "› text"]);
});
