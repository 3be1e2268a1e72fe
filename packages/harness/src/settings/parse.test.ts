import { expect, test } from "vitest";
import { repeatedKeys, valueOf } from "./json.ts";
import { parseJson } from "./parse.ts";

const valueIn = (text: string): unknown => {
  const parsed = parseJson(text);
  return parsed.type === "parsed" ? valueOf(parsed.node) : `broken: ${parsed.why}`;
};

test("a syntax error is reported with line and column", () => {
  const places = {
    "": "line 1, column 1: expected a value, but the file ends here",
    '{\n  "a": 1,\n}': "line 2, column 9: trailing comma",
    '{"a": [1, 2': "line 1, column 12: expected a comma or ], but the file ends here",
    '{\n  // why\n  "a": 1}': "line 2, column 3: comments are not allowed in JSON",
    "{'a': 1}": 'line 1, column 2: expected a property name in double quotes, found "\'"',
    '{"a" 1}': 'line 1, column 6: expected a colon, found "1"',
    '{"a": 1}\n{}': 'line 2, column 1: expected the end of the file, found "{"',
    '{"a": nope}': 'line 1, column 7: expected a value, found "n"',
    [`${"[".repeat(101)}${"]".repeat(101)}`]: 'line 1, column 101: expected at most 100 levels, found "["',
  };
  const found = Object.keys(places).map((text) => [text, valueIn(text)]);
  expect(found).toEqual(Object.entries(places).map(([text, words]) => [text, `broken: ${words}`]));
});

test("the lists and objects of a repeated key are merged", () => {
  const text = '{"a": {"deny": ["x"]}, "b": 1, "a": {"deny": ["y"], "allow": []}, "b": 2}';
  expect(valueIn(text)).toEqual({ a: { deny: ["x", "y"], allow: [] }, b: 2 });
  const parsed = parseJson(text);
  expect(parsed.type === "parsed" && repeatedKeys(parsed.node).map(({ key }) => key)).toEqual(["a", "b"]);
});

/** The same numbers for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("it accepts and rejects the same texts as JSON.parse, with the same values", () => {
  const model =
    '{"a": [1, -2.5e+3, true, false, null, "x\\u00e9\\n\\"", {}], "__proto__": {"b": []}, "ü": "\u{1F600}", "2": 0}';
  const pieces = [
    '"',
    "\\",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "0",
    "1",
    "-",
    ".",
    "e",
    " ",
    "\n",
    "\u0001",
    "true",
    "/",
  ];
  const differing: string[] = [];
  const counts = { taken: 0, refused: 0 };
  for (let seed = 1; seed <= 4000; seed++) {
    const next = random(seed);
    let text = model;
    for (let change = next(4); change >= 0; change--) {
      const at = next(text.length);
      text =
        text.slice(0, at) +
        (next(3) === 0 ? "" : (pieces[next(pieces.length)] as string)) +
        text.slice(at + next(3));
    }
    let native: unknown;
    try {
      native = JSON.stringify(JSON.parse(text));
    } catch {
      native = undefined;
    }
    const parsed = parseJson(text);
    const own = parsed.type === "parsed" ? JSON.stringify(valueOf(parsed.node)) : undefined;
    const isRepeated = parsed.type === "parsed" && repeatedKeys(parsed.node).length > 0;
    counts[own === undefined ? "refused" : "taken"]++;
    if (own !== native && !isRepeated) differing.push(text);
  }
  expect(differing).toEqual([]);
  expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(300);
});
