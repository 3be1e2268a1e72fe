import { expect, test } from "vitest";
import { serverPart, toolNames } from "./names.ts";

test("a server's part cannot reach into another's names", () => {
  expect(["github", "a__b", "_a_", "my server!", "", "ü", "x".repeat(50)].map(serverPart)).toEqual([
    "github",
    "a_b",
    "a",
    "my_server",
    "-e3b0c442",
    "-607474ca",
    `${"x".repeat(23)}-77cf1206`,
  ]);
});

test("every tool has one name that APIs accept, of at most 64 characters, and a valid name is kept", () => {
  const tools = ["get.it", "get_it", "get it", "y".repeat(80), "list"];
  const names = toolNames("s", tools);
  expect(names.get("get_it")).toEqual({ name: "mcp__s__get_it", isOther: false });
  expect(names.get("list")).toEqual({ name: "mcp__s__list", isOther: false });
  const all = tools.map((tool) => names.get(tool)?.name ?? "");
  expect(new Set(all).size).toBe(tools.length);
  expect(all.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(toolNames("s", tools.toReversed())).toEqual(names);
});
