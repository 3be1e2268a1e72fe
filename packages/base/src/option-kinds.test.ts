import { expect, test } from "vitest";
import { checkOptions } from "./option-kinds.ts";
import { rejectUnknown } from "./options.ts";

const KINDS = {
  tools: "strings",
  model: "string",
  maxTurns: "number",
  sandbox: "boolean or object",
  onEvent: "function",
  mode: ["default", "plan"],
} as const;

test("an option that is not known is named, with the nearest that is", () => {
  const known = ["tools", "permissionMode"];
  expect(() => rejectUnknown({ toolz: [] }, known, "createX")).toThrow(
    new TypeError('createX: unknown option "toolz". Did you mean "tools"?'),
  );
  expect(() => rejectUnknown({ permissionmode: "" }, known, "createX")).toThrow(
    'Did you mean "permissionMode"?',
  );
  expect(() => rejectUnknown({ q: 1 }, known, "createX")).toThrow(
    'createX: unknown option "q". Known options: tools, permissionMode.',
  );
  expect(rejectUnknown({ tools: [] }, known, "createX")).toBe(undefined);
});

test("an option of the wrong type is named, with what it must be", () => {
  for (const [given, message] of [
    [{ tools: "Read" }, 'f: option "tools" must be an array of strings, not "Read".'],
    [{ tools: [1] }, 'f: option "tools" must be an array of strings, not an array.'],
    [{ model: 7 }, 'f: option "model" must be a string, not 7.'],
    [{ maxTurns: Number.NaN }, 'f: option "maxTurns" must be a number, not NaN.'],
    [{ sandbox: "yes" }, 'f: option "sandbox" must be a boolean or an object, not "yes".'],
    [{ onEvent: {} }, 'f: option "onEvent" must be a function, not an object.'],
    [{ mode: "fast" }, 'f: option "mode" must be one of "default", "plan", not "fast".'],
    [["tools"], "f: options must be an object, not an array."],
    [undefined, "f: options must be an object, not undefined."],
  ] as const)
    expect(() => checkOptions(given, KINDS, "f")).toThrow(new TypeError(message));
  const fine = { tools: ["Read"], model: undefined, sandbox: {}, onEvent: () => {}, mode: "plan" };
  expect(checkOptions(fine, KINDS, "f")).toBe(undefined);
});
