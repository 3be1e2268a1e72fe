import { expect, test } from "vitest";
import { withFixture } from "../verdict/corpus-fixture.ts";
import { createPermissions } from "../verdict/permissions.ts";

test("class 5: a pattern that matches too many names needs approval", () => {
  const files = Array.from({ length: 5_100 }, (_, at) => [`/home/u/proj/many/f${at}`, "text\n"]);
  const fixture = { files: Object.fromEntries(files), symlinks: {}, hardlinks: {} };
  withFixture(fixture, ["/home/u/proj"], (disk) => {
    const permissions = createPermissions({ ...disk, settings: {}, cwd: "/home/u/proj", home: "/home/u" });
    const verdict = (command: string): string => permissions.decide("Bash", { command }).behavior;
    expect(["cat many/*", "cat many/f1?", "ls many"].map(verdict)).toEqual(["ask", "allow", "allow"]);
  });
});

test("an ordinary verdict lists no folder", () => {
  const listed: string[] = [];
  const permissions = createPermissions({
    settings: { mode: "acceptEdits", deny: ["Read(.env)"] },
    cwd: "/p",
    home: "/h",
    files: {
      list: (path) => {
        listed.push(path);
        return [];
      },
      stat: () => undefined,
    },
    confinesReads: () => true,
  });
  for (const command of ["ls", "git status", "cat a", "git log --oneline", "head -5 b | wc -l", "mkdir x"])
    permissions.decide("Bash", { command });
  expect(listed).toEqual([]);
});
