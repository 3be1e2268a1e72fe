import { describe, expect, test } from "vitest";
import { permissionsOf } from "../../test/permissions-of.ts";
import { createPermissions, permissionsFrom } from "../verdict/permissions.ts";

const read = (path: unknown): [string, unknown] => ["Read", { file_path: path }];
const edit = (path: unknown): [string, unknown] => [
  "Edit",
  { file_path: path, old_string: "a", new_string: "b" },
];
describe("modes", () => {
  test("other names of modes", () => {
    const modes = ["ask", "manual", "deny", "allow", "accept_edits", "auto"].map(
      (mode) => permissionsOf({ mode }).mode,
    );
    expect(modes).toEqual(["default", "default", "dontAsk", "bypassPermissions", "acceptEdits", "auto"]);
    expect(permissionsOf({ mode: "auto" }).warnings).toEqual([]);
  });
});

describe("settings", () => {
  test("a file cannot declare itself trusted, and the user's own rules apply in every folder", () => {
    const verdict = (settings: object): string =>
      permissionsFrom({ settings, cwd: "/p", home: "/h", trusted: false, realpath: (path) => path }).decide(
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

  test("an untrusted folder cannot select the mode", () => {
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

  test("an invalid entry is ignored with a warning, and the rest applies", () => {
    const permissions = permissionsFrom({
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
    expect(permissions.warnings).toContain("project: deny rule Nope: no tool has this name.");
    expect(permissions.warnings).toContain(
      "project: allow rule * is ignored: an allow rule can use a wildcard in the tool name only after mcp__server__.",
    );
    expect(permissions.warnings).toContain(
      "project: allow rule Write(a) is ignored: use Edit(path) for paths.",
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

test("a restriction for a misspelled tool is said with the nearest name", () => {
  const { warnings } = createPermissions({
    settings: { deny: ["Raed"], ask: ["Skil(x)"], rulesFrom: "user" },
    cwd: "/p",
  });
  expect(warnings).toEqual([
    'user: deny rule Raed: no tool has this name. Did you mean "Read"?',
    'user: ask rule Skil(x): no tool has this name. Did you mean "Skill"?',
  ]);
});
