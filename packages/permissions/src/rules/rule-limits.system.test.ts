import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("class 8: git really runs the hooks of a repository on this machine, which is why rules do not cover it", () => {
  const root = mkdtempSync(join(tmpdir(), "runahead-limits-"));
  const [evil, work] = [join(root, "evil"), join(root, "work")];
  const git = (...words: string[]): void => {
    const own = ["-c", "user.name=a", "-c", "user.email=a@b.test"];
    execFileSync("git", [...own, ...words], { stdio: "ignore" });
  };
  try {
    git("init", "-q", "--bare", evil);
    writeFileSync(join(evil, "hooks/post-receive"), `#!/bin/sh\ntouch ${root}/ran\n`);
    chmodSync(join(evil, "hooks/post-receive"), 0o755);
    git("init", "-q", work);
    git("-C", work, "commit", "--allow-empty", "-m", "x");
    git("-C", work, "push", evil, "HEAD:refs/heads/x");
    expect(existsSync(join(root, "ran"))).toBe(true);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
