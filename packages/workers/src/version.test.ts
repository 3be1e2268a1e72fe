import { type AnyTool, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { versionOf } from "./version.ts";

const tool = (inputSchema: unknown, name = "T"): AnyTool =>
  defineTool({ name, description: "", inputSchema, call: () => 0 });

test("a version depends on the name, the schema and the release", () => {
  const version = versionOf(tool(z.object({ a: z.string(), b: z.number() })), "1");
  expect(version).toMatch(/^[0-9a-f]{16}$/);
  expect(versionOf(tool(z.object({ a: z.string(), b: z.number() })), "1")).toBe(version);
  const others = [
    versionOf(tool(z.object({ a: z.string(), b: z.string() })), "1"),
    versionOf(tool(z.object({ a: z.string(), b: z.number() })), "2"),
    versionOf(tool(z.object({ a: z.string(), b: z.number() }), "U"), "1"),
  ];
  expect(new Set([version, ...others]).size).toBe(4);
});

test("the order of the members of a schema does not change the version", () => {
  const one = { type: "object", properties: { a: { type: "string" }, b: {} } };
  const other = { properties: { b: {}, a: { type: "string" } }, type: "object" };
  expect(versionOf(tool(one), "")).toBe(versionOf(tool(other), ""));
});
