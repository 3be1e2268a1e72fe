import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorText, messageOf, toText } from "./serialise.ts";

/** Throws whatever is done with it. */
function untouchable(): object {
  const trap = (): never => {
    throw new Error("hands off");
  };
  return new Proxy({}, new Proxy({}, { get: () => trap }));
}

function nested(depth: number): unknown {
  let value: unknown = "bottom";
  for (let at = 0; at < depth; at++) value = { in: value };
  return value;
}

function circle(): object {
  const value: Record<string, unknown> = { name: "circle" };
  value["self"] = value;
  value["list"] = [value];
  return value;
}

class ThrowingToJson {
  toJSON(): never {
    throw new Error("not today");
  }
}

describe("Any value as text (C12)", () => {
  test.each<[string, unknown, string]>([
    ["a string", "as it is", "as it is"],
    ["undefined", undefined, ""],
    ["null", null, "null"],
    ["a number", 1.5, "1.5"],
    ["a boolean", false, "false"],
    ["a big integer", 12345678901234567890n, "12345678901234567890"],
    ["a symbol", Symbol("mark"), "Symbol(mark)"],
    ["a function", () => {}, "[function]"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["an invalid date", new Date(Number.NaN), "null"],
    [
      "a map",
      new Map<unknown, unknown>([
        ["a", 1],
        [2, new Map([["b", 3n]])],
      ]),
      '[["a",1],[2,{"b":"3"}]]',
    ],
    ["a set", new Set([1, "b", new Set([3])]), '[1,"b",[3]]'],
    ["an error", { problem: new RangeError("too far") }, '{"problem":"too far"}'],
    [
      "values that JSON has no form for",
      [undefined, () => {}, Symbol("s"), 1n],
      '[null,"[function]","Symbol(s)","1"]',
    ],
    ["a circle", circle(), '{"name":"circle","self":"[circular]","list":["[circular]"]}'],
    [
      "a class with a toJSON that throws",
      { a: 1, b: new ThrowingToJson() },
      '{"a":1,"b":"[unreadable: not today]"}',
    ],
    ["a proxy that throws on everything", [untouchable(), 1], '["[unreadable: hands off]",1]'],
    ["binary data", { bytes: Buffer.from([1, 2, 3]) }, '{"bytes":"[binary data, 3 bytes]"}'],
    ["a typed array", new Float64Array(4), "[binary data, 32 bytes]"],
    ["a buffer of bytes", new ArrayBuffer(7), "[binary data, 7 bytes]"],
    ["a key that is special to objects", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ["no prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ])("A model can read %s as text", (_, value, text) => {
    expect(toText(value)).toBe(text);
  });

  test("A getter that throws loses only its own value", () => {
    const value = {
      before: 1,
      get bad(): number {
        throw new TypeError("no getting");
      },
      after: 2,
    };
    expect(toText(value)).toBe('{"before":1,"bad":"[unreadable: no getting]","after":2}');
  });

  test("The same object twice is not a cycle", () => {
    const shared = { a: 1 };
    expect(toText([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  test("A map that is its own key is a cycle", () => {
    // Reading it without end would hang this test, so the map gives up after a few rounds.
    let rounds = 0;
    class Patient extends Map<unknown, unknown> {
      override [Symbol.iterator](): MapIterator<[unknown, unknown]> {
        if (++rounds > 5) throw new Error("read without end");
        return super[Symbol.iterator]();
      }
    }
    const map = new Patient();
    map.set(map, 1);
    expect(toText(map)).toBe('[["[circular]",1]]');
  });

  test("The result of toJSON is used, as in JSON", () => {
    const itself = { a: 1, toJSON: () => ({ a: 2, toJSON: () => "not asked" }) };
    expect(toText(itself)).toBe('{"a":2,"toJSON":"[function]"}');
  });

  test("Values that are nested too deep or never end are left out", () => {
    expect(toText(nested(10_000))).toBe(
      `${'{"in":'.repeat(64)}"[left out: nested too deep]"${"}".repeat(64)}`,
    );
    const endless = { toJSON: () => ({ ...endless }) };
    expect(toText(endless).length).toBeLessThan(10_000);
  });

  test("A value with too many members is cut and is still JSON", () => {
    let wide: unknown = { leaf: true };
    for (let at = 0; at < 40; at++) wide = [wide, wide];
    const text = toText(wide);
    expect(text.length).toBeLessThan(10_000_000);
    expect(() => JSON.parse(text)).not.toThrow();
    expect(JSON.parse(toText(Array.from({ length: 300_000 }, () => 1)))).toHaveLength(199_999);
  });

  test("JSON values become well-formed JSON, the same each time", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = toText(value);
        if (typeof value !== "string") expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(toText(value)).toBe(text);
      }),
    );
  });

  test("Nothing makes it throw", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
    });
    fc.assert(fc.property(anything, (value) => typeof toText(value) === "string"));
  });
});

describe("Thrown values as text (C01)", () => {
  test.each<[string, unknown, string]>([
    ["an error", new Error("it broke"), "it broke"],
    ["an error without words", new RangeError(), "RangeError"],
    ["a string", "just words", "just words"],
    ["undefined", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("why"), "Symbol(why)"],
    ["a frozen object", Object.freeze({ code: 7 }), '{"code":7}'],
    ["a proxy that throws on everything", untouchable(), "an error that cannot be shown was thrown"],
    ["an object without a prototype", Object.create(null), "{}"],
    ["an error of another realm", runInNewContext("new Error('from afar')"), "from afar"],
  ])("A tool can throw %s, and it is reported as text", (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
    expect(errorText(thrown).split("\n")[0]).toBe(`Error: ${message}`);
  });

  test.each<[string, unknown]>([
    ["an object", { code: 1 }],
    ["a symbol", Symbol("s")],
    ["an object without a prototype", Object.create(null)],
    ["a proxy that throws on everything", untouchable()],
    ["a number", 42],
  ])("An error whose message is %s is still reported as text", (_, message) => {
    const error = Object.assign(new Error("before"), { message });
    expect(typeof messageOf(error)).toBe("string");
    expect(errorText(error)).toMatch(/^Error: ./);
  });

  test("Getters of an error that throw do no harm", () => {
    const error = new Error("x");
    for (const name of ["stack", "name", "message"]) {
      Object.defineProperty(error, name, {
        get() {
          throw new Error("again");
        },
      });
    }
    expect(errorText(error)).toBe("Error: an error that cannot be shown was thrown");
  });

  test("The stack is shortened to its first lines, without Node internals", () => {
    const error = new Error("deep");
    const frames = Array.from({ length: 20 }, (_, at) => `    at step${at} (/repo/file.ts:${at}:1)`);
    error.stack = ["Error: deep", "    at run (node:internal/process:1:1)", ...frames].join("\n");
    expect(errorText(error)).toBe(["Error: deep", ...frames.slice(0, 5)].join("\n"));
    error.stack = 7 as never;
    expect(errorText(error)).toBe("Error: deep");
  });

  test("Unpaired surrogates in an error text are replaced, because model APIs reject them", () => {
    expect(messageOf(new Error("cut \ud83d"))).toBe("cut \ufffd");
    expect(messageOf("cut \ud83d")).toBe("cut \ufffd");
    expect(errorText(new Error("cut \ud83d")).isWellFormed()).toBe(true);
  });
});
