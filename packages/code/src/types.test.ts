import { type AnyTool, defineTool } from "@runahead/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { toolTypes } from "./types.ts";

const tool = (members: object): AnyTool =>
  ({ name: "Tool", description: "", call: () => "", ...members }) as unknown as AnyTool;
const plain = (inputSchema: object): string => toolTypes([tool({ inputSchema })]);

test("the input of a tool is written as TypeScript, with what its schema says", () => {
  const search = defineTool({
    name: "Search",
    description: "Searches.\nSlowly.",
    inputSchema: z.object({
      query: z.string().describe("What to look for"),
      limit: z.int().optional(),
      mode: z.enum(["exact", "near"]),
      tags: z.array(z.union([z.string(), z.number()])),
      point: z.tuple([z.number(), z.number()]).nullable(),
      more: z.record(z.string(), z.boolean()),
      nested: z.object({ "odd-name": z.literal(7) }),
    }),
    toResult: () => "",
    call: () => "",
  });
  expect(toolTypes([search as AnyTool])).toBe(
    `declare const tools: {
  /** Searches. Slowly. */
  Search(input: {
    /** What to look for */
    query: string;
    limit?: number;
    mode: "exact" | "near";
    tags: (string | number)[];
    point: [number, number] | null;
    more: Record<string, boolean>;
    nested: {
      "odd-name": 7;
    };
  }): Promise<string>;
};`,
  );
});

test("names that are not identifiers are quoted, and a tool without required input can be called without one", () => {
  const text = toolTypes([tool({ name: "mcp__a-b__do", inputSchema: { type: "object", properties: {} } })]);
  expect(text).toContain('  "mcp__a-b__do"(input?: Record<string, unknown>): Promise<unknown>;');
});

test("references are followed, and a schema that contains itself ends", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "string" } } };
  const text = plain({ type: "object", properties: { first: { $ref: "#/$defs/node" } }, $defs: { node } });
  expect(text).toContain("next?: unknown;");
  expect(text).toContain("value?: string;");
  expect(plain({ type: "object", properties: { x: { $ref: "#/nowhere" } } })).toContain("x?: unknown;");
});

test("what a description says cannot leave its comment", () => {
  const text = toolTypes([
    tool({ description: "*/ evil(): void; /*", inputSchema: { type: "object", properties: {} } }),
  ]);
  expect(text).toContain("/** * / evil(): void; /* */");
});

test("unions, intersections, constants and schemas without a type", () => {
  const of = (schema: object): string =>
    /x\?: (.*);/.exec(plain({ type: "object", properties: { x: schema } }))?.[1] ?? "";
  expect(of({ anyOf: [{ type: "string" }, { type: "null" }] })).toBe("string | null");
  expect(of({ type: ["string", "integer"] })).toBe("string | number");
  expect(of({ allOf: [{ type: "string" }, { anyOf: [{ const: "a" }, { const: "b" }] }] })).toBe(
    'string & ("a" | "b")',
  );
  expect(of({ const: null })).toBe("null");
  expect(of({})).toBe("unknown");
  expect(of({ items: { type: "number" } })).toBe("number[]");
  expect(of({ type: "object", additionalProperties: false })).toBe("{}");
});
