import { expect, test } from "vitest";
import { simple } from "../../test/support/tools.ts";
import { describeCall } from "./tool.ts";

test("a call is described in its tool's own words", () => {
  const tool = simple("Read", () => "", { describe: ({ path }) => `Read ${path}` });
  expect(describeCall(tool, { path: "a.ts" })).toBe("Read a.ts");
});

test("without words of its own, or with ones that fail, a call is its name and its input", () => {
  const fails = () => {
    throw new Error("no words");
  };
  for (const members of [{}, { describe: fails }, { describe: () => "" }]) {
    expect(
      describeCall(
        simple("Read", () => "", members),
        { path: "a.ts" },
      ),
    ).toBe('Read {"path":"a.ts"}');
  }
  expect(
    describeCall(
      simple("Read", () => ""),
      { path: "a".repeat(1_000) },
    ),
  ).toHaveLength(200);
});
