import { expect, test } from "vitest";
import { toolChoice } from "./chosen-tools.ts";

const ALL = ["Bash", "Read", "Edit", "TaskCreate", "TaskList", "mcp__a__one", "mcp__a__two", "mcp__b__one"];

const chosen = (tools: readonly string[] | undefined, permissionPromptTool?: string): string[] => {
  const isChosen = toolChoice({
    ...(tools === undefined ? {} : { tools }),
    ...(permissionPromptTool === undefined ? {} : { permissionPromptTool }),
  });
  return ALL.filter((name) => isChosen({ name }));
};
const SERVERS = ["mcp__a__one", "mcp__a__two", "mcp__b__one"];

test("a list chooses built-in tools, also by older names, and leaves the tools of MCP servers", () => {
  expect(chosen(undefined)).toEqual(ALL);
  expect(chosen([])).toEqual(SERVERS);
  expect(chosen(["default"])).toEqual(ALL);
  expect(chosen(["Read", "FileEdit"])).toEqual(["Read", "Edit", ...SERVERS]);
  expect(chosen(["TodoWrite"])).toEqual(["TaskCreate", "TaskList", ...SERVERS]);
});

test("a list that names tools of MCP servers chooses among these, too", () => {
  expect(chosen(["Read", "mcp__a__two"])).toEqual(["Read", "mcp__a__two"]);
  expect(chosen(["default", "mcp__a"])).toEqual([...ALL.slice(0, 5), "mcp__a__one", "mcp__a__two"]);
});

test("the tool that answers permission questions is never offered, and a rule is refused", () => {
  expect(chosen(undefined, "mcp__a__one")).not.toContain("mcp__a__one");
  expect(() => chosen(["Bash(git log:*)"])).toThrow(/takes names of tools, got Bash\(git log:\*\)/);
});
