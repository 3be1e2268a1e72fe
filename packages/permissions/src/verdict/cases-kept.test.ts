import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { check } from "../../test/corpus/table.ts";
import { checkOnDisk } from "../../test/corpus/world.ts";
import { createPermissions } from "./permissions.ts";

const deny = ["Read(.env)", "Read(secrets/**)"];
const bash = (...patterns: string[]): string[] => patterns.map((pattern) => `Bash(${pattern})`);

test("class 6: without a sandbox, a reader of folders asks where a denied file can be in them", () => {
  check(
    { deny },
    {
      allow: [
        "cat a.ts",
        "grep x a.ts b.ts",
        "find . -type f",
        "ls -R",
        "du -sh .",
        "tree",
        "cat a.ts | grep -v x",
      ],
      ask: [
        "grep -r x .",
        "grep -rl x .",
        "grep x -r ./",
        "grep -rA 3 x",
        "grep -A 3 -r x",
        "grep --recurs x",
        "grep -rh '' . --include=.env",
        "egrep -r x src",
        "diff -r . other",
        "timeout 3 grep -r x .",
        "cd src && grep -r x",
      ],
      "ask|deny": ["cd secrets && grep -r .", "grep -r x secrets"],
    },
  );
  check(
    { deny: ["Read(/secrets/**)"] },
    { allow: ["grep -r x src", "grep -rn x src lib"], ask: ["grep -r x ."] },
  );
  check({ deny, mode: "dontAsk" }, { deny: ["grep -r x ."] });
  check({ deny, mode: "bypassPermissions" }, { ask: ["grep -r x .", "sudo grep -r x .", "git show HEAD"] });
  check({ ask: ["Read(.env)"] }, { ask: ["grep -r x ."] });
});

test("class 6: a rule with a wildcard does not lift a deny, a rule for just the command does", () => {
  check(
    { deny, allow: bash("grep:*", "git:*", "cat:*", "tar:*", "zip:*", "rsync:*", "rg:*") },
    {
      ask: [
        "grep -r x .",
        "grep $X x .",
        "git diff",
        "git show HEAD",
        "cat $X",
        "ls | xargs cat",
        "tar cf - .",
        "zip -r x.zip .",
        "rsync -a . copy",
        "rg x",
      ],
      deny: ["for f in .env; do cat $f; done"],
      allow: ["cat a", "git status", "git log --oneline", "git add ."],
    },
  );
  check(
    { deny, allow: bash("grep -r x .", "git diff") },
    { allow: ["grep -r x .", "git diff"], ask: ["git diff a"] },
  );
});

test("class 6: git commands that show content ask, with and without a sandbox", () => {
  const ask = [
    "git show HEAD",
    "git show :.env",
    "git show --stat HEAD",
    "git grep x",
    "git log -p",
    "git log -p -- .env",
    "git log --oneline -p",
    "git log -L1,3:.env",
    "git log -Sx",
    "git log -G x",
    "git log -U1",
    "git log --cc",
    "git log -c",
    "git log --stat --patch",
    "git diff",
    "git diff --cached",
    "git diff --stat -p",
    "git --no-pager diff HEAD~1",
    "git blame .env",
    "git cat-file -p :0:.env",
    "git stash show -p",
    "git stash list -p",
    "git reflog show -p",
    "git status -v",
    "git rev-list --objects --all | git cat-file -p HEAD",
  ];
  check({ deny }, { "ask|deny": ask });
  check(
    { deny, confinesReads: true },
    {
      "ask|deny": ask,
      allow: [
        "git status",
        "git status -sb",
        "git log --oneline -5",
        "git log --stat",
        "git diff --stat",
        "git diff --name-only HEAD",
        "git branch",
      ],
    },
  );
  check({ confinesReads: true }, { allow: ["git show HEAD", "git diff", "git log -p", "grep -r x ."] });
});

test("class 6: another name of a denied file is asked about", () => {
  const world = { files: [".env", "a", "b"], twins: { copy: ".env", other: "b" } };
  const read = (path: string): ["Read", unknown] => ["Read", { file_path: path }];
  checkOnDisk(world, { deny }, { allow: ["cat a", read("a")], ask: ["cat copy", "cat cop*", read("copy")] });
  checkOnDisk(
    { files: [".env", "b"], twins: { other: "b" } },
    { deny },
    { allow: ["cat other", read("other")] },
  );
  checkOnDisk(world, { deny, confinesReads: true }, { ask: ["grep -r x .", "cat copy"], allow: ["cat a"] });
});

test("class 6: copies and moves take no denied file along", () => {
  checkOnDisk(
    { files: ["conf/key", "conf/other", "lib/a"] },
    { mode: "acceptEdits", deny: ["Read(/conf/key)"] },
    { allow: ["cp -r lib x", "mv lib x"], ask: ["cp -r conf x", "mv conf x", "cp -r . ../proj/x"] },
  );
});

test("class 6: the read-only sandbox hides what is denied, as it is when the command starts", () => {
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

test("class 6: where not every denied file can be hidden, the verdict asks and the start fails", () => {
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
