import { describe, expect, test } from "vitest";
import { checkOnDisk, type World } from "../../test/corpus/world.ts";

const WORLD: World = {
  files: [
    "a.ts",
    "b.ts",
    "pre-commit",
    "src/a.ts",
    "sub/x",
    "sub/deep/y",
    "sub2/x",
    "clean/a/b",
    "clean/c",
    "plain/cfg",
    "rc/.npmrc",
    "repo/.git/hooks/x",
    "agent/.claude/settings.json",
    "options/-n",
    "dashes/--files0-from=x",
    "[a]file",
    ".git/config",
    ".git/hooks/sample",
    "/home/u/outside/d/file",
    "/etc/passwd",
  ],
  links: {
    etc: "/etc",
    passwd: "/etc/passwd",
    hooks: ".git/hooks",
    cfg: "/home/u/proj/.git/config",
    out: "/home/u/outside/d",
    cur: "src",
    up: "..",
    ".hidden": "/etc",
    "[b]link": "/etc/passwd",
    "new\nline": "/etc/passwd",
    épée: "/etc",
    "folder/to-hosts": "/etc/hosts",
    "tree/deep/link": "/etc",
    "dst/cfg": "../.git/config",
    "inner/link": "../clean",
    nowhere: "/home/u/new",
    one: "two",
    two: "one",
  },
  twins: { twin: ".git/config" },
};

describe("class 5: patterns are expanded and each name is judged", () => {
  test("a pattern that reaches a link out of the workspace is asked about", () => {
    checkOnDisk(
      WORLD,
      {},
      {
        allow: [
          "cat *.ts",
          "cat [ab].ts",
          "ls src/*",
          "cat s*/x",
          "cat cur/*",
          "cat c*/a.ts",
          "wc -l sub*/*",
          "cat nothing*",
          "cat clean/**",
          "cat options/*",
          "echo *.ts",
        ],
        ask: [
          "cat p*",
          "cat ?asswd",
          "cat [p]asswd",
          "cat [!a]asswd",
          "cat [[:alpha:]]asswd",
          "cat {p,q}assw*",
          "cat pass'w'*",
          'cat "pass"*',
          "cat ./pas*",
          "cat ~/proj/pas*",
          "cat $PWD/pas*",
          "cat up/proj/pas*",
          "cat '[b]'l*",
          String.raw`cat \[b]*`,
          "cat new*",
          "cat ?p?e/passwd",
          "cat ??p??e/passwd",
          "cat */passwd",
          "cat */missing",
          "cat .h*/passwd",
          "cat **/to-hosts",
          "cat tree/*/link/missing",
          "cd sub && cat ../pas*",
          "cd folder && cat *",
          "head -n 1 -- pas*",
          "tail -n +1 folder/*",
          "sort pas* | head",
          "cat < pas*",
          "ls et*/",
          "echo et*/*",
          "echo /etc/*",
          "cd dashes && wc *",
        ],
      },
    );
  });

  test("what is outside the budget is asked about", () => {
    const files = Array.from({ length: 5_100 }, (_, at) => `many/f${at}`);
    checkOnDisk({ files }, {}, { ask: ["cat many/*"], allow: ["cat many/f1?", "ls many"] });
  });
});

test("class 5: readers that follow links are judged by the links below", () => {
  checkOnDisk(
    WORLD,
    {},
    {
      allow: [
        "grep -r x .",
        "grep -R x src clean",
        "grep -R x inner",
        "find . -name '*.ts'",
        "find -L src",
        "ls -R",
        "ls -lL sub",
        "tree",
        "du -sh .",
        "diff -r sub sub2",
        "diff a.ts b.ts",
      ],
      ask: [
        "grep -R x .",
        "grep -nR x",
        "grep --dereference-recursive x tree",
        "grep -r --deref x tree",
        "timeout 9 grep -R x .",
        "grep -r x e*/",
        "grep -r x out",
        "find -L .",
        "find . -follow -name x",
        "find etc/",
        "ls -RL",
        "ls -R --dereference tree",
        "tree -l",
        "du -shL .",
        "diff -rN folder sub",
        "diff folder sub",
      ],
    },
  );
});

describe("class 5: in acceptEdits", () => {
  const setting = { mode: "acceptEdits" };

  test("a copied or moved tree is judged by where each file of it lands", () => {
    checkOnDisk(WORLD, setting, {
      allow: [
        "cp -r clean copy",
        "cp -r clean/. sub",
        "mv clean moved",
        "cp -a src dist && cp -a clean dist",
        "rm -rf dist && mkdir dist && cp -r src/* dist/",
        "cp a.ts new; cat new",
      ],
      ask: [
        "cp -r plain/. .",
        "cp -a plain/. ./",
        "cp plain/* .",
        "cp -rT plain dst",
        "cp -R plain/. dst",
        "cp -r rc/. .",
        "cp -r rc/. sub",
        "cp -r rc copy",
        "mv rc/.n* .",
        "mv rc sub",
        "cp -r repo/. .",
        "mv repo copy",
        "cp -r agent/. .",
        "cp -r [pr]*/. .",
        "mv repo q; cp -r q/. .",
        "cp -r sub q && cp -r q/. .",
      ],
    });
  });

  test("a target that a pattern or a link turns into a protected place is not written", () => {
    checkOnDisk(WORLD, setting, {
      ask: [
        "cp pre-commit h*",
        "cp pre-commit ho*/",
        "cp pre-commit hooks",
        "cp -t hooks pre-commit",
        "cp plain/cfg c*g",
        "sed -i s/x/y/ c?g",
        "touch now*",
        "mkdir et*/x",
        "cp -L pas* sub",
        "cp e*/passwd sub",
        "rm -rf out*/*",
        "rm -rf o*/",
        "mv hooks x; cp pre-commit x/",
        "mv ho* x; cp pre-commit x",
      ],
    });
    checkOnDisk(WORLD, { mode: "bypassPermissions" }, { ask: ["cp pre-commit h*", "cp -r repo/. ."] });
    checkOnDisk(
      WORLD,
      { allow: ["Bash(rsync:*)"] },
      { ask: ["rsync -a repo/ ."], allow: ["rsync -a src x"] },
    );
  });

  test("a tree with a link that leads elsewhere is neither copied, moved nor removed", () => {
    checkOnDisk(WORLD, setting, {
      allow: ["rm -rf clean", "rm -rf inner", "rm -r sub*"],
      ask: ["cp -r tree x", "mv tree x", "rm -rf tree", "rm -rf folder", "cp -rL folder x", "rm -rf dst"],
    });
  });

  test("a file that has another name is not written, and can be replaced or removed", () => {
    checkOnDisk(WORLD, setting, {
      allow: [
        "mv a.ts twin",
        "rm twin",
        "cp twin x",
        "cat twin",
        ["Write", { file_path: "twin", content: "x" }],
      ],
      ask: ["cp a.ts twin", "cp a.ts twi*", "sed -i s/x/y/ twin", "echo x > twin", "echo x >> ./twin"],
    });
    checkOnDisk(WORLD, { allow: ["Edit(twin)", "Bash(echo:*)"] }, { ask: ["echo x > twin"] });
  });
});

test("class 5: a link that the same line makes is not walked into unseen", () => {
  checkOnDisk(
    { files: ["a", "sub/x"], links: { "deep/link": "/etc" } },
    { mode: "acceptEdits", allow: ["Bash(ln:*)"] },
    {
      ask: [
        "ln -s /etc q; grep -R x .",
        "ln -s /etc q; cat q*/passwd",
        "ln -s /etc sub/q; diff -r sub deep",
        "ln -s . q; cp -r q x",
      ],
      allow: ["cp a b; cat b*", "cp -r sub sub3 && grep -r x ."],
    },
  );
});

test("class 14: a cycle of links is not allowed, in any mode", () => {
  const read = ["Read", { file_path: "one" }] as const;
  const below = ["Read", { file_path: "two/x" }] as const;
  const write = ["Write", { file_path: "one", content: "x" }] as const;
  checkOnDisk(WORLD, {}, { ask: [read, below, write, "cat one", "cat two/x", "cat o*"] });
  checkOnDisk(WORLD, { mode: "acceptEdits" }, { ask: [write, "touch one", "cp a.ts one"] });
  checkOnDisk(WORLD, { mode: "bypassPermissions" }, { ask: [read, write] });
  checkOnDisk(WORLD, { mode: "dontAsk", allow: ["Read", "Edit"] }, { deny: [read, write] });
});

test("class 14: a file tool judges a link into a protected place as the place itself", () => {
  const writes = (path: string): ["Write", unknown] => ["Write", { file_path: path, content: "x" }];
  for (const mode of ["default", "acceptEdits", "bypassPermissions", "dontAsk"])
    checkOnDisk(
      WORLD,
      { mode, allow: ["Edit"] },
      { deny: [writes(".git/hooks/pre-push"), writes("hooks/pre-push"), writes("cfg"), writes("dst/cfg")] },
    );
  checkOnDisk(
    { files: [], links: { settings: ".vscode" } },
    { mode: "acceptEdits" },
    { ask: [writes(".vscode/tasks.json"), writes("settings/tasks.json")] },
  );
});

test("class 14: a protected folder that is a link protects what it leads to", () => {
  const world = { files: ["store/hooks/sample", "a", "tpl/hooks/x"], links: { ".git": "store" } };
  const write = ["Write", { file_path: "store/hooks/pre-push", content: "x" }] as const;
  checkOnDisk(
    world,
    { mode: "acceptEdits" },
    {
      deny: [write],
      ask: ["cp a store/hooks/pre-push", "cp a stor*/hooks", "cp -r tpl/. store"],
      allow: ["cp a b"],
    },
  );
});

test("class 5: where the line changes what patterns match, they are not expanded", () => {
  checkOnDisk(
    { files: [".env", "a"] },
    { mode: "acceptEdits", deny: ["Read(.env)"], allow: ["Bash(shopt:*)", "Bash(export:*)"] },
    { ask: ["shopt -s dotglob; cat *", "export GLOBIGNORE=x; cat *"], allow: ["shopt -s dotglob; cat a"] },
  );
});

test("an ordinary verdict lists no folder", async () => {
  const { createPermissions } = await import("./permissions.ts");
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
