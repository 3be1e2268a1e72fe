import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { permissionsOf, type Setting } from "../../test/permissions-of.ts";
import type { RuleChoice } from "./suggest.ts";

const choices = (command: string, setting: Setting = {}): RuleChoice[] =>
  permissionsOf(setting).choices("Bash", { command });
const rulesOf = (some: readonly RuleChoice[]): (readonly string[])[] => some.map(({ rules }) => rules);

describe("choices for commands", () => {
  test("D19: one exact rule for each command that needs one, never for a line of a heredoc", () => {
    const cases: [string, string[] | undefined][] = [
      ["npm run build --prod", ["Bash(npm run build --prod)"]],
      ["git push origin main", ["Bash(git push origin main)"]],
      ["npm test && npm run lint && ls", ["Bash(npm test)", "Bash(npm run lint)"]],
      ["timeout 5 npm test", ["Bash(npm test)"]],
      ["curl -s https://a.test/ | jq .", ["Bash(curl -s https://a.test/)"]],
      ["python3 <<'EOF'\nprint(1)\nEOF", ["Bash(python3)"]],
      ["cat > out.txt <<EOF\nrm -rf x\nEOF", ["Edit(//home/u/proj/out.txt)"]],
      ["grep -f a 'x*' b", [String.raw`Bash(grep -f a 'x\*' b)`]],
      ["FOO=1 npm test", ["Bash(FOO=1 npm test)"]],
      ["find . -name '*.tmp' -delete", [String.raw`Bash(find . -name '\*.tmp' -delete)`]],
      ["echo a > 'x [1].txt'", [String.raw`Edit(//home/u/proj/x \[1\].txt)`]],
      ["ls", undefined],
      ["a; b; c; d; e", ["Bash(a)", "Bash(b)", "Bash(c)", "Bash(d)", "Bash(e)"]],
      ["a; b; c; d; e; f", undefined],
    ];
    expect(cases.map(([command]) => [command, choices(command)[0]?.rules])).toEqual(cases);
  });

  test("the exact command and its family are offered, each with what it allows", () => {
    expect(choices("npm install left-pad")).toEqual([
      {
        label: "Allow exactly this command",
        rules: ["Bash(npm install left-pad)"],
        scopes: ["session", "always"],
      },
      {
        label: "Allow every `npm install …` command (packages can run install scripts)",
        rules: ["Bash(npm install:*)"],
        scopes: ["session", "always"],
      },
    ]);
    expect(choices("npm test -- a && curl x > out.txt").map(({ label }) => label)).toEqual([
      "Allow `npm test -- a`, `curl x`, and editing out.txt",
      "Allow every `npm test …` command, `curl x`, and editing out.txt",
    ]);
    expect(choices("make; curl x").map(({ label }) => label)).toEqual(["Allow exactly these commands"]);
  });

  test("a family is offered for ordinary steps of development", () => {
    const families = [
      ["pnpm add x", "pnpm add"],
      ["pip install -r requirements.txt", "pip install"],
      ["python -m pip install x", "python -m pip install"],
      ["npm run build:prod -- --watch", "npm run build:prod"],
      ["npm t", "npm t"],
      ["git commit -m 'a; b'", "git commit"],
      ["git add -A", "git add"],
      ["cargo test --lib", "cargo test"],
      ["go vet ./...", "go vet"],
      ["go mod tidy", "go mod tidy"],
      ["tsc --noEmit", "tsc"],
      ["python3 -m pytest -q", "python3 -m pytest"],
      ["mkdir -p a/b", "mkdir"],
      ["touch a", "touch"],
    ] as const;
    const offered = families.map(([command]) => choices(command).at(-1)?.rules);
    expect(offered).toEqual(families.map(([, start]) => [`Bash(${start}:*)`]));
  });

  test("class 8: no wildcard is offered for commands that run code from their arguments, remove or send", () => {
    const commands = [
      "node a.js",
      "python3 a.py",
      "python3 -m http.server",
      "bash a.sh",
      "sh -c 'make all'",
      "npx some-tool --x",
      "npm exec some-tool",
      "pnpm dlx some-tool",
      "yarn dlx some-tool",
      "bunx some-tool",
      "make lint V=1",
      "curl https://a.test/",
      "wget https://a.test/",
      "git push origin main",
      "git config user.name x",
      "git -c core.pager=x log",
      "git archive HEAD",
      "git bundle create x HEAD",
      "rm a",
      "sudo npm install",
      "docker run x",
      "ssh host ls",
      "find . -newer a -exec x {} +",
      "xargs -n1 x",
      "env FOO=1 x",
      "tar xf a.tar",
      "cargo run",
      "go run .",
      "go build -o .git/hooks/x .",
      "go test -exec x",
      "go vet -vettool=x",
      "go build -toolexec=x",
      "cargo build --config x",
      "mvn test",
      "dotnet build",
      "./gradlew test",
      "NODE_OPTIONS=x npm test",
    ];
    const wild = commands.filter((command) =>
      rulesOf(choices(command))
        .flat()
        .some((rule) => rule.endsWith("*)")),
    );
    expect(wild).toEqual([]);
  });

  test("class 8: the wildcards that are offered do not cover arguments that run or plant something", () => {
    const allow = [
      "Bash(go build:*)",
      "Bash(go test:*)",
      "Bash(go vet:*)",
      "Bash(cargo build:*)",
      "Bash(git commit:*)",
    ];
    const permissions = permissionsOf({ allow });
    const commands = [
      "go build -o .git/hooks/pre-commit ./hook",
      "go build -o=/etc/x .",
      "go build -o ../x .",
      "go build -o ~/bin/x .",
      "go build -o $X .",
      "go build -ldflags='-extld=x' .",
      "go build -ldflags '-s -linkmode external' .",
      "go build -toolexec 'sh -c x' .",
      "go test -exec=x ./...",
      "go test --exec x",
      "go vet -vettool=./x",
      "go build $FLAGS",
      "cargo build --config build.rustc-wrapper=x",
      "cargo build --artifact-dir .git/hooks -Z unstable-options",
    ];
    expect(
      commands.filter((command) => permissions.decide("Bash", { command }).behavior === "allow"),
    ).toEqual([]);
    expect(
      [
        "go build ./...",
        "go build -o bin/app -ldflags '-s -w -X main.version=1.2' ./cmd/app",
        "go build -o=./app .",
        "go test -run X ./...",
        "cargo build --release",
        "go vet",
      ].filter((command) => permissions.decide("Bash", { command }).behavior !== "allow"),
    ).toEqual([]);
  });

  test("D18: nothing is offered for commands that the user cannot see or that no rule can allow", () => {
    const commands = [
      "rm -rf /",
      "cp a .git/hooks/b",
      "$X a",
      'eval "$X"',
      "make 'a\u{202e}b'",
      "make 'a\u{1b}[2Jb'",
      "make 'a\nb'",
      `make ${"a ".repeat(2000)}`,
      "echo $(",
      "cd x && git push",
      "f() { ls; }; f",
    ];
    expect(commands.filter((command) => choices(command).length > 0)).toEqual([]);
    expect(choices("rm a", { deny: ["Bash(rm:*)"] })).toEqual([]);
    expect(choices("git push", { ask: ["Bash(git push:*)"] })).toEqual([]);
  });

  test("each choice allows its call, and nothing that a deny forbids", () => {
    const word = fc.constantFrom(
      ..."npm test run install build git commit -m 'a|b' make * --flag=1 a/b $X && | ; 2>&1 x:* (y) [z] ~/q".split(
        " ",
      ),
      "\\*",
      '"x;y"',
      "'$(id)'",
      "> out",
      "< in",
      "timeout 5",
      "NODE_ENV=x",
      "find . -delete",
      "cd src",
      "go build",
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const command = words.join(" ");
        for (const { rules } of choices(command))
          expect([command, permissionsOf({ allow: rules }).decide("Bash", { command }).behavior]).toEqual([
            command,
            "allow",
          ]);
      }),
      { numRuns: 500 },
    );
  });
});

describe("choices for other tools", () => {
  const offered = (tool: string, input: unknown, setting: Setting = {}): [string, ...string[]][] =>
    permissionsOf(setting)
      .choices(tool, input)
      .map(({ label, rules, scopes }) => [`${label} [${scopes.join(" ")}]`, ...rules]);

  test("an edit: the file, its folder, and all edits of the session", () => {
    expect(offered("Edit", { file_path: "src/a*b.ts" })).toEqual([
      ["Allow editing src/a*b.ts [session always]", String.raw`Edit(//home/u/proj/src/a\*b.ts)`],
      ["Allow editing every file in src [session always]", "Edit(//home/u/proj/src/**)"],
      ["Allow all edits in this workspace [session]", "Edit(//home/u/proj/**)"],
    ]);
    expect(offered("Write", { file_path: "a.ts" }).map(([label]) => label)).toEqual([
      "Allow editing a.ts [session always]",
      "Allow all edits in this workspace [session]",
    ]);
    expect(offered("Write", { file_path: ".github/workflows/a.yml" }).map(([label]) => label)).toEqual([
      "Allow editing .github/workflows/a.yml [session always]",
      "Allow all edits in this workspace [session]",
    ]);
  });

  test("allowing all edits excludes protected places, denied files and links out of the workspace", () => {
    const rules = permissionsOf({}).choices("Write", { file_path: "a.ts" }).at(-1)?.rules ?? [];
    const permissions = permissionsOf({
      allow: rules,
      deny: ["Edit(.env)"],
      links: { "/home/u/proj/l": "/etc" },
    });
    const verdict = (path: string): string =>
      permissions.decide("Write", { file_path: path, content: "" }).behavior;
    expect(["src/b.ts", "/home/u/other", ".git/config", ".npmrc", ".env", "l/a"].map(verdict)).toEqual([
      "allow",
      "ask",
      "deny",
      "ask",
      "deny",
      "ask",
    ]);
  });

  test("nothing wider than the file is offered for a write outside the workspace or through a link out of it", () => {
    expect(offered("Edit", { file_path: "/home/u/other/a.ts" })).toEqual([
      ["Allow editing /home/u/other/a.ts [session always]", "Edit(//home/u/other/a.ts)"],
    ]);
    const links = { "/home/u/proj/l": "/etc" };
    expect(offered("Write", { file_path: "l/a" }, { links }).map(([, ...rules]) => rules)).toEqual([
      ["Edit(//home/u/proj/l/a)", "Edit(//etc/a)"],
    ]);
  });

  test("a read outside the workspace: the file and its folder, but no folder of secrets, of the system, or home", () => {
    expect(offered("Read", { file_path: "/srv/lib/src/a.c" })).toEqual([
      ["Allow reading /srv/lib/src/a.c [session always]", "Read(//srv/lib/src/a.c)"],
      ["Allow reading every file in /srv/lib/src [session always]", "Read(//srv/lib/src/**)"],
    ]);
    const paths = [
      "/etc/hosts",
      "~/.ssh/config",
      "~/a.txt",
      "/home/x",
      "/a",
      "/proc/1/environ",
      "~/.aws/x/y",
      "/srv/a",
    ];
    expect(paths.filter((file_path) => offered("Read", { file_path }).length !== 1)).toEqual([]);
    expect(offered("Grep", { pattern: "x", path: "/srv/lib" })).toEqual([
      ["Allow reading /srv/lib [session always]", "Read(//srv/lib)"],
      ["Allow reading every file in /srv/lib [session always]", "Read(//srv/lib)", "Read(//srv/lib/**)"],
    ]);
  });

  test("hosts, servers and other tools", () => {
    expect(offered("WebFetch", { url: "https://a.test/x" })).toEqual([
      ["Allow fetching pages from a.test [session always]", "WebFetch(domain:a.test)"],
    ]);
    expect(offered("mcp__a__b", {})).toEqual([
      ["Allow the tool b of the MCP server a [session always]", "mcp__a__b"],
      ["Allow every tool of the MCP server a [session]", "mcp__a"],
    ]);
    expect(offered("WebSearch", { query: "x" })).toEqual([
      ["Allow every use of WebSearch [session always]", "WebSearch"],
    ]);
    for (const [tool, input] of [
      ["Write", { file_path: ".git/config" }],
      ["WebFetch", { url: "nonsense" }],
      ["Read", {}],
      ["Agent", { subagent_type: "Explore" }],
    ] as const)
      expect(offered(tool, input)).toEqual([]);
  });
});
