import { expect, test } from "vitest";
import { createPermissions } from "../verdict/permissions.ts";
import { protectedPlace } from "./protected.ts";

const COPY = "/home/u/.runahead/projects/p/s/worktrees/agent-1";
const NESTED = "/home/u/.runahead/projects/p/s/worktrees/agent-2";
const copies = [
  { path: COPY, of: "/repo" },
  { path: NESTED, of: COPY },
];

function permissions(lists: object = {}, mode = "default", all: typeof copies = copies) {
  const settings = { mode, sources: [{ name: "test", root: "/repo", trusted: true, ...lists }] };
  const files = { list: () => [], stat: () => undefined };
  const options = { cwd: "/repo", home: "/home/u", realpath: (path: string) => path, files, copies: all };
  return createPermissions({ settings, ...options });
}

const edit = (path: string, lists: object = {}, mode = "default"): string =>
  permissions(lists, mode).decide("Edit", { file_path: path, old_string: "a", new_string: "b" }).behavior;
const read = (path: string, lists: object = {}): string =>
  permissions(lists).decide("Read", { file_path: path }).behavior;

test("a copy belongs to the workspace: its files are read, and edited in acceptEdits", () => {
  expect([read(`${COPY}/a`), edit(`${COPY}/a`), edit(`${COPY}/a`, {}, "acceptEdits")]).toEqual([
    "allow",
    "ask",
    "allow",
  ]);
  const without = permissions({}, "acceptEdits", []);
  expect(without.decide("Read", { file_path: `${COPY}/a` }).behavior).toBe("ask");
  expect(read("/home/u/.runahead/projects/p/s/worktrees/agent-3/a")).toBe("ask");
});

test.each(["secret/**", "./secret/**", "/secret/**", "//repo/secret/**", "//*/secret/**", "**/secret/**"])(
  "a rule about %s applies to the copies of its files, also to a copy of a copy",
  (pattern) => {
    const deny = { deny: [`Read(${pattern})`] };
    expect(
      [`${COPY}/secret/a`, `${NESTED}/secret/a`, `${COPY}/other/a`].map((path) => read(path, deny)),
    ).toEqual(["deny", "deny", "allow"]);
    const bash = permissions({ ...deny, allow: ["Bash"] });
    const run = (command: string): string => bash.decide("Bash", { command }, COPY).behavior;
    expect([run("cat secret/a"), run(`cat ${NESTED}/secret/a`), run("cat secret/*")]).toEqual([
      "deny",
      "deny",
      "deny",
    ]);
    expect(edit(`${COPY}/secret/a`, { allow: [`Edit(${pattern})`] })).toBe("allow");
  },
);

test("protected places in a copy are protected, and the rest of the agent's folder is", () => {
  expect(protectedPlace(`${COPY}/src/a.ts`)).toBeUndefined();
  expect(protectedPlace(`${COPY}/.git`)).toMatchObject({ behavior: "deny" });
  expect(protectedPlace(`${COPY}/.runahead/settings.json`)).toMatchObject({ behavior: "deny" });
  for (const path of ["", "/agents/agent-1.jsonl", "/worktrees", "/worktrees/agent-1", "/results/a"])
    expect(protectedPlace(`/home/u/.runahead/projects/p/s${path}`)).toMatchObject({ behavior: "deny" });
});

test("what the user can allow names the file of the workspace, because the copy is temporary", () => {
  const [first] = permissions().choices("Edit", {
    file_path: `${COPY}/src/a.ts`,
    old_string: "a",
    new_string: "b",
  });
  expect(first?.rules).toEqual(["Edit(//repo/src/a.ts)"]);
});

test("invalid copies are rejected", () => {
  expect(() => permissions({}, "default", [{ path: "relative", of: "/repo" }])).toThrow(
    "createPermissions: copies must be an array of absolute paths",
  );
});
