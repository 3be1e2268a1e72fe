/** The ExitPlanMode tool: presents a plan. A call that runs was approved, because the rules ask about it in plan mode. */

import { defineTool } from "@runahead/engine";
import { messageOf } from "@runahead/base";
import { z } from "zod";
import { Refusal } from "../shared/refusal.ts";

const PLAN_CHARS = 100_000;

const inputSchema = z.object({
  plan: z
    .string()
    .trim()
    .min(1)
    .max(PLAN_CHARS)
    .describe(
      "The whole plan, as markdown: what you will change, where, in which order, and how you will verify it",
    ),
});

/** What the tool does to the session. */
export interface PlanMode {
  /** Whether plan mode is on, or the user turned it off by approving this call. */
  isPlanning(callId: string): boolean;
  /** Turns plan mode off, if it is still on, and returns the mode that is on then. */
  leave(): string;
  /** Saves an approved plan and resolves with its path. */
  keep(plan: string): Promise<string>;
}

/** Output of the ExitPlanMode tool. */
export interface ExitPlanModeOutput {
  /** The plan as approved; the user can have edited it. */
  readonly plan: string;
  /** The permission mode from now on. */
  readonly mode: string;
  /** Where the plan was saved; undefined if that failed. */
  readonly path: string | undefined;
  /** Why the plan was not saved. */
  readonly problem: string | undefined;
}

/**
 * Makes ExitPlanMode, with which the model presents a plan to the user. The permissions must ask about its calls while
 * plan mode is on, as those of `@runahead/permissions` do.
 *
 * @example
 * ```ts
 * const exit = exitPlanModeTool({
 *   isPlanning: () => true,
 *   leave: () => "default",
 *   keep: async () => "/tmp/plan.md",
 * });
 * ```
 */
export function exitPlanModeTool(mode: PlanMode) {
  return defineTool({
    name: "ExitPlanMode",
    description:
      "Shows your plan to the user and asks for approval. Use it only in plan mode, when the plan is complete, and put the whole plan into `plan`. If the user approves, plan mode is off and you can start. If not, you get their comments: revise the plan and call it again. Do not use it to answer questions or to report what you found.",
    inputSchema,
    interruptBehavior: () => "cancel",
    describe: ({ plan }) => `Present the plan: ${titleOf(plan)}`,
    call: async ({ plan }, { callId }): Promise<ExitPlanModeOutput> => {
      if (!mode.isPlanning(callId))
        throw new Refusal("Plan mode is off, so no plan needs approval. Continue with the work.");
      const next = mode.leave();
      const { path, problem } = await kept(plan, mode);
      return { plan, mode: next, path, problem };
    },
    toResult,
  });
}

/** The first heading or line of a plan, without its marks. */
function titleOf(plan: string): string {
  return (plan.split("\n").find((line) => line.trim() !== "") ?? "").replace(/^#+\s*/, "").trim();
}

async function kept(plan: string, mode: PlanMode): Promise<Pick<ExitPlanModeOutput, "path" | "problem">> {
  try {
    return { path: await mode.keep(plan), problem: undefined };
  } catch (error) {
    return { path: undefined, problem: messageOf(error) };
  }
}

/** The whole plan is repeated, because the user can have edited it. */
function toResult({ plan, mode, path, problem }: ExitPlanModeOutput): string {
  const saved = path === undefined ? `It could not be saved: ${problem}.` : `It is saved in ${path}.`;
  return `The user approved the plan. Plan mode is off; the permission mode is now ${mode}. Start with the work. ${saved}\n\nThe approved plan:\n\n${plan}`;
}
