import { describe, expect, test } from "vitest";
import { check, permissionsOf } from "../../test/corpus/table.ts";
import { createPermissions } from "./permissions.ts";

const read = (path: unknown): [string, unknown] => ["Read", { file_path: path }];
const edit = (path: unknown): [string, unknown] => [
  "Edit",
  { file_path: path, old_string: "a", new_string: "b" },
];
const write = (path: unknown): [string, unknown] => ["Write", { file_path: path, content: "x" }];
const fetch = (url: unknown): [string, unknown] => ["WebFetch", { url, prompt: "p" }];

describe("modes", () => {
  test("each mode answers what no rule does", () => {
    const outside = read("/etc/passwd");
    const inside = edit("/home/u/proj/a");
    check(
      { mode: "default" },
      {
        allow: [read("a"), "ls", ["TaskList", {}], ["AskUser", { questions: [] }]],
        ask: [
          outside,
          inside,
          "npm test",
          "touch a",
          fetch("https://a.test/"),
          ["WebSearch", { query: "x" }],
          ["mcp__a__b", {}],
          ["Unknown", {}],
          ["constructor", {}],
          ["__proto__", {}],
          ["", {}],
        ],
      },
    );
    check({ mode: "default", confinesReads: true }, { allow: ["git status"], ask: ["npm test"] });
    check({ mode: "default" }, { ask: ["git status"] });
    check(
      { mode: "acceptEdits" },
      {
        allow: [
          inside,
          write("/home/u/proj/x/y"),
          ["NotebookEdit", { notebook_path: "a.ipynb" }],
          "mkdir -p a/b",
          "touch a",
          "rm a",
          "rm -rf build",
          "rmdir a",
          "mv a b",
          "cp a b",
          "cp -r a b",
          "sed -i s/a/b/ a",
          "sed -i.bak -e 's/a/b/' a",
          "LANG=C rm a",
          "timeout 5 rm a",
          "rm src/*.tmp",
          "mkdir a && touch a/b && ls a",
          "touch {a,b}",
        ],
        ask: [
          outside,
          edit("/etc/a"),
          "npm install",
          "touch /etc/a",
          "rm ../a",
          "cp /etc/passwd a",
          "cp a /etc",
          "mv ~/x a",
          "rm $X",
          "rm *",
          "sed -i s/a/b/e a",
          "sed -i 's/a/b/w /etc/x' a",
          "ln -s /etc a",
          "chmod +x a",
          "cp --backup=x a b",
          "FOO=1 rm a",
          "cp -s /etc a",
          "rm -rf a; curl x",
          "cp a $(pwd)/b",
          "touch -r /etc/x a",
          "dd of=a",
          "tee a",
          "sed -i -f x a",
          "touch ~/a",
        ],
      },
    );
    check(
      { mode: "plan", confinesReads: true, allow: ["Edit", "Bash(npm test)", "mcp__a__b"] },
      {
        allow: [read("a"), "ls", "git log", "cat a | grep x"],
        deny: [
          inside,
          write("a"),
          "npm test",
          "touch a",
          "rm a",
          ["mcp__a__b", {}],
          "echo x > a",
          ["Unknown", {}],
        ],
        ask: [outside, fetch("https://a.test/")],
      },
    );
    check(
      { mode: "dontAsk", allow: ["Bash(npm test)"], ask: ["Bash(git push:*)"] },
      {
        allow: [read("a"), "ls", "npm test"],
        deny: [
          outside,
          inside,
          "npm run x",
          "git push",
          fetch("https://a.test/"),
          ["mcp__a__b", {}],
          "echo $(",
          "$X",
        ],
      },
    );
    check(
      { mode: "bypassPermissions", deny: ["Bash(curl:*)", "Read(.env)"], ask: ["Bash(git push:*)"] },
      {
        allow: [
          outside,
          inside,
          "npm install",
          "rm -rf build",
          "echo x > /tmp/a",
          ["mcp__a__b", {}],
          fetch("https://a.test/"),
          "for i in 1; do make; done",
        ],
        deny: ["curl x", read(".env"), "cat .env", "sh -c 'curl x'"],
        ask: ["git push", "rm -rf /", "$X a", "echo 'x", "touch .git/a"],
      },
    );
    check(
      { mode: "bypassPermissions" },
      { allow: ["$X a", "eval $X", "f() { ls; }; f"], ask: ["echo 'x", "echo $("] },
    );
  });

  test("other names of modes", () => {
    const modes = ["ask", "manual", "deny", "allow", "accept_edits", "auto", "nonsense"].map(
      (mode) => permissionsOf({ mode }).mode,
    );
    expect(modes).toEqual([
      "default",
      "default",
      "dontAsk",
      "bypassPermissions",
      "acceptEdits",
      "auto",
      "default",
    ]);
    expect(permissionsOf({ mode: "auto" }).warnings).toEqual([]);
  });
});

describe("the web, MCP, agents", () => {
  test("domains", () => {
    check(
      {
        allow: [
          "WebFetch(domain:example.com)",
          "WebFetch(domain:*.wild.test)",
          "WebFetch(domain:api-*.test)",
          "WebFetch(domain:Upper.Test)",
          "WebFetch(domain:dot.test.)",
          "WebFetch(domain:münchen.test)",
        ],
        deny: ["WebFetch(domain:bad.wild.test)", "WebFetch(domain:evil.*)"],
      },
      {
        allow: [
          fetch("https://example.com"),
          fetch("http://example.com:8080/a?b#c"),
          fetch("https://user:pw@example.com/"),
          fetch("HTTPS://EXAMPLE.COM/"),
          fetch("https://example.com./x"),
          fetch("https://a.wild.test/"),
          fetch("https://a.b.wild.test/"),
          fetch("https://api-1.test/"),
          fetch("https://upper.test/"),
          fetch("https://dot.test/"),
          fetch("https://xn--mnchen-3ya.test/"),
          fetch("https://münchen.test/"),
        ],
        ask: [
          fetch("https://www.example.com/"),
          fetch("https://example.com.other.test/"),
          fetch("https://notexample.com/"),
          fetch("https://other.test/example.com"),
          fetch("https://example.com@other.test/"),
          fetch("https://other.test\\@example.com/"),
          fetch("https://other.test#example.com"),
          fetch("https://wild.test/"),
          fetch("https://api-1.x.test/"),
          fetch("example.com"),
          fetch(""),
          fetch(5),
          ["WebFetch", {}],
          fetch("https://exаmple.com/"),
          fetch("https://example。org/"),
          fetch("https://127.0.0.1/"),
        ],
        deny: [fetch("https://bad.wild.test/"), fetch("https://evil.com/"), fetch("https://evil.org/")],
      },
    );
    check(
      { allow: ["WebFetch"], deny: ["WebFetch(domain:*.x.test)"] },
      {
        allow: [fetch("https://a.test/"), fetch("https://x.test/")],
        deny: [fetch("https://a.x.test/"), fetch("https://a.b.x.test./")],
      },
    );
  });

  test("an address in place of a domain denies its host and grants nothing", () => {
    check(
      {
        allow: ["WebFetch(https://a.test/docs/*)"],
        deny: ["WebFetch(https://b.test/x)", "WebFetch(domain:c.test)"],
      },
      { ask: [fetch("https://a.test/docs/x")], deny: [fetch("https://b.test/y"), fetch("https://c.test/")] },
    );
  });

  test("servers and their tools", () => {
    const call = (name: string): [string, unknown] => [name, { q: 1 }];
    check(
      {
        allow: [
          "mcp__git",
          "mcp__a__*",
          "mcp__b__get_*",
          "mcp__c__one",
          "mcp__*",
          "*",
          "mcp__x*",
          "mcp__*__list",
        ],
        deny: ["mcp__a__delete*", "mcp__d"],
        ask: ["mcp__git__push"],
      },
      {
        allow: [call("mcp__git__log"), call("mcp__a__x"), call("mcp__b__get_x"), call("mcp__c__one")],
        ask: [
          call("mcp__git__push"),
          call("mcp__github__x"),
          call("mcp__gi"),
          call("mcp__git__b__c"),
          call("mcp__a__b__c"),
          call("mcp__b__set_x"),
          call("mcp__c__one_more"),
          call("mcp__c__two"),
          call("mcp__x__y"),
          call("mcp__z__list"),
          call("MCP__git__log"),
        ],
        deny: [call("mcp__a__delete_repo"), call("mcp__d__x"), call("mcp__d__x__y")],
      },
    );
    check(
      { allow: ["mcp__a"], deny: ["mcp__a__b(repo:secret*)"] },
      {
        deny: [["mcp__a__b", { repo: "secret-1" }]],
        allow: [
          ["mcp__a__b", { repo: "open" }],
          ["mcp__a__b", {}],
          ["mcp__a__b", null],
        ],
      },
    );
    check(
      { allow: ["mcp__a"], deny: ["mcp__*"] },
      { deny: [call("mcp__a__b"), call("mcp__z__y")], allow: ["ls"] },
    );
  });

  test("agents, under either name", () => {
    const agent = (name: unknown): [string, unknown] => ["Agent", { prompt: "p", subagent_type: name }];
    check(
      { allow: ["Agent(Explore)", "Task(Plan)"], deny: ["Agent(Bad)", "Agent(model:opus)"] },
      {
        allow: [
          agent("Explore"),
          agent("Plan"),
          ["Task", { subagent_type: "Explore" }],
          agent("Other"),
          agent(undefined),
          agent(5),
        ],
        deny: [
          agent("Bad"),
          ["Task", { subagent_type: "Bad" }],
          ["Agent", { subagent_type: "Explore", model: "opus" }],
        ],
      },
    );
    check({ allow: ["Task"] }, { allow: [agent("x"), ["Task", {}]] });
    for (const mode of ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"])
      check({ mode, deny: ["Agent(Bad)"] }, { allow: [agent("x"), ["Task", {}]], deny: [agent("Bad")] });
    check({ ask: ["Agent(Costly)"] }, { ask: [agent("Costly")], allow: [agent("x")] });
  });
});

describe("settings", () => {
  test("a file cannot call itself trusted, and the user's own rules hold in every folder", () => {
    const verdict = (settings: object): string =>
      createPermissions({ settings, cwd: "/p", home: "/h", trusted: false, realpath: (path) => path }).decide(
        "Bash",
        { command: "make" },
      ).behavior;
    const lists = { allow: ["Bash(make)"] };
    expect([
      verdict({ ...lists, trusted: true, name: "user" }),
      verdict({ permissions: { ...lists, trusted: true, name: "user", root: "/" } }),
      verdict({ sources: [{ name: "project", root: "/p", ...lists }] }),
      verdict({ sources: [{ name: "user", root: "/h", ...lists }] }),
      verdict({ ...lists, rulesFrom: "user" }),
    ]).toEqual(["ask", "ask", "ask", "allow", "allow"]);
  });

  test("an untrusted folder grants nothing, and its denies and asks hold", () => {
    const settings = {
      allow: ["Bash(npm test)", "Edit"],
      ask: ["Read(/asked)"],
      deny: ["Read(.env)"],
      additionalDirectories: ["/lib"],
      rules: [
        { tool: "Bash", pattern: "make", action: "allow" as const },
        { tool: "Bash", pattern: "git log", action: "deny" as const },
      ],
    };
    const decide = (trusted: boolean) => {
      const permissions = createPermissions({
        settings,
        cwd: "/p",
        home: "/h",
        trusted,
        realpath: (path) => path,
      });
      const calls: [string, unknown][] = [
        ["Bash", { command: "npm test" }],
        edit("/p/a"),
        read("/lib/a"),
        ["Bash", { command: "make" }],
        read("/p/asked"),
        read("/p/.env"),
        ["Bash", { command: "git log" }],
      ];
      return calls.map(([tool, input]) => permissions.decide(tool, input).behavior);
    };
    expect(decide(true)).toEqual(["allow", "allow", "allow", "allow", "ask", "deny", "deny"]);
    expect(decide(false)).toEqual(["ask", "ask", "ask", "ask", "ask", "deny", "deny"]);
    expect(
      createPermissions({
        settings: { permissions: { defaultMode: "bypassPermissions" } },
        cwd: "/p",
        home: "/h",
        trusted: false,
      }).mode,
    ).toBe("default");
  });

  test("merged settings: each source has its root and its trust, and reasons name it", () => {
    const permissions = createPermissions({
      settings: {
        mode: "default",
        sources: [
          { name: "user", root: "/h/.claude", allow: ["Edit(/a)"], deny: ["Bash(rm:*)"] },
          { name: "project", root: "/p", trusted: false, allow: ["Edit(/b)"] },
          { name: "local", root: "/p", allow: ["Edit(/c)"], additionalDirectories: ["/x"] },
        ],
      },
      cwd: "/p",
      home: "/h",
      realpath: (path) => path,
    });
    expect(
      [edit("/h/.claude/a"), edit("/p/a"), edit("/p/b"), edit("/p/c"), read("/x/y")].map(
        ([tool, input]) => permissions.decide(tool, input).behavior,
      ),
    ).toEqual(["ask", "ask", "ask", "allow", "allow"]);
    expect(permissions.decide("Bash", { command: "rm a" })).toEqual({
      behavior: "deny",
      reason: "The command rm a is denied by the rule Bash(rm:*) (user).",
      by: { type: "rule", rule: "Bash(rm:*)", source: "user" },
    });
  });

  test("an ordered list is read after the denies and asks, first match wins", () => {
    const rules = [
      { tool: "Bash", pattern: "git push --dry-run:*", action: "allow" },
      { tool: "Bash", pattern: "git push:*", action: "deny" },
      { tool: "Bash", pattern: "git:*", action: "allow" },
      { tool: "Read", pattern: "/a/ok", action: "allow" },
      { tool: "Read", pattern: "/a/**", action: "deny" },
    ] as const;
    const permissions = createPermissions({
      settings: { rules, deny: ["Bash(git reset:*)"], allow: ["Bash(make:*)"] },
      cwd: "/p",
      home: "/h",
      realpath: (path) => path,
    });
    const verdicts = [
      "git push --dry-run",
      "git push",
      "git commit",
      "git reset",
      "make",
      "git commit && git push",
      "sh -c 'git push'",
    ].map((command) => permissions.decide("Bash", { command }).behavior);
    expect(verdicts).toEqual(["allow", "deny", "allow", "deny", "allow", "deny", "deny"]);
    expect(
      [read("/p/a/ok"), read("/p/a/no")].map(([tool, input]) => permissions.decide(tool, input).behavior),
    ).toEqual(["allow", "deny"]);
  });

  test("one bad entry costs only itself, and is told", () => {
    const permissions = createPermissions({
      settings: {
        allow: ["*", "B*", "Bash(ls", 5, "", "Write(a)", "WebFetch(x y)", "Bash(npm test)", "Grep(model:x)"],
        deny: ["Nope", "Bash(rm:*", "Read(!x)", null, {}],
        ask: "Bash",
        rules: [{ tool: 5 }, null],
        mode: 5,
      } as never,
      cwd: "/p",
      home: "/h",
      realpath: (path) => path,
    });
    expect(permissions.decide("Bash", { command: "npm test" }).behavior).toBe("allow");
    expect(permissions.decide("Bash", { command: "rm a" }).behavior).toBe("deny");
    expect(permissions.warnings.length).toBeGreaterThan(12);
    expect(permissions.warnings).toContain("project: deny Nope: there is no tool of this name.");
    expect(permissions.warnings).toContain(
      "project: allow * is ignored: a wildcard in an allow rule may only follow mcp__server__.",
    );
    expect(permissions.warnings).toContain(
      "project: allow Write(a) is ignored: only Edit(path) is consulted for paths.",
    );
  });

  test("a tool that is denied as a whole is hidden", () => {
    const permissions = permissionsOf({
      deny: ["Bash", "Read(*)", "mcp__a", "mcp__b__x*", "Task", "Edit(src/**)"],
    });
    const names = [
      "Bash",
      "Read",
      "Grep",
      "mcp__a__x",
      "mcp__b__xy",
      "mcp__b__z",
      "Agent",
      "Edit",
      "WebFetch",
    ];
    expect(names.filter((name) => permissions.isHidden(name))).toEqual([
      "Bash",
      "Read",
      "Grep",
      "mcp__a__x",
      "mcp__b__xy",
      "Agent",
      "Edit",
    ]);
    expect(
      ["Bash", "mcp__q__x", "Read"].map((name) => permissionsOf({ deny: ["*"] }).isHidden(name)),
    ).toEqual([true, true, true]);
  });
});
