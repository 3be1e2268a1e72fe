import { expect, test } from "vitest";
import { checkTools } from "./check-tools.ts";
import {
  aPositiveNumber,
  checkOptions,
  didYouMean,
  oneOf,
  rejectMisspelt,
  rejectUnknown,
} from "./options.ts";

const KNOWN = ["tools", "canUseTool", "maxTurns", "baseURL", "ms"];

test("an unknown option is refused, and a near name is suggested", () => {
  const given = (name: string) => () => rejectUnknown({ [name]: 1 }, KNOWN, "createAgent");
  expect(given("toolz")).toThrow(new TypeError('createAgent: unknown option "toolz". Did you mean "tools"?'));
  expect(given("baseUrl")).toThrow('Did you mean "baseURL"?');
  expect(given("verbose")).toThrow(
    'createAgent: unknown option "verbose". Known options: tools, canUseTool, maxTurns, baseURL, ms.',
  );
  expect(given("tools")).not.toThrow();
});

test("options that are not an object are refused", () => {
  const given = (value: unknown) => () => rejectUnknown(value as object, KNOWN, "anthropic");
  expect(given("claude")).toThrow('anthropic must be given an object, got "claude".');
  expect(given(undefined)).toThrow("got undefined");
  expect(given([])).toThrow("got an array");
  expect(given(Promise.resolve())).toThrow('got a promise; add "await".');
});

test("a name is suggested if it is at most two edits away, and one for names of up to five letters", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["canUseTol", "canUseTool"],
    ["canusetool", "canUseTool"],
    ["maxTurn", "maxTurns"],
    ["mss", "ms"],
    ["to", ""],
    ["xx", ""],
    ["maximum", ""],
  ];
  for (const [given, meant] of cases)
    expect([given, didYouMean(given, KNOWN)]).toEqual([
      given,
      meant === "" ? "" : ` Did you mean "${meant}"?`,
    ]);
  // Letters that changed places are a typing mistake in short names too; two other letters make another word.
  expect(didYouMean("cdw", ["cwd"])).toBe(' Did you mean "cwd"?');
  expect(didYouMean("mode", ["home"])).toBe("");
  expect(didYouMean("rules", ["files"])).toBe("");
});

test("a misspelt member is refused, and a member of the caller's own is not", () => {
  const names = ["deny", "allow", "name"];
  expect(() => rejectMisspelt({ denny: [] }, names, "source")).toThrow(
    'source: unknown member "denny". Did you mean "deny"?',
  );
  expect(() => rejectMisspelt({ deny: [], denny: [], level: "user" }, names, "source")).not.toThrow();
});

test("a value of the wrong kind is refused with the value in the message", () => {
  const checks = { maxTurns: aPositiveNumber, start: oneOf("eager", "after") };
  const given = (options: object) => () => checkOptions(options, checks, "query");
  expect(given({ maxTurns: Number.NaN })).toThrow('query: "maxTurns" must be a number above 0, got NaN.');
  expect(given({ maxTurns: "3" })).toThrow('got "3"');
  expect(given({ start: "eagr" })).toThrow(
    'query: "start" must be "eager" or "after", got "eagr". Did you mean "eager"?',
  );
  expect(given({})).not.toThrow();
});

class Counting {
  readonly name = "Count";
  readonly inputSchema = {};
  calls = 0;
  call(): number {
    return ++this.calls;
  }
  isReadonly(): boolean {
    return true;
  }
}

test("an object that is not a tool is refused, with an example", () => {
  const tool = { name: "T", inputSchema: {}, call: () => 1 };
  const given = (members: object) => () => checkTools([{ ...tool, ...members }], "query");
  expect(given({})).not.toThrow();
  expect(given({ calls: 0, server: "x" })).not.toThrow();
  expect(given({ name: "" })).toThrow('query: tools[0]: "name" must be a string that is not empty, got "".');
  expect(given({ call: undefined, execute: () => 1 })).toThrow(
    'query: tools[0] ("T") has no function "call". Rename "execute" to "call".',
  );
  expect(given({ inputSchema: undefined, parameters: {} })).toThrow('Rename "parameters" to "inputSchema".');
  expect(given({ isReadOnly: true })).toThrow('"isReadOnly" must be a function, such as () => true.');
  expect(given({ timeoutMs: 1000 })).toThrow('"timeoutMs" must be a function, such as () => 1000.');
  expect(given({ is_read_only: () => true })).toThrow('Did you mean "isReadOnly"?');
  expect(() => checkTools([new Counting()], "query")).toThrow('unknown member "isReadonly"');
  expect(() => checkTools({ tool }, "query")).toThrow(
    '"tools" must be an array of tools, got an object (tool).',
  );
  expect(() => checkTools([undefined], "query")).toThrow("query: tools[0] must be a tool, got undefined.");
  expect(() => checkTools([tool, { ...tool }], "query")).toThrow('query: two tools are called "T".');
});
