import { expect, test } from "vitest";
import { questionOf } from "../../../test/support/question.ts";
import { Panels } from "./panels.ts";
import { strip } from "../../shared/safe-text.ts";
import { tasksIn } from "../../shared/outputs.ts";
import { taskLines } from "../transcript/tasks.ts";

const choices = Array.from({ length: 30 }, (_, at) => ({ value: `v${at}`, label: `choice ${at}` }));
const shown = (panels: Panels, rows = 24): string[] => (panels.front?.render(50, rows) ?? []).map(strip);

test("a list that the user has opened stays in front of a question, and Tab changes that", async () => {
  const panels = new Panels(() => {});
  const chosen = panels.choose({ title: "Choose", choices, at: 2 });
  const asked = panels.ask(questionOf({ from: "scout", waiting: 1 }));
  const list = [
    "─ Choose ─────────────────────────────────────────",
    "  choice 0",
    "  choice 1",
    "→ choice 2",
  ];
  expect([shown(panels).slice(0, 4), panels.notice]).toEqual([
    list,
    "A question is waiting. Press Tab to answer it.",
  ]);
  panels.takeTab();
  expect(shown(panels)[0]).toBe("─ Permission ─ sub-agent scout ─ 1 of 2 ──────────");
  panels.front?.handleInput("n");
  expect(await asked).toEqual({ type: "no" });
  expect([shown(panels).slice(0, 4), panels.notice]).toEqual([list, ""]);
  panels.front?.handleInput("\u001b[B");
  panels.front?.handleInput("\r");
  expect([await chosen, panels.front]).toEqual(["v3", undefined]);
});

test("a digit moves to an item of a short list, and Enter chooses it", async () => {
  const panels = new Panels(() => {});
  const chosen = panels.choose({ title: "Choose", choices: choices.slice(0, 3) });
  for (const key of ["9", "3"]) panels.front?.handleInput(key);
  expect(shown(panels)).toContain("→ choice 2");
  panels.front?.handleInput("\r");
  expect(await chosen).toBe("v2");
});

test("questions that wait together are counted: 1 of 3, 2 of 3, 3 of 3, and one alone has no number", async () => {
  const panels = new Panels(() => {});
  const titles: (string | undefined)[] = [];
  for (const waiting of [2, 1, 0, 0]) {
    const asked = panels.ask(questionOf({ waiting }));
    titles.push(/\d+ of \d+/.exec(shown(panels)[0] ?? "")?.[0]);
    panels.front?.handleInput("y");
    await asked;
  }
  expect(titles).toEqual(["1 of 3", "2 of 3", "3 of 3", undefined]);
});

test("D02: when the terminal is gone, questions are answered with no and lists with nothing", async () => {
  const panels = new Panels(() => {});
  const both = [
    panels.choose({ title: "Choose", choices }),
    panels.ask(questionOf({ from: "scout", waiting: 1 })),
  ];
  panels.giveUp();
  expect([...(await Promise.all(both)), panels.front]).toEqual([undefined, { type: "no" }, undefined]);
});

test("a list fits the screen, keeps the selection visible, and counts what it leaves out", () => {
  const panels = new Panels(() => {});
  const lines = Array.from({ length: 10 }, (_, at) => `line ${at}`);
  void panels.choose({ title: "Choose", lines, choices: choices.slice(0, 3), at: 2 });
  expect(shown(panels, 9)).toEqual([
    "─ Choose ─────────────────────────────────────────",
    "line 0",
    "line 1",
    "line 2",
    "1–3 of 10 lines: PgUp PgDn Home End to scroll",
    "  choice 0",
    "  choice 1",
    "→ choice 2",
    "↑ ↓ to move, Enter to choose, Esc to cancel",
  ]);
  expect(shown(panels, 4)).toEqual([
    "─ Choose ─────────────────────────────────────────",
    "→ choice 2",
    "  (3/3)",
    "↑ ↓ to move, Enter to choose, Esc to cancel",
  ]);
});

test("of many tasks the open ones are shown, and none when all are done", () => {
  const task = (at: number, status: string) => ({
    id: String(at),
    subject: `task ${at}`,
    description: "",
    status,
  });
  const tasks = Array.from({ length: 12 }, (_, at) => task(at, at < 9 ? "completed" : "pending"));
  const of = (list: readonly object[]): string[] =>
    taskLines(tasksIn({ tasks: list, said: "" }) ?? [], 40).map(strip);
  expect(of(tasks)).toEqual([
    "Tasks: 9 of 12 done, 6 not shown",
    "  ☑ task 6",
    "  ☑ task 7",
    "  ☑ task 8",
    "  ☐ task 9",
    "  ☐ task 10",
    "  ☐ task 11",
  ]);
  expect(of(tasks.slice(0, 9))).toEqual([]);
  expect([tasksIn({ tasks: [{ id: 1 }], said: "" }), tasksIn({ tasks: [] }), tasksIn("x")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
