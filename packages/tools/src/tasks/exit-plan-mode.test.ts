import { expect, test } from "vitest";
import { agentIn } from "../../test/support/file-tool-calls.ts";
import { type PlanMode, exitPlanModeTool } from "./exit-plan-mode.ts";

function calling(mode: Partial<PlanMode>) {
  const all: PlanMode = {
    isPlanning: () => true,
    leave: () => "acceptEdits",
    keep: () => Promise.resolve("/plans/1.md"),
    ...mode,
  };
  return agentIn("/tmp", [exitPlanModeTool(all)]);
}

const PLAN = { plan: "# Rename it\n\n1. Do it." };

test("an approved plan is kept, the mode is left, and the model reads the plan as approved", async () => {
  const { text, output } = await calling({})("ExitPlanMode", PLAN);
  expect(output).toEqual({ plan: PLAN.plan, mode: "acceptEdits", path: "/plans/1.md", problem: undefined });
  expect(text).toBe(
    `The user approved the plan. Plan mode is off; the permission mode is now acceptEdits. Start with the work. It is saved in /plans/1.md.\n\nThe approved plan:\n\n${PLAN.plan}`,
  );
});

test("a plan that cannot be saved is still approved, and the result says why", async () => {
  const { text } = await calling({ keep: () => Promise.reject(new Error("disk full")) })(
    "ExitPlanMode",
    PLAN,
  );
  expect(text).toContain("It could not be saved: disk full.");
});

test("outside of plan mode, and without a plan, the call fails and changes nothing", async () => {
  let left = 0;
  const leave = (): string => (left++, "default");
  const off = await calling({ isPlanning: () => false, leave })("ExitPlanMode", PLAN);
  expect([off.isError, off.text]).toEqual([
    true,
    "Error: Plan mode is off, so no plan needs approval. Continue with the work.",
  ]);
  expect((await calling({ leave })("ExitPlanMode", { plan: "  " })).text).toContain("`plan`");
  expect(left).toBe(0);
});
