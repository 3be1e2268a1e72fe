import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toWellFormed } from "./well-formed.ts";

describe("Well-formed input", () => {
  test("If nothing changes, it is the same object", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => Object.is(toWellFormed(value), value)));
  });

  test("Every string and every key is well-formed, and the rest is unchanged", () => {
    const input = { ["a\ud800"]: ["x\udc00", { deep: "\ud83d" }], fine: "😀", number: 1, none: null };
    expect(toWellFormed(input)).toEqual({
      ["a\ufffd"]: ["x\ufffd", { deep: "\ufffd" }],
      fine: "😀",
      number: 1,
      none: null,
    });
  });

  test("The input itself is not changed", () => {
    const input = Object.freeze({ kept: Object.freeze({ a: [1, "😀"] }), bad: "\ud800" });
    expect(toWellFormed(input)).toEqual({ kept: { a: [1, "😀"] }, bad: "\ufffd" });
    expect(input.bad).toBe("\ud800");
  });

  test("A key such as __proto__ stays a key", () => {
    const input = JSON.parse('{"__proto__":{"admin":true},"text":"\\ud800"}');
    const result = toWellFormed(input) as Record<string, unknown>;
    expect(JSON.stringify(result)).toBe('{"__proto__":{"admin":true},"text":"\ufffd"}');
    expect([Object.getPrototypeOf(result) === Object.prototype, result["admin"]]).toEqual([true, undefined]);
  });

  test("Random input is well-formed everywhere", () => {
    const anyText = fc.string({ unit: fc.constantFrom("a", "😀", "\ud83d", "\ude00", "é") });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        anyText,
        fc.integer(),
        fc.array(tie("value")),
        fc.dictionary(anyText, tie("value")),
      ),
    }));
    fc.assert(fc.property(value, (input) => !/\\ud[89a-f]/i.test(JSON.stringify(toWellFormed(input)))));
  });
});
