import { expect, test } from "vitest";
import { simple } from "../../test/support/tools.ts";
import { describeCall } from "./tool.ts";

test("a tool can describe its calls", () => {
  const tool = simple("Read", () => "", { describe: ({ path }) => `Read ${path}` });
  expect(describeCall(tool, { path: "a.ts" })).toBe("Read a.ts");
});

test("without a description, or if it fails, a call is described by its name and input", () => {
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
