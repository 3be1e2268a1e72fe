import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { type EditPlan, type PlanAnswer, PlanDialog } from "./plan-dialog.ts";

const PLAN = "# Rename it\n\n1. Change `a.txt`\n2. Run the tests";
const DOWN = "\u001b[B";

function dialog(plan: string = PLAN, edit: EditPlan = () => Promise.resolve({ type: "failed", why: "no" })) {
  const answers: PlanAnswer[] = [];
  const changed: (() => void)[] = [];
  const panel = new PlanDialog(
    { input: { plan } },
    { edit, onChange: () => changed.shift()?.(), done: (answer) => answers.push(answer) },
  );
  const press = (...keys: readonly string[]): void => keys.forEach((key) => panel.handleInput(key));
  const redrawn = (): Promise<void> => new Promise((resolve) => changed.push(resolve));
  return { panel, answers, press, redrawn };
}

const plainly = (lines: readonly string[]): string => lines.join("\n").replaceAll(/\u001b\[[\d;]*m/g, ""); // oxlint-disable-line no-control-regex -- styles

test.each([40, 80, 200])("the plan is rendered, and every line fits into %i columns", (width) => {
  const { panel } = dialog();
  const lines = panel.render(width, 24);
  expect(lines.filter((line) => visibleWidth(line) > width)).toEqual([]);
  const text = plainly(lines);
  expect(text).toContain("│ Rename it");
  expect(text).toContain("│ 1. Change a.txt");
  expect(text).toContain("› 1 Approve, and change files without");
  expect(text).toContain("4 Edit the plan in your editor");
});

test("Enter approves with the mode of the chosen line, and digits do at once", () => {
  const enter = dialog();
  enter.press(DOWN, "\r");
  expect(enter.answers).toEqual([{ answer: { type: "once" }, mode: "default" }]);
  const digit = dialog();
  expect([digit.panel.meaningOf("1"), digit.panel.meaningOf("5"), digit.panel.meaningOf("y")]).toEqual([
    "acts",
    undefined,
    undefined,
  ]);
  digit.press("1");
  expect(digit.answers).toEqual([{ answer: { type: "once" }, mode: "acceptEdits" }]);
});

test("a comment keeps plan mode on and the turn going; Esc leaves the field, then rejects and ends the turn", () => {
  const { panel, answers, press } = dialog();
  press("\t", "x", "\u001b");
  expect([panel.takesText, answers]).toEqual([false, []]);
  press("3", ..."use b.txt", "\r");
  expect(answers).toEqual([
    {
      answer: {
        type: "no",
        message:
          "The user does not approve the plan yet. Plan mode stays on. Revise the plan and present it again. Their comment: use b.txt",
      },
    },
  ]);
  const second = dialog();
  second.press("\u001b");
  expect(second.answers).toEqual([{ answer: { type: "no" } }]);
});

test("an edited plan replaces the input of the call, and an editor that fails changes nothing", async () => {
  const texts = ["", "# Other"];
  const edit: EditPlan = (plan) => {
    const text = texts.shift();
    return Promise.resolve(
      plan !== `${PLAN}\n` || text === undefined
        ? { type: "failed", why: "Too late." }
        : { type: "edited", text },
    );
  };
  const { panel, answers, press, redrawn } = dialog(PLAN, edit);
  for (const expected of ["The plan is empty, so it was not changed.", "Plan ─ edited", "Too late."]) {
    const drawn = redrawn();
    press("\u0007");
    await drawn;
    expect(plainly(panel.render(80, 24))).toContain(expected);
  }
  press("2");
  expect(answers).toEqual([{ answer: { type: "once", input: { plan: "# Other" } }, mode: "default" }]);
});

test("a long plan scrolls, and never takes more rows than there are", () => {
  const { panel, press } = dialog(Array.from({ length: 60 }, (_, at) => `- step ${at + 1}`).join("\n"));
  expect(panel.render(80, 20)).toHaveLength(20);
  expect(plainly(panel.render(80, 20))).toMatch(/1–13 of 60 lines: PgUp PgDn to scroll/);
  press("\u001b[F");
  const end = plainly(panel.render(80, 20));
  expect(end).toContain("step 60");
  expect(end).not.toContain("step 1\n");
  for (const rows of [1, 4, 8]) expect(panel.render(40, rows).length).toBeLessThanOrEqual(rows);
});

test("a title of two rows leaves room for the help on the keys", async () => {
  const plan = Array.from({ length: 30 }, (_, at) => `Step ${at}`).join("\n\n");
  const { panel, press, redrawn } = dialog(plan, () => Promise.resolve({ type: "edited", text: `${plan}.` }));
  press("\u0007");
  await redrawn();
  const lines = panel.render(38, 18);
  expect(lines).toHaveLength(18);
  expect(plainly(lines.slice(0, 1))).toContain("edited");
  expect(plainly(lines.slice(-1))).toContain("Esc to keep planning");
});
