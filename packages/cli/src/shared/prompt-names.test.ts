import type { PromptFile } from "@runahead/harness";
import { expect, test } from "vitest";
import { hiddenNotice, namedFiles, namedPrompts } from "./prompt-names.ts";

const file = (name: string): PromptFile =>
  ({ name, description: "Does it.", argumentHint: "", path: `/p/${name}.md` }) as PromptFile;

test("class 5: commands whose names built-in commands have are reported, and are called /project:name", () => {
  const own = [{ name: "review" }, { name: "init" }];
  const files = [file("review"), file("ship"), file("init")];
  expect(hiddenNotice(files, own)).toBe(
    "Built-in commands hide your own /review, /init. Type /project:review to use yours.",
  );
  expect(namedFiles(files, own).map(({ name }) => name)).toEqual(["project:review", "ship", "project:init"]);
  expect(hiddenNotice([file("ship")], own)).toBeUndefined();
});

test("prompts of servers are listed with their arguments, without control characters", () => {
  const args = [
    { name: "city", isRequired: true },
    { name: "state", isRequired: false },
  ];
  expect(namedPrompts([{ name: "mcp__s__weather", description: "The\n\u001b[31mweather.", args }])).toEqual([
    { name: "mcp__s__weather", help: expect.stringMatching(/^<city> \[state\] The .*weather\.$/) as string },
  ]);
});
