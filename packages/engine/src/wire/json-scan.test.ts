import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt } from "../../test/support/wire.ts";
import { JsonScan } from "./json-scan.ts";

function scanOf(...chunks: string[]): JsonScan {
  const scan = new JsonScan();
  for (const chunk of chunks) scan.push(chunk);
  return scan;
}

describe("the preview of incomplete JSON", () => {
  const cases: [text: string, preview: unknown][] = [
    ["", {}],
    ["  \n", {}],
    ["{", {}],
    ['{"pa', {}],
    ['{"path"', {}],
    ['{"path":', {}],
    ['{"path":"', { path: "" }],
    ['{"path":"src/a', { path: "src/a" }],
    ['{"path":"a\\', { path: "a" }],
    ['{"path":"a\\n', { path: "a\n" }],
    ['{"path":"a\\u', { path: "a" }],
    ['{"path":"a\\u12', { path: "a" }],
    ['{"path":"a\\u0041', { path: "aA" }],
    ['{"path":"a\\"', { path: 'a"' }],
    ['{"path":"a\\\\"', { path: "a\\" }],
    ['{"path":"a"', { path: "a" }],
    ['{"path":"a",', { path: "a" }],
    ['{"path":"a","li', { path: "a" }],
    ['{"path":"a","limit":', { path: "a" }],
    ['{"limit":-', {}],
    ['{"limit":1', { limit: 1 }],
    ['{"limit":1.', { limit: 1 }],
    ['{"limit":1.5', { limit: 1.5 }],
    ['{"limit":1e', { limit: 1 }],
    ['{"limit":1e+', { limit: 1 }],
    ['{"limit":1e2', { limit: 100 }],
    ['{"deep":tru', { deep: true }],
    ['{"deep":f', { deep: false }],
    ['{"deep":nul', { deep: null }],
    ['{"deep":[', { deep: [] }],
    ['{"deep":[1,', { deep: [1] }],
    ['{"deep":[1, {"a":[[2', { deep: [1, { a: [[2]] }] }],
    ['{"deep":["x","y', { deep: ["x", "y"] }],
    ['{"a":{"b":1},"c":"}]', { a: { b: 1 }, c: "}]" }],
    ['["a",', ["a"]],
    ['{"a":1} and more', { a: 1 }],
    ["not json", {}],
    ['{"a":[1}', { a: [1] }],
    ['{"a":1]', { a: 1 }],
    ["]", {}],
  ];
  test.each(cases)("%j", (text, preview) => {
    expect(scanOf(text).preview()).toEqual(preview);
    expect(scanOf(...text).preview()).toEqual(preview);
  });
});

test("A text is closed when its object or list is, and not by a bracket inside a string", () => {
  expect(scanOf('{"a":"}"').closed).toBe(false);
  expect(scanOf('{"a":"\\"}').closed).toBe(false);
  expect(scanOf('{"a":"}"}').closed).toBe(true);
  expect(scanOf(' [1,{"b":[]}] ').closed).toBe(true);
  expect(scanOf('"text"').closed).toBe(false);
  expect(scanOf('{"a":[1}').closed).toBe(false);
  expect(scanOf("").closed).toBe(false);
});

test("Length, emptiness and text are those of the whole input", () => {
  const scan = scanOf(" ", "", "\n");
  expect([scan.length, scan.isEmpty, scan.text()]).toEqual([2, true, " \n"]);
  scan.push("{}");
  expect([scan.length, scan.isEmpty, scan.text()]).toEqual([4, false, " \n{}"]);
});

test("A01: any JSON object, cut anywhere, is closed exactly at its end and never throws on the way", () => {
  const anyCuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), anyCuts, (value, cuts) => {
      const text = JSON.stringify(value);
      const scan = new JsonScan();
      let length = 0;
      for (const chunk of cutAt(text, cuts)) {
        scan.push(chunk);
        length += chunk.length;
        scan.preview();
        expect(scan.closed).toBe(length === text.length);
      }
      expect(scan.preview()).toEqual(JSON.parse(text));
    }),
  );
});

test("Every beginning of a JSON text has a preview with the complete members", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
      const text = JSON.stringify(value);
      const names = Object.keys(JSON.parse(text) as object);
      for (let end = 1; end <= text.length; end += 1) {
        const preview = scanOf(text.slice(0, end)).preview() as object;
        expect(names.slice(0, Object.keys(preview).length)).toEqual(Object.keys(preview));
      }
    }),
  );
});

test("Text that is not JSON never throws", () => {
  const junk = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u1-.etrufalsn ') });
  fc.assert(
    fc.property(junk, (text) => {
      const scan = scanOf(...text);
      scan.preview();
      expect(typeof scan.closed).toBe("boolean");
    }),
    { numRuns: 2000 },
  );
});

test("Very deep nesting does not overflow", () => {
  const scan = scanOf("[".repeat(200_000), '{"a":');
  expect(Array.isArray(scan.preview())).toBe(true);
});

test("A megabyte in pieces of 20 characters, checked after each piece, takes linear time", () => {
  const text = JSON.stringify({ content: "x".repeat(1_000_000) });
  const before = process.cpuUsage();
  const scan = new JsonScan();
  let closings = 0;
  for (let at = 0; at < text.length; at += 20) {
    scan.push(text.slice(at, at + 20));
    if (scan.closed) closings += 1;
  }
  expect(closings).toBe(1);
  expect(scan.text()).toBe(text);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});
