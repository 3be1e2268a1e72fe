/** What every runtime must make of the same turns. */

import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect } from "vitest";
import type { runTurns } from "./turn.ts";

export type Turns = Awaited<ReturnType<typeof runTurns>>;

/** The turns as one file, made as for a browser: a built-in module of Node that is imported would be an error. */
export async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
  });
  return (outputFiles[0] as { text: string }).text;
}

const STOPPED = "the user stopped the turn. It may have had effects.\nIt had printed nothing.";
const PAIR = "é😀";

/** What must come of the turns in every runtime. */
export function expectTurns({ parallel, interrupted, large }: Turns): void {
  expect(parallel.results).toEqual([
    "a1: a1 done",
    "b1: b1 done",
    "a2: a2 done",
    "a3: a3 done",
    "b2: b2 done",
  ]);
  const at = (what: string): number => parallel.log.indexOf(what);
  expect(parallel.log).toHaveLength(10);
  // The reads of other places did not wait for the slow one; the write and the read after it did.
  expect(at("-b1")).toBeLessThan(at("-a1"));
  expect(at("-b2")).toBeLessThan(at("-a1"));
  expect(at("+a2")).toBe(at("-a1") + 1);
  expect(at("+a3")).toBeGreaterThan(at("-a2"));
  expect(interrupted).toEqual([`h: Stopped after N s: ${STOPPED}`, "w: Not run: the user stopped the turn."]);
  expect(large.result).toMatch(
    /^p: \[Result too large: 3000 characters\. The full result is stored in memory:/,
  );
  expect(large.result).toContain(PAIR.repeat(16));
  expect(large.isWhole).toBe(true);
}
