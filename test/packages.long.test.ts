import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

/** Building, packing, checking and installing; npm takes most of the time. */
const LIMIT_MS = 1_200_000;

test(
  "the packed packages are small, typed and complete, each can be imported alone, and all run on every supported Node",
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
