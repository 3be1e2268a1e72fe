import { describe, test } from "vitest";
import { check } from "../../test/corpus/table.ts";

const read = (path: unknown): [string, unknown] => ["Read", { file_path: path }];
const edit = (path: unknown): [string, unknown] => [
  "Edit",
  { file_path: path, old_string: "a", new_string: "b" },
];
const write = (path: unknown): [string, unknown] => ["Write", { file_path: path, content: "x" }];

describe("paths", () => {
  test("reading is free inside the workspace, and nowhere else", () => {
    check(
      { additionalDirectories: ["/home/u/lib", "~/notes", "../sibling"] },
      {
        allow: [
          read("/home/u/proj/a"),
          read("/home/u/proj"),
          read("a"),
          read("./src/../a"),
          read("/home/u/proj/a b.ts"),
          read("/home/u/proj/ä/ö"),
          read("/home/u/proj/..a"),
          read("/home/u/proj/a..b/c"),
          read("/home/u/proj/.git/config"),
          read("/home/u/proj/%2e%2e/%2e%2e/x"),
          read("/home/u/lib/a"),
          read("/home/u/notes/a"),
          read("/home/u/sibling/a"),
          ["Glob", { pattern: "**/*.ts" }],
          ["Glob", { pattern: "*.ts", path: "/home/u/proj/src" }],
          ["Grep", { pattern: "x" }],
          ["Grep", { pattern: "x", path: "src" }],
          ["FileRead", { file_path: "/home/u/proj/a" }],
        ],
        ask: [
          read("/etc/passwd"),
          read("/home/u/proj/../x"),
          read("/home/u/proj2/a"),
          read("/home/u/library/a"),
          read("../x"),
          read("~/x"),
          read("~/.ssh/id_rsa"),
          read("~root/x"),
          read("/"),
          read("//etc/passwd"),
          read("\\\\server\\share"),
          read("C:\\x"),
          read("c:/x"),
          read("\\??\\UNC\\a"),
          read("/proc/self/environ"),
          read("/dev/zero"),
          read("/HOME/U/PROJ/a"),
          read("/home/u/proj/a/../../../../etc/passwd"),
          ["Glob", { pattern: "/etc/*" }],
          ["Glob", { pattern: "../../*" }],
          ["Glob", { pattern: "src/*/../../../x" }],
          ["Glob", { pattern: "~/.ssh/*" }],
          ["Glob", { pattern: "*", path: "/etc" }],
          ["Grep", { pattern: "x", path: "/" }],
          ["Grep", { pattern: "x", path: "~" }],
        ],
        deny: [
          read("/home/u/proj/a\0b"),
          read(""),
          read(5),
          read(undefined),
          read(["/home/u/proj/a"]),
          ["Read", null],
          ["Read", { path: "/home/u/proj/a" }],
          ["Edit", { notebook_path: "a" }],
          ["Read", "x"],
          ["Grep", { pattern: "x", path: 5 }],
        ],
      },
    );
  });

  test("denied paths: anchors, depth, wildcards, classes", () => {
    const cases: [string, string[], string[]][] = [
      ["Read(.env)", [".env", "a/.env", "a/b/.env", "./.env", ".env/x"], [".envrc", "a.env", "env"]],
      ["Read(./.env)", [".env"], ["a/.env", ".envrc"]],
      ["Read(/.env)", [".env"], ["a/.env"]],
      ["Read(secrets/**)", ["secrets/a", "secrets/a/b", "x/secrets/a"], ["secretsx/a", "my-secrets/a"]],
      ["Read(./secrets/**)", ["secrets/a"], ["x/secrets/a"]],
      ["Read(/secrets/**)", ["secrets/a"], ["x/secrets/a"]],
      ["Read(secrets/)", ["secrets/a", "x/secrets/a"], ["secretsx"]],
      ["Read(secrets)", ["secrets", "secrets/a", "x/secrets/a"], ["secrets2"]],
      ["Read(**/*.pem)", ["a.pem", "x/a.pem", "x/y/.pem"], ["a.pem2", "pem"]],
      ["Read(*.key)", ["a.key", "x/.key"], ["a.keys"]],
      ["Read(config/*.json)", ["config/a.json", "config/.json"], ["config/a/b.json", "a/config/b.json"]],
      ["Read(config/**/*.json)", ["config/a.json", "config/a/b.json", "config/a/b/c.json"], ["config/a.js"]],
      ["Read(a?c)", ["abc", "x/axc"], ["ac", "abbc"]],
      ["Read([ab].txt)", ["a.txt", "x/b.txt"], ["c.txt", "ab.txt"]],
      ["Read([!a].txt)", ["b.txt"], ["a.txt"]],
      ["Read([a-c]x)", ["bx"], ["dx"]],
      ["Read(a\\*b)", ["a*b"], ["axb"]],
      ["Read(/src/*)", ["src/a", "src/.b", "src/a/b"], ["a/src/b"]],
    ];
    for (const [rule, denied, allowed] of cases)
      check(
        { deny: [rule] },
        {
          deny: denied.map((path) => read(`/home/u/proj/${path}`)),
          allow: allowed.map((path) => read(`/home/u/proj/${path}`)),
        },
      );
    check(
      { deny: ["Read(//etc/**)", "Read(~/.ssh/**)", "Read(//**/id_rsa)", "Read(../x/**)"] },
      {
        deny: [
          read("/etc/passwd"),
          read("/home/u/.ssh/a"),
          read("~/.ssh/a"),
          read("/a/b/id_rsa"),
          read("/id_rsa"),
          read("/home/u/x/a"),
          read("/proc/self/root/etc/passwd"),
          read("/proc/123/root/home/u/.ssh/a"),
          read("/home/u/proj/id_rsa"),
        ],
        ask: [read("/home/u/ssh/a"), read("/home/u/.ssh2/a"), read("/home/v/.ssh/a")],
      },
    );
    check({ deny: ["Read(//proc/self/cwd/**)", "Read(.env)"] }, { deny: [read("/proc/self/cwd/.env")] });
  });

  test("allowed paths reach no further than they are written", () => {
    const cases: [string, string[], string[]][] = [
      ["Edit(src/**)", ["src/a", "src/a/b"], ["x/src/a", "src", "srcx/a", "src/../a"]],
      ["Edit(/src/**)", ["src/a"], ["x/src/a"]],
      ["Edit(./src/**)", ["src/a"], ["x/src/a"]],
      ["Edit(docs/*.md)", ["docs/a.md"], ["docs/a/b.md", "x/docs/a.md", "docs/a.mdx"]],
      ["Edit(docs/*)", ["docs/a"], ["docs/a/b"]],
      ["Edit(*.ts)", ["a.ts", "x/y.ts"], ["a.tsx", "a.ts/b"]],
      ["Edit(package.json)", ["package.json", "x/package.json"], ["package.json5"]],
      ["Edit(//home/u/proj/a)", ["a"], ["b"]],
      ["Edit(~/proj/a)", ["a"], ["b"]],
      ["Edit(docs/)", ["docs/a", "docs/a/b"], ["docsx/a"]],
      ["Edit", ["a", "x/y"], []],
    ];
    for (const [rule, allowed, asked] of cases)
      check(
        { allow: [rule] },
        {
          allow: allowed.flatMap((path) => [edit(`/home/u/proj/${path}`), write(`/home/u/proj/${path}`)]),
          ask: asked.map((path) => edit(`/home/u/proj/${path}`)),
        },
      );
    check(
      { allow: ["Read(//home/u/shared/**)", "Read(~/docs/**)"] },
      {
        allow: [read("/home/u/shared/a"), read("~/docs/a")],
        ask: [
          read("/home/u/shared2/a"),
          read("/home/u/shared"),
          edit("/home/u/shared/a"),
          read("/home/u/docs/../x"),
        ],
      },
    );
    check(
      { allow: ["Write(src/**)", "Glob(src/**)", "NotebookEdit(a)", "Edit(!a)"] },
      { ask: [write("/home/u/proj/src/a"), edit("/home/u/proj/a")] },
    );
  });

  test("a Read deny holds for edits, an Edit deny not for reads, an ask beats an allow", () => {
    check(
      {
        mode: "acceptEdits",
        deny: ["Read(.env)", "Edit(/gen/**)"],
        ask: ["Edit(/ask/**)", "Read(/look/**)"],
        allow: ["Edit", "Read"],
      },
      {
        deny: [
          edit("/home/u/proj/.env"),
          write("/home/u/proj/.env"),
          ["NotebookEdit", { notebook_path: "/home/u/proj/.env" }],
          edit("/home/u/proj/gen/a"),
          ["Grep", { pattern: "x", path: "/home/u/proj/.env" }],
          ["Glob", { pattern: "x", path: ".env" }],
        ],
        ask: [edit("/home/u/proj/ask/a"), read("/home/u/proj/look/a")],
        allow: [
          read("/home/u/proj/gen/a"),
          read("/home/u/proj/ask/a"),
          edit("/home/u/proj/look/a"),
          edit("/home/u/proj/a"),
        ],
      },
    );
  });

  test("links: an allow needs both names, a deny either", () => {
    const links = {
      "/home/u/proj/out": "/etc",
      "/home/u/proj/in": "/home/u/proj/src",
      "/home/u/lib": "/data/lib",
      "/home/u/proj/g": "/home/u/proj/.git",
    };
    check(
      {
        links,
        additionalDirectories: ["/home/u/lib"],
        mode: "acceptEdits",
        deny: ["Read(/src/secret)", "Read(//etc/shadow)"],
      },
      {
        allow: [
          read("/home/u/proj/in/a"),
          write("/home/u/proj/in/a"),
          read("/home/u/lib/a"),
          read("/data/lib/a"),
          "cp a in/b",
          "cat in/a",
        ],
        ask: [
          read("/home/u/proj/out/a"),
          write("/home/u/proj/out/a"),
          "cat out/a",
          "rm out/a",
          "cp a out/b",
          "touch g/hooks/a",
        ],
        deny: [
          read("/home/u/proj/in/secret"),
          read("/home/u/proj/out/shadow"),
          "cat in/secret",
          "head out/shadow",
          write("/home/u/proj/g/config"),
        ],
      },
    );
    check({ links, allow: ["Edit(/out/**)"] }, { ask: [edit("/home/u/proj/out/a")] });
    check({ links, allow: ["Edit(/out/**)", "Edit(//etc/**)"] }, { allow: [edit("/home/u/proj/out/a")] });
  });
});

describe("protected places", () => {
  test("file tools are denied the agent's and git's own, and asked about the rest, in every mode and under every rule", () => {
    const denied = [
      ".git/config",
      ".git",
      ".git/hooks/pre-commit",
      "sub/.git/config",
      ".husky/pre-commit",
      "node_modules/a/index.js",
      "x/node_modules/a",
      ".claude/settings.json",
      ".claude/settings.local.json",
      ".runahead/settings.json",
      ".runahead/settings.local.json",
      ".GIT/config",
      "src/../.git/config",
    ];
    const asked = [
      ".vscode/tasks.json",
      ".idea/a",
      ".cargo/config.toml",
      ".devcontainer/devcontainer.json",
      ".yarn/releases/a",
      ".mvn/a",
      ".claude/agents/a.md",
      ".claude/commands/a.md",
      ".config/git/config",
      ".gitconfig",
      ".gitmodules",
      ".bashrc",
      ".zshrc",
      ".profile",
      ".bash_profile",
      ".zshenv",
      ".envrc",
      ".npmrc",
      "pkg/.npmrc",
      ".yarnrc",
      ".yarnrc.yml",
      ".pnp.cjs",
      ".pnpmfile.cjs",
      "bunfig.toml",
      ".bazelrc",
      ".pre-commit-config.yaml",
      "lefthook.yml",
      "lefthook-local.yml",
      "gradle/wrapper/gradle-wrapper.properties",
      ".mvn/wrapper/maven-wrapper.properties",
      ".devcontainer.json",
      ".ripgreprc",
      "pyrightconfig.json",
      ".mcp.json",
      ".claude.json",
      ".Mcp.Json",
    ];
    const all = (paths: string[]): [string, unknown][] =>
      paths.flatMap((path) => [write(`/home/u/proj/${path}`), edit(`/home/u/proj/${path}`)]);
    for (const mode of ["default", "acceptEdits", "bypassPermissions"])
      check({ mode, allow: ["Edit", "Write", "Edit(//**)"] }, { deny: all(denied), ask: all(asked) });
    for (const mode of ["dontAsk", "plan"])
      check({ mode, allow: ["Edit"] }, { deny: all([...denied, ...asked]) });
    check(
      { mode: "acceptEdits" },
      {
        allow: all([
          ".gitignore",
          ".gitattributes",
          ".gitx/a",
          ".github/workflows/a.yml",
          "x.git/a",
          ".claude/worktrees/x/a",
          "my.npmrc",
          ".eslintrc.json",
          ".prettierrc",
          "CLAUDE.md",
          "package.json",
          ".env",
        ]),
        deny: all([".claude/worktrees/x/.git/config"]),
      },
    );
  });
});
