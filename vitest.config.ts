import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { entries } from "./scripts/entries.mjs";

const ROOT = fileURLToPath(new URL(".", import.meta.url));

/** By its name: which project a test file belongs to. CONTRIBUTING.md says what each is for. */
const LONG = "**/*.long.test.ts";
const SYSTEM = "packages/*/src/**/*.system.test.ts";

/** Real processes on a busy machine: CI tries such a test once more, and its output shows `(retry x1)`. */
const RETRIES = process.env["CI"] === undefined ? 0 : 1;

/** Only by name, `--project long` or `x.long.test.ts`: `vitest run packages/engine` must not take an hour. */
const isLongAsked = process.argv.some((word) => /\blong\b/.test(word));

export default defineConfig({
  resolve: { alias: sources() },
  test: {
    // Far more than any test takes, so that a busy machine is not a failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    maxConcurrency: 2,
    // Many tests wait for processes and timers, so four share the two cores of a small machine.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts"],
          exclude: [SYSTEM, LONG],
          setupFiles: ["test/no-processes.ts"],
          // Loading the modules again for every file would take longer than the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: "system", include: [SYSTEM], exclude: [LONG], isolate: false, retry: RETRIES },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [LONG],
          globalSetup: ["packages/cli/test/run/program.ts"],
          retry: RETRIES,
        },
      },
      ...(isLongAsked
        ? [
            {
              extends: true as const,
              test: { name: "long", include: [LONG], globalSetup: ["packages/cli/test/run/program.ts"] },
            },
          ]
        : []),
    ],
  },
});

/** The packages from their sources; an entry before the package that its name begins with. */
function sources(): Record<string, string> {
  const longestFirst = entries({ hasInternal: true }).toSorted(
    (one, other) => other.name.length - one.name.length,
  );
  return Object.fromEntries(longestFirst.map(({ name, source }) => [name, `${ROOT}${source}`]));
}
