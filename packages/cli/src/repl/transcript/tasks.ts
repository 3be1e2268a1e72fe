/** The agent's task list above the input line, shown until all tasks are done. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import type { AgentTask } from "@runahead/harness";
import { bold, cyan, dim, green } from "../screen/style.ts";
import { oneLine } from "../../shared/words.ts";

const SHOWN_TASKS = 6;
const MARKS = {
  pending: () => dim("☐"),
  in_progress: () => cyan("▶"),
  completed: () => green("☑"),
} as const;

/** Returns no lines if all tasks are done. Open tasks are shown before done ones. */
export function taskLines(tasks: readonly AgentTask[], width: number): string[] {
  const open = tasks.filter(({ status }) => status !== "completed");
  if (open.length === 0) return [];
  const done = tasks.filter(({ status }) => status === "completed");
  const shown = tasks.filter((task) =>
    open.indexOf(task) >= 0
      ? open.indexOf(task) < SHOWN_TASKS
      : done.indexOf(task) >= done.length - Math.max(0, SHOWN_TASKS - open.length),
  );
  const more = tasks.length - shown.length;
  const heading = dim(
    `Tasks: ${done.length} of ${tasks.length} done${more > 0 ? `, ${more} not shown` : ""}`,
  );
  return [heading, ...shown.map((task) => truncateToWidth(lineOf(task), width, "…"))];
}

function lineOf({ subject, status }: AgentTask): string {
  const words = oneLine(subject);
  if (status === "completed") return `  ${MARKS[status]()} ${dim(words)}`;
  return `  ${MARKS[status]()} ${status === "in_progress" ? bold(words) : words}`;
}
