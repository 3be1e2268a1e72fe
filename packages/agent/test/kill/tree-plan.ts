/** What the sub-agents of the kill test do. */

/** Each task is done by one sub-agent; a task in the steps of another is done by a sub-agent of that one. */
export const STEPS: Readonly<Record<string, readonly string[]>> = {
  one: ["one-1", "inner", "one-2"],
  two: ["two-1", "two-2", "two-3"],
  three: ["three-1", "three-2", "three-3"],
  inner: ["inner-1", "inner-2", "inner-3"],
  apart: ["apart-1", "apart-2"],
  written: ["written-1", "written-2"],
};
export const TASKS: readonly string[] = Object.keys(STEPS);
/** The tasks that the main agent starts. */
export const FIRST_TASKS: readonly string[] = TASKS.filter((task) => task !== "inner");
/** Done in a git worktree of their own. Only the second changes something in it. */
export const ISOLATED: readonly string[] = ["apart", "written"];
/** The file that the steps of `written` append to, in their worktree. */
export const NOTES = "notes.txt";
export const MARKS: readonly string[] = Object.values(STEPS)
  .flat()
  .filter((name) => !TASKS.includes(name));
