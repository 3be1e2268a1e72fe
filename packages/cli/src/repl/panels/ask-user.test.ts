import { expect, test } from "vitest";
import { askUser } from "./ask-user.ts";
import { Panels } from "./panels.ts";
import { strip } from "../../shared/safe-text.ts";

const one = {
  question: "Which \u001b[2Jcolour?",
  header: "Colour",
  options: [{ label: "red", description: "like fire" }, { label: "blue" }],
};
const several = { ...one, header: "", multiSelect: true };
const DOWN = "\u001b[B";
const LEFT = "\u001b[D";
const ESC = "\u001b";

const shown = (panels: Panels): string[] => (panels.front?.render(60, 20) ?? []).map(strip);
const press = (panels: Panels, ...keys: readonly string[]): void => {
  for (const key of keys) panels.front?.handleInput(key);
};

test("questions are asked one after the other: one answer, several, or a custom one", async () => {
  const panels = new Panels(() => {});
  const answers = askUser(panels, [one, several, one], new AbortController().signal);
  expect(shown(panels)).toEqual([
    "─ Colour ─ 1 of 3 ──────────────────────────────────────────",
    "Which colour?",
    "→ red                 like fire",
    "  blue",
    "  Other …",
    "↑ ↓ to move, Enter to choose, Esc to skip",
  ]);
  press(panels, DOWN, "\r");
  await Promise.resolve();
  press(panels, DOWN, " ", DOWN, DOWN, " ", DOWN, " ");
  expect(shown(panels).slice(2, 4)).toEqual(["  ☑ red               like fire", "→ ☐ blue"]);
  press(panels, " ", "\r");
  await Promise.resolve();
  press(panels, DOWN, DOWN, "\r", "n", "o", "n", "e", "\r");
  expect(await answers).toEqual({
    type: "answered",
    answers: [
      { type: "chosen", labels: ["blue"] },
      { type: "chosen", labels: ["red", "blue"] },
      { type: "said", text: "none" },
    ],
  });
});

test("Left goes back to a question with its answer marked, and Esc skips one without losing the others", async () => {
  const panels = new Panels(() => {});
  const answers = askUser(panels, [one, several, one], new AbortController().signal);
  press(panels, DOWN, "\r");
  await Promise.resolve();
  press(panels, " ", "\r");
  await Promise.resolve();
  expect(shown(panels).at(-1)).toBe("↑ ↓ to move, Enter to choose, Esc to skip, ← to go back");
  press(panels, LEFT);
  await Promise.resolve();
  expect(shown(panels)[2]).toBe("→ ☑ red               like fire");
  press(panels, LEFT);
  await Promise.resolve();
  expect(shown(panels).slice(2, 4)).toEqual(["  red                 like fire", "→ blue"]);
  press(panels, LEFT, "\r");
  await Promise.resolve();
  press(panels, "\r");
  await Promise.resolve();
  press(panels, ESC);
  expect(await answers).toEqual({
    type: "answered",
    answers: [{ type: "chosen", labels: ["blue"] }, { type: "chosen", labels: ["red"] }, { type: "skipped" }],
  });
});

test("marks that were not confirmed are still there after Left and back, and do not answer a skipped question", async () => {
  const panels = new Panels(() => {});
  const answers = askUser(panels, [one, several], new AbortController().signal);
  press(panels, "\r");
  await Promise.resolve();
  press(panels, DOWN, " ", LEFT);
  await Promise.resolve();
  press(panels, "\r");
  await Promise.resolve();
  expect(shown(panels).slice(2, 4)).toEqual(["  ☐ red               like fire", "→ ☑ blue"]);
  press(panels, ESC);
  expect(await answers).toEqual({
    type: "answered",
    answers: [{ type: "chosen", labels: ["red"] }, { type: "skipped" }],
  });
});

test("Ctrl+C and the end of the turn decline, and Esc if an answer is required", async () => {
  const panels = new Panels(() => {});
  const first = askUser(panels, [one, one], new AbortController().signal);
  press(panels, "\u0003");
  const stopped = new AbortController();
  const second = askUser(panels, [one], stopped.signal);
  stopped.abort();
  const required = { ...one, options: [], isRequired: true };
  const third = askUser(panels, [required], new AbortController().signal);
  press(panels, "\r");
  expect(shown(panels).slice(-2)).toEqual(["An answer is required.", "Enter to send, Esc to cancel"]);
  press(panels, ESC);
  const declined = { type: "declined", words: "" };
  expect([await first, await second, await third, panels.front]).toEqual([
    declined,
    declined,
    declined,
    undefined,
  ]);
});

test("a digit moves to an answer, and text after it is not an answer", async () => {
  const panels = new Panels(() => {});
  const answers = askUser(panels, [one], new AbortController().signal);
  press(panels, "2");
  expect(shown(panels)).toContain("→ blue");
  panels.front?.unmark?.();
  expect(shown(panels)).toContain("→ red                 like fire");
  press(panels, "2", "\r");
  expect(await answers).toEqual({ type: "answered", answers: [{ type: "chosen", labels: ["blue"] }] });
});

test("a question with options only has no field for text, and a long one is read by scrolling", async () => {
  const panels = new Panels(() => {});
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const long = { ...one, header: "", question: lines.join("\n"), onlyOptions: true };
  const answers = askUser(panels, [long], new AbortController().signal);
  const first = shown(panels);
  expect(first.length).toBe(20);
  expect(first.slice(1, 3)).toEqual(["line 1", "line 2"]);
  expect(first.slice(-4)).toEqual([
    "1–15 of 40 lines: PgUp PgDn to scroll",
    "→ red                 like fire",
    "  blue",
    "↑ ↓ to move, Enter to choose, Esc to skip",
  ]);
  press(panels, "\u001b[6~", "\u001b[6~", "\u001b[6~");
  expect(shown(panels)).toContain("line 40");
  press(panels, "3", "2", "\r");
  expect(await answers).toEqual({ type: "answered", answers: [{ type: "chosen", labels: ["blue"] }] });
});
