import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Turns, bundled, expectTurns } from "./same-turns.ts";

const LIMIT_MS = 600_000;
const ENTRY = `import { runTurns } from "./turn.ts"; console.log(JSON.stringify(await runTurns()));`;

/** Runs a program to its end and returns what it printed. */
function output(folder: string, program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} failed (${status}): ${stderr}`);
  return stdout;
}

// They are too large to be dependencies of the repository.
test.each([
  ["bun", "1.4.4", ["turns.mjs"]],
  ["deno", "2.9.6", ["run", "turns.mjs"]],
])(
  "in %s %s, without any permission, the same turns give the same results",
  async (name, version, args) => {
    const folder = mkdtempSync(join(tmpdir(), `runahead-${name}-`));
    try {
      writeFileSync(join(folder, "package.json"), "{}");
      writeFileSync(join(folder, "turns.mjs"), await bundled(ENTRY));
      output(folder, "npm", [
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts=false",
        `${name}@${version}`,
      ]);
      const turns = JSON.parse(output(folder, join(folder, "node_modules/.bin", name), args)) as Turns;
      expectTurns(turns);
      expect(turns.parallel.results).toHaveLength(5);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
