/** What the sub-agents of the kill test do. */

/** Each task is done by one sub-agent; a task in the steps of another is done by a sub-agent of that one. */
export const STEPS: Readonly<Record<string, readonly string[]>> = {
  one: ["one-1", "inner", "one-2"],
  two: ["two-1", "two-2", "two-3"],
  three: ["three-1", "three-2", "three-3"],
  inner: ["inner-1", "inner-2", "inner-3"],
};
export const TASKS: readonly string[] = Object.keys(STEPS);
export const MARKS: readonly string[] = Object.values(STEPS)
  .flat()
  .filter((name) => !TASKS.includes(name));
