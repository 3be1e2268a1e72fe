/** The resolution of links, compared with the system's own. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { realPathOnDisk, realPathsOnce } from "./paths.ts";

const path = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 });
const target = fc.array(fc.constantFrom("a", "b", "c", ".."), { minLength: 1, maxLength: 4 });
const entry = fc.oneof(
  fc.record({ type: fc.constant("folder" as const), path }),
  fc.record({ type: fc.constant("file" as const), path }),
  fc.record({ type: fc.constant("link" as const), path, target, isAbsolute: fc.boolean() }),
);
type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never;

/** Creates what can be created: a name that is taken stays what it is. */
function create(root: string, entries: readonly Entry[]): void {
  for (const one of entries) {
    const at = join(root, ...one.path);
    try {
      mkdirSync(join(at, ".."), { recursive: true });
      if (one.type === "folder") mkdirSync(at);
      else if (one.type === "file") writeFileSync(at, "", { flag: "wx" });
      else symlinkSync((one.isAbsolute ? [root, ...one.target] : one.target).join("/"), at);
    } catch {}
  }
}

function systemPath(asked: string): string | undefined {
  try {
    return realpathSync.native(asked);
  } catch {
    return undefined;
  }
}

test("an existing path resolves as the system resolves it, with and without the memory of one verdict", () => {
  let existing = 0;
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 12 }),
      fc.array(path, { minLength: 1, maxLength: 12 }),
      (entries, paths) => {
        const root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-paths-")));
        try {
          create(root, entries);
          const once = realPathsOnce();
          for (const names of paths) {
            const asked = join(root, ...names);
            const real = systemPath(asked);
            expect(once(asked)).toBe(realPathOnDisk(asked));
            if (real === undefined) continue;
            existing++;
            expect(realPathOnDisk(asked)).toBe(real);
          }
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(existing).toBeGreaterThan(100);
});

test("a path after a missing folder and .. goes through links again", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-paths-")));
  try {
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    symlinkSync("missing/../link/file", join(root, "start"));
    expect(realPathOnDisk(join(root, "start"))).toBe(join(root, "real", "file"));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
