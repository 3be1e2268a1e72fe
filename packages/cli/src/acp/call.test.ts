import { expect, test } from "vitest";
import { fenced, kindOf, locationsOf, rawInputOf, settledContent, titleOf } from "./call.ts";

test("the kind of a call follows from the tool's name or alias", () => {
  const names = ["Read", "FileEdit", "Grep", "Bash", "WebFetch", "TaskCreate", "mcp__server__tool"];
  expect(names.map(kindOf)).toEqual(["read", "edit", "search", "execute", "fetch", "think", "other"]);
});

test("locations are absolute, and only known tools have them", () => {
  expect(locationsOf("Read", { file_path: "b/../c.ts", offset: 3 }, "/a")).toEqual([
    { path: "/a/c.ts", line: 3 },
  ]);
  expect(locationsOf("Grep", { pattern: "x", path: "/d" }, "/a")).toEqual([{ path: "/d" }]);
  expect(locationsOf("mcp__x__y", { path: "/d" }, "/a")).toEqual([]);
  for (const input of [undefined, null, "x", {}, { file_path: 7 }, { file_path: "" }])
    expect(locationsOf("Read", input, "/a")).toEqual([]);
});

test("D18: the title of a command is the command, whatever its description", () => {
  expect(titleOf("Bash", { command: "rm -rf x", description: "Look around" }, "Look around")).toContain(
    "rm -rf x",
  );
});

test("output is shown unchanged: no markdown can end its fence, and control characters are removed", () => {
  expect(fenced("a\n````\nb\n\n")).toBe("`````\na\n````\nb\n`````");
  expect(fenced("\u001b]0;title\u0007red")).toBe("```\nred\n```");
});

test("an input above a million characters is left out", () => {
  expect(rawInputOf({ content: "x".repeat(1_000_000) })).toEqual({});
  expect(rawInputOf({ content: "x" })).toEqual({ rawInput: { content: "x" } });
});

test("promise 4: a call that was stopped after it began is not shown as not run", () => {
  const settled = { type: "call-settled", callId: "1", toolName: "Bash", output: undefined } as const;
  const aborted = { type: "aborted", cause: { type: "interrupt" }, ranMs: 5, abandoned: false } as const;
  const shown = (effect: "none" | "unknown", output: string): string =>
    JSON.stringify(settledContent({ ...settled, outcome: { ...aborted, effect, output } as never }));
  expect(shown("none", "")).toContain("Not run.");
  expect(shown("unknown", "half")).toContain("half");
  expect(shown("unknown", "")).not.toContain("Not run");
});
