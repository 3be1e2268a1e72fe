import { expect, test } from "vitest";
import { fromJson, toJson } from "./json.ts";

test("values that JSON can represent survive the round trip", () => {
  for (const value of [undefined, null, 0, "ä\u2028", [1, [2]], { a: { b: true } }])
    expect(fromJson(toJson(value))).toEqual(value);
});

test("values that JSON would change silently are refused by name", () => {
  const refused = (value: unknown): string => {
    try {
      return toJson(value);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect([
    refused({ a: new Map() }),
    refused([new Set()]),
    refused({ bytes: Buffer.from("x") }),
    refused(new ArrayBuffer(1)),
    refused({ deep: [{ big: 1n }] }),
    refused({ f: () => 1 }),
  ]).toEqual([
    "`a` is a Map, which JSON cannot represent",
    "`0` is a Set, which JSON cannot represent",
    "`bytes` is binary data, which JSON cannot represent",
    "it is binary data, which JSON cannot represent",
    "`big` is a bigint, which JSON cannot represent",
    "`f` is a function, which JSON cannot represent",
  ]);
});
