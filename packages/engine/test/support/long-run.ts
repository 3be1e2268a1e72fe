/** The arguments of a long random run: `[count] [--from seed] [--jobs processes]`. A run can be continued later. */

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";

export interface LongRun {
  /** The first seed. */
  readonly from: number;
  readonly count: number;
  /** How many processes run at a time. */
  readonly jobs: number;
}

/** Reads the arguments of this process. Ends it with a message if one of them is not a whole number. */
export function readLongRun(defaultCount: number): LongRun {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: "string" }, jobs: { type: "string" } },
  });
  return {
    count: wholeNumber("The number of seeds", positionals[0] ?? `${defaultCount}`),
    from: wholeNumber("--from", values.from ?? "1"),
    jobs: wholeNumber("--jobs", values.jobs ?? `${availableParallelism()}`),
  };
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  console.error(`${name} must be a whole number of at least 1, not ${text}.`);
  process.exit(2);
}

/** The whole run, for one with default arguments. */
export function wholeRun(count: number): LongRun {
  return { from: 1, count, jobs: availableParallelism() };
}

/** "seeds 1 to 5000". */
export function seedsOf({ from, count }: Pick<LongRun, "from" | "count">): string {
  return `seeds ${from} to ${from + count - 1}`;
}
