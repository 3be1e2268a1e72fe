import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { permissionsOf } from "../../test/permissions-of.ts";
import { createPermissions, readOnlyCommand } from "./permissions.ts";

const folder = mkdtempSync(join(tmpdir(), "permissions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODES = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"];
const subsets = <Item>(items: readonly Item[]): Item[][] =>
  items.reduce<Item[][]>((all, item) => [...all, ...all.map((some) => [...some, item])], [[]]);

describe("no combination lets a deny or a protected write through", () => {
  const allows = subsets(["Bash", "Bash(rm:*)", "Bash(rm -rf x)", "Edit", "Read"]);
  const asks = subsets(["Bash(rm:*)", "Bash"]);
  const ordered = subsets([
    { tool: "Bash", action: "allow" as const },
    { tool: "Bash", pattern: "rm:*", action: "ask" as const },
  ]);

  test("D11: over all allows, asks, ordered lists and modes", () => {
    let combinations = 0;
    for (const mode of MODES)
      for (const allow of allows)
        for (const ask of asks)
          for (const rules of ordered) {
            const base = { mode, allow, ask, rules };
            const denying = permissionsOf({ ...base, deny: ["Bash(rm:*)", "Edit(/locked/**)"] });
            const free = permissionsOf(base);
            const verdicts = [
              denying.decide("Bash", { command: "rm -rf x" }).behavior,
              denying.decide("Bash", { command: "ls && sudo rm -rf x" }).behavior,
              denying.decide("Edit", { file_path: "/home/u/proj/locked/a" }).behavior,
              free.decide("Write", { file_path: "/home/u/proj/.git/hooks/a" }).behavior,
            ];
            const guarded = [
              free.decide("Bash", { command: "cp a .git/hooks/b" }).behavior,
              free.decide("Bash", { command: "rm -rf /" }).behavior,
              free.decide("Edit", { file_path: "/home/u/proj/.npmrc" }).behavior,
            ];
            if (new Set(verdicts).size !== 1 || verdicts[0] !== "deny" || guarded.includes("allow"))
              expect.fail(JSON.stringify({ base, verdicts, guarded }));
            combinations++;
          }
    expect(combinations).toBe(6 * 32 * 4 * 4);
  });

  test("D12: a changed input gets its own verdict", () => {
    const permissions = permissionsOf({ allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"] });
    const verdicts = ["ls", "rm a", "ls"].map((command) => permissions.decide("Bash", { command }).behavior);
    expect(verdicts).toEqual(["allow", "deny", "allow"]);
  });
});

describe("any input", () => {
  const permissions = permissionsOf({
    allow: ["Bash(echo:*)"],
    deny: ["Bash(rm:*)", "Read(.env)"],
    ask: ["Bash(git push:*)"],
  });
  const isVerdict = (tool: string, input: unknown): boolean => {
    const { behavior, reason } = permissions.decide(tool, input);
    permissions.choices(tool, input);
    permissions.isReadOnly(tool, input);
    return /^(?:allow|ask|deny)$/.test(behavior) && reason !== "";
  };

  test("of any form gets a verdict", () => {
    const tool = fc.oneof(
      fc.constantFrom(
        "Bash",
        "Read",
        "Edit",
        "Write",
        "Glob",
        "Grep",
        "WebFetch",
        "Agent",
        "mcp__a__b",
        "__proto__",
      ),
      fc.string(),
    );
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue());
    const field = fc.constantFrom(
      "command",
      "file_path",
      "path",
      "notebook_path",
      "url",
      "pattern",
      "subagent_type",
    );
    fc.assert(fc.property(tool, fc.oneof(fc.jsonValue(), fc.dictionary(field, value)), isVerdict), {
      numRuns: 500,
    });
  });

  test("of shell gets a verdict", () => {
    const token = fc.constantFrom(
      "$(",
      ")",
      "`",
      "'",
      '"',
      "\\",
      "\n",
      ";",
      "&",
      "|",
      "<",
      ">",
      "<<A",
      "A",
      "{",
      "}",
      "((",
      "))",
      "[[",
      "]]",
      "${",
      "a",
      "rm",
      "echo",
      " ",
      "*",
      "~",
      "=",
      "#",
      "!",
      "case",
      "esac",
      "if",
      "fi",
      "in",
      "do",
      "done",
      "for",
      "env",
      "sudo",
      "xargs",
      "sed",
      "s/a/b/e",
      "\0",
      "\r",
      "é",
      "🙂",
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) =>
        isVerdict("Bash", { command: tokens.join("") }),
      ),
      { numRuns: 1_000 },
    );
  });

  test("of any length and depth gets a verdict in time", { timeout: 60_000 }, () => {
    const long = [
      "{",
      '"$(',
      "a;",
      "a ",
      "$(",
      "((",
      "[[ ",
      "`",
      "a|",
      "<<A ",
      "env ",
      "sudo -z ",
      "{a,b}",
      "rm / ",
      "if ",
      "sh -c 'x' ",
      "xargs -z ",
      "a=$(",
      "watch ",
      "${a:-",
      "* ",
    ].map((part) => part.repeat(Math.floor(9_999 / part.length)));
    const allowed = long.filter((command) => permissions.decide("Bash", { command }).behavior === "allow");
    expect(allowed.map((command) => command.slice(0, 20))).toEqual([]);
    expect(permissions.decide("Bash", { command: `echo ${"a".repeat(10_000)}` })).toEqual({
      behavior: "ask",
      reason: "Cannot check the command: it is longer than 10000 characters.",
      by: { type: "unclear" },
    });
    expect(permissions.decide("Bash", { command: `echo ${"a".repeat(9_000)}` }).behavior).toBe("allow");
  });
});

test("links on disk are resolved, including broken ones", () => {
  mkdirSync(join(folder, "proj/src"), { recursive: true });
  mkdirSync(join(folder, "out"));
  writeFileSync(join(folder, "out/secret"), "x");
  symlinkSync(join(folder, "out"), join(folder, "proj/link"));
  symlinkSync(join(folder, "out/new"), join(folder, "proj/dangling"));
  symlinkSync("src", join(folder, "proj/inside"));
  symlinkSync("loop", join(folder, "proj/loop"));
  const permissions = createPermissions({
    settings: { mode: "acceptEdits" },
    cwd: join(folder, "proj"),
    home: folder,
  });
  const verdict = (path: string): string =>
    permissions.decide("Write", { file_path: join(folder, "proj", path), content: "" }).behavior;
  expect(
    ["a", "new/folder/a", "inside/a", "link/secret", "link/new/a", "dangling", "dangling/x"].map(verdict),
  ).toEqual(["allow", "allow", "allow", "ask", "ask", "ask", "ask"]);
});

test("after cd, relative paths are resolved in the new folder, and the workspace stays the same", () => {
  const permissions = permissionsOf({ deny: ["Read(/src/key)"] });
  const at = (cwd: string, command: string): string => permissions.decide("Bash", { command }, cwd).behavior;
  expect([
    at("/home/u/proj/src", "cat key"),
    at("/home/u/proj/src", "cat ../a"),
    at("/etc", "cat passwd"),
    at("/etc", "ls"),
    at("/etc", "echo x"),
    at("/home/u/proj", "ls"),
  ]).toEqual(["deny", "allow", "ask", "ask", "allow", "allow"]);
});

test("a search does not show files that must not be read", () => {
  const permissions = permissionsOf({ deny: ["Read(.env)", "Read(secrets/**)"] });
  expect(
    ["a", ".env", "x/.env", "secrets/a", "/home/u/proj/secrets/b"].map((path) => permissions.mayShow(path)),
  ).toEqual([true, false, false, false, false]);
});

test("commands that only read can run in parallel", () => {
  const yes = [
    "ls -la",
    "git status && git diff | head -5",
    "cat /etc/hosts",
    "grep -rn x src 2>/dev/null",
    "find . -name '*.ts' | wc -l",
    "cd src && ls",
    "NO_COLOR=1 rg x",
    "timeout 5 ls",
    "echo $(git log -1)",
  ];
  const no = [
    "npm test",
    "ls > a",
    "sed -i s/a/b/ c",
    "git commit",
    "sort -o a b",
    "find . -delete",
    "$X",
    "echo $(npm test)",
    "FOO=1 ls",
    "",
    "echo '",
    "git branch x",
    "git tag x",
    "git stash",
    "xargs ls",
    "cat a | tee b",
  ];
  expect([
    yes.filter((command) => !readOnlyCommand(command)),
    no.filter((command) => readOnlyCommand(command)),
  ]).toEqual([[], []]);
});

describe("readable folders", () => {
  const workspace = join(folder, "workspace");
  const output = join(folder, "output");
  mkdirSync(workspace);
  mkdirSync(output);
  writeFileSync(join(output, "1.out"), "");
  writeFileSync(join(folder, "secret"), "");
  symlinkSync("../secret", join(output, "link"));
  const decide = (tool: string, path: string, deny: readonly string[] = []): string =>
    createPermissions({
      settings: { deny },
      cwd: workspace,
      home: "/home/u",
      readableFolders: () => [output],
    }).decide(tool, { file_path: path, path, pattern: "x", content: "x" }).behavior;

  test("their files are read and searched without a question, and not written", () => {
    const verdicts = (["Read", "Grep", "Glob", "Write"] as const).map((tool) =>
      decide(tool, tool === "Read" || tool === "Write" ? join(output, "1.out") : output),
    );
    expect(verdicts).toEqual(["allow", "allow", "allow", "ask"]);
  });

  test("paths and links that lead out of them are asked about, and rules come first", () => {
    expect(
      [join(output, "link"), `${output}/../secret`, `${output}-2/a`, folder].map((path) =>
        decide("Read", path),
      ),
    ).toEqual(["ask", "ask", "ask", "ask"]);
    expect(decide("Read", join(output, "1.out"), ["Read"])).toBe("deny");
  });
});

test("arguments that are not text deny or refuse, and nothing throws", () => {
  const permissions = createPermissions({
    settings: { mode: "bypassPermissions", allow: ["Read"] },
    cwd: folder,
  });
  const odd: readonly unknown[] = [
    undefined,
    null,
    3,
    Number.NaN,
    true,
    {},
    [],
    Symbol("a"),
    () => 1,
    "",
    "\0",
    10n,
  ];
  for (const first of odd)
    for (const second of odd) {
      const [name, input, at] = [first as string, second, second as string];
      if (typeof first !== "string")
        expect(permissions.decide(name, input)).toMatchObject({ behavior: "deny", by: { type: "input" } });
      permissions.decide(name, input, at);
      permissions.choices(name, input, at);
      permissions.mayCheck(name, input, at);
      permissions.isHidden(name);
      permissions.isReadOnly(name, input);
      permissions.mayShow(name);
      for (const tool of ["Bash", "Read", "Edit", "WebFetch", "Agent", "mcp__a__b"]) {
        permissions.decide(tool, input, at);
        permissions.decide(tool, { command: first, file_path: second, url: first, path: first }, at);
        permissions.choices(tool, { command: first, file_path: second, url: first }, at);
        permissions.mayCheck(tool, { file_path: first }, at);
        permissions.isReadOnly(tool, { command: first });
      }
    }
});
