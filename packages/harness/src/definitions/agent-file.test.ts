import { describe, expect, test } from "vitest";
import { agentIn } from "./agent-file.ts";

const read = (head: string) => agentIn(`---\nname: x\ndescription: d\n${head}\n---\nText`, "/a/x.md");
const words = (head: string): string[] => read(head).problems.map(({ message }) => message);

describe("class 2: restrictions of sub-agents are not dropped", () => {
  const lists: readonly (readonly [head: string, tools: readonly string[] | undefined])[] = [
    ["tools: Read, Grep # no Bash", ["Read", "Grep"]],
    ['tools: ["Read", "Bash(git log:*, -n)"]', ["Read", "Bash(git log:*, -n)"]],
    ["tools:\n  - Read\n  - Agent(worker, helper)", ["Read", "Agent(worker, helper)"]],
    ["tools: Read Grep Bash(git status:*)", ["Read", "Grep", "Bash(git status:*)"]],
    ["tools: Bash(git add:*), mcp__github, mcp__db__*", ["Bash(git add:*)", "mcp__github", "mcp__db__*"]],
    ["tools: '*'", undefined],
    ["tools: All tools", undefined],
    ["tools: Glob (no writing)", ["Glob"]],
    ["tools: []", []],
    ["allowed-tools: Read", ["Read"]],
  ];
  test.each(lists)("%s", (head, tools) => {
    expect(read(head).agent?.tools).toEqual(tools);
  });

  test("all other fields", () => {
    const head =
      "disallowedTools: Write, Bash(rm *)\npermissionMode: plan\nmaxTurns: 7\nmodel: haiku\neffort: high\n" +
      "skills: a, b\nmcpServers: [db]\nmemory: project\nisolation: worktree\nbackground: true\ncolor: red\n" +
      "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ./x";
    expect(words(head)).toEqual([]);
    expect(read(head)).toMatchObject({
      agent: {
        disallowedTools: ["Write", "Bash(rm *)"],
        permissionMode: "plan",
        maxTurns: 7,
        model: "haiku",
        effort: "high",
        skills: ["a", "b"],
        mcpServers: ["db"],
        memory: "project",
        isolation: "worktree",
        background: true,
        color: "red",
        hooks: { Stop: [{ hooks: [{ type: "command", command: "./x" }] }] },
      },
    });
  });

  test.each([
    "permissionMode: strict",
    "disalowedTools: Bash",
    "tool: Read",
    "tools: Read\ntools: Bash",
    "maxTurns: many",
    "description: x\n\n? disallowedTools Bash",
  ])("a restriction that cannot be read makes the file unusable: %s", (head) => {
    const { agent, problems } = read(head);
    if (head.startsWith("description")) expect(problems.length).toBeGreaterThan(0);
    else expect([agent, problems.at(-1)?.severity]).toEqual([undefined, "error"]);
  });

  test("front matter without an end makes the file unusable", () => {
    expect(agentIn("---\nname: x\ntools: Read\n\nText", "/a/x.md").agent).toBeUndefined();
  });

  test("a file cannot turn questions off", () => {
    expect(read("permissionMode: bypassPermissions").agent?.permissionMode).toBeUndefined();
    expect(words("permissionMode: bypassPermissions")[0]).toContain("has no effect in a file");
  });

  test("what has no effect is always said, and near spellings are suggested", () => {
    expect(words("nickname: Bob")).toEqual(["/a/x.md: `nickname` is not a known field and has no effect"]);
    expect(words("colour: red")[0]).toContain('Did you mean "color"?');
    expect(words("max_turns: 3")).toEqual(["/a/x.md: `max_turns` is read as `maxTurns`"]);
  });
});

test("lines that cannot be read are said once for a file, with their number", () => {
  const problemsOf = (lines: string): string[] =>
    agentIn(`---\n${lines}\nname: x\ndescription: d\n---\nText`, "/a/x.md").problems.map(
      ({ message }) => message,
    );
  expect(problemsOf("**Bold**")).toEqual([
    "/a/x.md: this line of the front matter is not understood: **Bold**",
  ]);
  expect(problemsOf("**Bold**\n```\n**End**")).toEqual([
    "/a/x.md: 3 lines of the front matter are not understood, first: **Bold**",
  ]);
});
