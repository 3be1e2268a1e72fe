import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPermissions } from "../verdict/permissions.ts";

test("a rule for git holds in the repository of the workspace, not in others below it", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "repositories-")));
  try {
    for (const folder of [".git", "src", "bare/objects", "clone/.git", "clone/src"])
      mkdirSync(join(root, folder), { recursive: true });
    for (const file of ["bare/HEAD", "bare/config"]) writeFileSync(join(root, file), "");
    const permissions = createPermissions({
      settings: { allow: ["Bash(git status)", "Bash(git log:*)", "Bash(npm test)"] },
      cwd: root,
      home: "/h",
    });
    const verdict = (command: string, folder: string): string =>
      permissions.decide("Bash", { command }, join(root, folder)).behavior;
    expect(["", "src", "bare", "clone", "clone/src"].map((folder) => verdict("git status", folder))).toEqual([
      "allow",
      "allow",
      "ask",
      "ask",
      "ask",
    ]);
    expect([verdict("npm test", "clone"), verdict("timeout 9 git log -1", "bare")]).toEqual(["allow", "ask"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
