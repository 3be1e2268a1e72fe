import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { createPermissions } from "./permissions.ts";

afterEach(() => vi.unstubAllEnvs());

test("class 3: a read-only command needs approval if PATH resolves it to a program in the workspace", () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "shadowed-")));
  try {
    const bin = join(cwd, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    for (const name of ["ls", "mkdir"]) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
    const decide = (command: string, settings: object, confined = false): string =>
      createPermissions({ settings, cwd, home: "/nobody", confinesReads: () => confined }).decide("Bash", {
        command,
      }).behavior;
    expect(decide("ls", {})).toBe("allow");
    for (const folder of [bin, "node_modules/.bin", "./node_modules/../node_modules/.bin"]) {
      vi.stubEnv("PATH", `/usr/bin:${folder}:/bin`);
      expect(decide("ls", {})).toBe("ask");
      expect(decide("cat a.txt | timeout 5 ls", {})).toBe("ask");
      expect(decide("mkdir x", { mode: "acceptEdits" })).toBe("ask");
      expect(decide("cat a.txt", {})).toBe("allow");
      // In the read-only sandbox it can do no harm, and a rule is the user's own decision.
      expect(decide("ls", {}, true)).toBe("allow");
      expect(decide("ls", { allow: ["Bash(ls:*)"] })).toBe("allow");
      expect(decide("cat a.txt && mkdir x", { allow: ["Bash(mkdir:*)"] })).toBe("allow");
      expect(decide("ls && mkdir x", { allow: ["Bash(mkdir:*)"] })).toBe("ask");
    }
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
