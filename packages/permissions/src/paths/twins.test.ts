import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPermissions } from "../verdict/permissions.ts";

test("a search shows no hard link to a denied file, also in a denied folder", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "twins-")));
  try {
    mkdirSync(join(root, "secrets"));
    for (const name of [".env", "secrets/key", "a", "b"]) writeFileSync(join(root, name), name);
    for (const [from, to] of [
      [".env", "env-copy"],
      ["secrets/key", "key-copy"],
      ["a", "a-copy"],
    ] as const)
      linkSync(join(root, from), join(root, to));
    const permissions = createPermissions({
      settings: { deny: ["Read(.env)", "Read(secrets/**)"] },
      cwd: root,
      home: "/h",
    });
    const shown = ["env-copy", "key-copy", "a-copy", "a", "b", ".env"].filter((name) =>
      permissions.mayShow(join(root, name)),
    );
    expect(shown).toEqual(["a-copy", "a", "b"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
