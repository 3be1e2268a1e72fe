import { type AnyTool, type Verdict, defineTool } from "@runahead/engine";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ToolLimits } from "./tool-limits.ts";

const ALLOW: Verdict = { behavior: "allow" };

function tool(name: string): AnyTool {
  return defineTool({ name, description: name, inputSchema: z.object({}).loose(), call: () => "" });
}

function judged(
  lists: { tools?: string[]; disallowedTools?: string[] },
  name: string,
  input: object,
): string {
  const judge = new ToolLimits(lists).judging(() => ALLOW);
  const context = { context: { cwd: "/repo" }, callId: "1", signal: AbortSignal.abort() };
  return (judge(tool(name), input, context as never) as Verdict).behavior;
}

describe("class 2: the tools of a sub-agent", () => {
  const offered: readonly (readonly [
    tools: string[] | undefined,
    denied: string[],
    name: string,
    is: boolean,
  ])[] = [
    [undefined, [], "Bash", true],
    [["Read"], [], "Bash", false],
    [["Bash(git log:*)"], [], "Bash", true],
    [["mcp__db"], [], "mcp__db__query", true],
    [["mcp__db"], [], "mcp__dbx__query", false],
    [["mcp__db"], [], "mcp__db2", false],
    [["mcp__db__*"], [], "mcp__db__query", true],
    [["mcp__db__get*"], [], "mcp__db__put", false],
    [["mcp__db__query"], [], "mcp__db__query_all", false],
    [undefined, ["Bash"], "Bash", false],
    [undefined, ["Bash(*)"], "Bash", false],
    [undefined, ["Bash(rm *)"], "Bash", true],
    [undefined, ["mcp__db"], "mcp__db__query", false],
    [undefined, ["mcp__*"], "mcp__db__query", false],
    [["Read", "Write"], ["Write"], "Write", false],
    [["Task"], [], "Agent", true],
    [["Agent(worker)"], [], "Agent", true],
    [["MultiEdit"], [], "Edit", true],
    [["LS"], [], "Glob", true],
    [[], [], "Read", false],
  ];
  test.each(offered)("tools %j without %j: %s is offered: %s", (tools, disallowedTools, name, is) => {
    const lists = { ...(tools === undefined ? {} : { tools }), disallowedTools };
    expect(new ToolLimits(lists).offers({ name })).toBe(is);
  });

  test("Agent(…) names the sub-agents that can be started", () => {
    const limits = new ToolLimits({ tools: ["Agent(worker, helper)"], disallowedTools: ["Task(helper)"] });
    expect(["worker", "helper", "general-purpose"].map((type) => limits.canStart(type))).toEqual([
      true,
      false,
      false,
    ]);
  });

  const calls: readonly (readonly [lists: object, name: string, input: object, behavior: string])[] = [
    [{ tools: ["Bash(git log:*)"] }, "Bash", { command: "git log -3" }, "allow"],
    [{ tools: ["Bash(git log:*)"] }, "Bash", { command: "git push" }, "deny"],
    [{ tools: ["Bash(git log:*)"] }, "Bash", { command: "cat secret" }, "deny"],
    [{ tools: ["Bash(git log:*)"] }, "Bash", { command: "git log; git push" }, "deny"],
    [{ tools: ["Bash(git log:*)"] }, "Bash", { command: "git log $(git push)" }, "deny"],
    [{ tools: ["Bash(git log:*)", "Bash"] }, "Bash", { command: "git push" }, "allow"],
    [{ disallowedTools: ["Bash(rm *)"] }, "Bash", { command: "rm -r x" }, "deny"],
    [{ disallowedTools: ["Bash(rm *)"] }, "Bash", { command: "ls && env rm -r x" }, "deny"],
    [{ disallowedTools: ["Bash(rm *)"] }, "Bash", { command: "ls" }, "allow"],
    [{ disallowedTools: ["Bash(rm *)"] }, "Bash", { command: "$CMD -r x" }, "ask"],
    [{ tools: ["Write(docs/**)"] }, "Write", { file_path: "/repo/docs/a.md", content: "" }, "allow"],
    [{ tools: ["Write(docs/**)"] }, "Write", { file_path: "/repo/src/a.ts", content: "" }, "deny"],
    [{ tools: ["Read(docs/**)"] }, "Read", { file_path: "/repo/src/a.ts" }, "deny"],
    [{ disallowedTools: ["Edit(src/**)"] }, "Edit", { file_path: "/repo/src/a.ts" }, "deny"],
    [{ tools: ["WebFetch(domain:a.com)"] }, "WebFetch", { url: "https://b.com" }, "deny"],
    [{ tools: ["WebFetch(domain:a.com)"] }, "WebFetch", { url: "https://a.com" }, "allow"],
  ];
  test.each(calls)("%j: %s %j is judged %s", (lists, name, input, behavior) => {
    expect(judged(lists, name, input)).toBe(behavior);
  });

  test("the limits never allow what the caller's judge denies or asks about", () => {
    const context = { context: { cwd: "/repo" } } as never;
    for (const behavior of ["ask", "deny"] as const) {
      const judge = new ToolLimits({ tools: ["Bash(git log:*)"] }).judging(() => ({ behavior }));
      expect(judge(tool("Bash"), { command: "git log" }, context)).toEqual({ behavior });
    }
  });
});
