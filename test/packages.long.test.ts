import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

/** Building, packing, checking and installing; npm takes most of the time. */
const LIMIT_MS = 600_000;

test(
  "the packed packages are small, typed and complete, and run in an empty project on every supported Node",
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
