import { expect, test } from "vitest";
import { createPermissions } from "../verdict/permissions.ts";
import { type Files, FILES_ON_DISK } from "./disk.ts";

/** A disk that finds a name in any letters, like a mounted Windows disk. */
const ANY_CASE: Files = {
  ...FILES_ON_DISK,
  stat: (path) =>
    /^\/p(?:\/(?:\.git|\.env))?$/i.test(path)
      ? { type: "file", links: 1, id: path.toLowerCase() }
      : undefined,
};
const EXACT: Files = { ...ANY_CASE, stat: (path) => (path === "/p/.git" ? ANY_CASE.stat(path) : undefined) };

test.each([
  ["on a disk that ignores case, a rule applies to every spelling", ANY_CASE, ["deny", "deny"]],
  ["on other disks, a name in other letters is another file", EXACT, ["deny", "allow"]],
])("%s", (_, files, expected) => {
  const permissions = createPermissions({
    settings: { deny: ["Read(.env)"] },
    cwd: "/p",
    home: "/h",
    files,
    realpath: (path) => path,
  });
  const verdicts = [".env", ".ENV"].map((file_path) => permissions.decide("Read", { file_path }).behavior);
  expect(verdicts).toEqual(expected);
});
