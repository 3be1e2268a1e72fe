import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPermissions } from "../verdict/permissions.ts";

const deny = ["Read(.env)", "Read(secrets/**)"];

test("class 6: the read-only sandbox hides the files that are denied when the command starts", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "kept-")));
  try {
    const put = (path: string): void => {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), "x");
    };
    for (const path of ["a", ".env", "sub/.env", "secrets/deep/key", "sub/b"]) put(path);
    const settings = { deny };
    const permissions = createPermissions({ settings, cwd: root, home: "/h", confinesReads: () => true });
    const { behavior, confinement } = permissions.decide("Bash", { command: "grep -r x ." });
    put("sub/new/.env");
    const below = confinement?.hidden().map((path) => path.slice(root.length + 1));
    expect({ behavior, below: below?.toSorted() }).toEqual({
      behavior: "allow",
      below: [".env", "secrets", "sub/.env", "sub/new/.env"],
    });
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("class 6: if not every denied file can be hidden, the verdict is ask and the start fails", () => {
  const sizes = { small: 100, large: 30_000 };
  let size = sizes.small;
  const files = {
    list: (path: string, limit: number) =>
      path === "/p"
        ? Array.from({ length: Math.min(size, limit) }, (_, at) => ({
            name: `f${at}`,
            type: "file" as const,
          }))
        : undefined,
    stat: () => undefined,
  };
  const permissions = createPermissions({
    settings: { deny },
    cwd: "/p",
    home: "/h",
    files,
    realpath: (path) => path,
    confinesReads: () => true,
  });
  const decide = () => permissions.decide("Bash", { command: "grep -r x ." });
  const { behavior, confinement } = decide();
  size = sizes.large;
  expect([behavior, decide().behavior]).toEqual(["allow", "ask"]);
  expect(() => confinement?.hidden()).toThrow(/too many files/);
});
