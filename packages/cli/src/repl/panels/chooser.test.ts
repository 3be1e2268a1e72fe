import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { Chooser, type Choosing } from "./chooser.ts";
import { TextField } from "./text-field.ts";
import { TextView } from "./text-view.ts";

const ESC = "\u001b";
const DOWN = "\u001b[B";
const MODELS: Choosing = {
  title: "Model",
  choices: [
    "claude-opus-5",
    "claude-sonnet-5",
    "gpt-5.4",
    "gpt-5.4-mini",
    "a name that is longer than forty columns are",
  ].map((value) => ({ value, label: value, description: `${value} in words` })),
};

function open(choosing: Choosing = MODELS) {
  const chosen: (string | undefined)[] = [];
  const panel = new Chooser(choosing, (value) => chosen.push(value));
  const press = (...keys: readonly string[]): void => keys.forEach((key) => panel.handleInput(key));
  const text = (width = 80, rows = 24): string =>
    panel
      .render(width, rows)
      .join("\n")
      .replaceAll(/\u001b\[[\d;]*m/g, ""); // oxlint-disable-line no-control-regex -- styles
  return { panel, chosen, press, text };
}

test.each([40, 80, 200])("a list fits into %i columns and into few rows", (width) => {
  const { panel } = open();
  for (const rows of [24, 8, 5])
    expect(panel.render(width, rows).filter((line) => visibleWidth(line) > width)).toEqual([]);
  expect(panel.render(width, 5).length).toBeLessThanOrEqual(5);
});

test("typing filters by letters in order, Enter chooses the best match, Esc removes the filter first", () => {
  const { chosen, press, text } = open();
  press(..."gpmini");
  expect(text()).toContain("─ Model ─ gpmini ─");
  expect(text()).toContain("→ gpt-5.4-mini");
  expect(text()).not.toContain("claude");
  press(ESC);
  expect([chosen, text().includes("→ claude-opus-5")]).toEqual([[], true]);
  press(..."zzz");
  expect(text()).toContain("no match");
  press("\r");
  expect(chosen).toEqual([]);
  press("\u007f", "\u007f", "\u007f", DOWN, "\r");
  expect(chosen).toEqual(["claude-sonnet-5"]);
  press(ESC);
  expect(chosen).toEqual(["claude-sonnet-5", undefined]);
});

test("some entries stay whatever is typed, and the best match is selected", () => {
  const { chosen, press, text } = open({ ...MODELS, always: [{ value: "add", label: "Add …" }] });
  press(..."sonnet");
  expect(text()).toMatch(/ {2}Add …\n→ claude-sonnet-5/);
  press("\r");
  expect(chosen).toEqual(["claude-sonnet-5"]);
});

test("a name with line breaks stays on one row", () => {
  const { text } = open({ title: "x", choices: [{ value: "1", label: "one\n  two" }] });
  expect(text()).toContain("→ one two");
});

test("a field takes text and gives nothing for an empty one; a view scrolls and closes", () => {
  const given: (string | undefined)[] = [];
  const field = (): TextField =>
    new TextField({ title: "Rule", lines: ["For example: Edit"] }, (text) => given.push(text));
  const first = field();
  for (const key of [..." Bash ", "\r"]) first.handleInput(key);
  for (const key of ["\r", ESC]) field().handleInput(key);
  expect(given).toEqual(["Bash", undefined, undefined]);
  let isClosed = false;
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at + 1}`);
  const view = new TextView({ title: "Keys", lines, closers: ["?"] }, () => (isClosed = true));
  expect(view.render(40, 10)).toHaveLength(10);
  view.handleInput("\u001b[F");
  expect(view.render(40, 10).join("\n")).toContain("line 50");
  view.handleInput("?");
  expect(isClosed).toBe(true);
});
