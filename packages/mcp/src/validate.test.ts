import { expect, test } from "vitest";
import { schemaFault, validateJsonSchema } from "./validate.ts";

test("each wrong field is named by its path", () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      name: {},
      "a/b": { type: "number" },
      list: { type: "array", prefixItems: [{ type: "string" }] },
      kind: { enum: ["x", "y"] },
    },
    required: ["name"],
    additionalProperties: false,
  };
  expect(validateJsonSchema(schema, { "a/b": "1", list: [1], kind: "z", more: 1 })).toEqual([
    { path: ["name"], message: "is required" },
    { path: ["more"], message: "is not a known field" },
    { path: ["a/b"], message: "must be number" },
    { path: ["list", "0"], message: "must be string" },
    { path: ["kind"], message: 'must be one of ["x","y"]' },
  ]);
  expect(validateJsonSchema(schema, { name: "n", list: ["x"] })).toBeUndefined();
});

test("schemas of draft 07 mean what they meant then", () => {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } },
  };
  expect(schemaFault(schema)).toBeUndefined();
  expect(validateJsonSchema(schema, { pair: ["a", "b"] })).toEqual([
    { path: ["pair", "1"], message: "must be number" },
  ]);
});

test("two schemas with the same id do not conflict, and unknown formats are ignored", () => {
  const schema = (type: string) => ({
    $id: "https://x/y",
    type: "object",
    properties: { a: { type, format: "odd" } },
  });
  expect(validateJsonSchema(schema("string"), { a: "x" })).toBeUndefined();
  expect(validateJsonSchema(schema("number"), { a: "x" })).toEqual([
    { path: ["a"], message: "must be number" },
  ]);
});

test("a schema that cannot be compiled checks nothing, and an invalid schema is detected", () => {
  const dangling = { type: "object", properties: { a: { $ref: "https://example.org/not-fetched.json" } } };
  expect([schemaFault(dangling), validateJsonSchema(dangling, { a: 1 })]).toEqual([undefined, undefined]);
  expect(schemaFault({ type: "objekt" })).toContain("type");
});
