import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

/** Builds, packs, checks and installs: most of it is npm's. */
const LIMIT_MS = 600_000;

test(
  "the packed packages are small, typed and whole, and run in an empty project on every Node that is supported",
  async () => {
    const { code, complaints } = await new Promise<{ code: number | null; complaints: string }>((resolve) => {
      const child = execFile(
        process.execPath,
        ["scripts/pack-check.mjs", "--nodes", "22,24"],
        { cwd: ROOT },
        (_error, _printed, said) => resolve({ code: child.exitCode, complaints: said }),
      );
    });
    expect(complaints).toBe("");
    expect(code).toBe(0);
  },
  LIMIT_MS,
);
