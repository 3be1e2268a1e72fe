import { expect, test } from "vitest";
import { createMatcher } from "./matcher.ts";

function matching(text: string, names: readonly string[], inDoubt = false) {
  const notices: string[] = [];
  const matcher = createMatcher({ text, inDoubt, notify: (message) => notices.push(message) });
  return { matched: names.filter((name) => matcher.matches([name])), notices };
}

const NAMES = ["Bash", "BashOutput", "Edit", "MultiEdit", "mcp__memory__add", "mcp__memory-2__add"];

test("an empty matcher and a star match everything", () => {
  for (const text of ["", "*"]) expect(matching(text, NAMES)).toEqual({ matched: NAMES, notices: [] });
});

test("a matcher of plain characters is a list of whole names", () => {
  expect(matching("Bash", NAMES).matched).toEqual(["Bash"]);
  expect(matching("Edit|Bash", NAMES).matched).toEqual(["Bash", "Edit"]);
  expect(matching("Edit, MultiEdit", NAMES).matched).toEqual(["Edit", "MultiEdit"]);
  expect(matching("mcp__memory-2__add", NAMES).matched).toEqual(["mcp__memory-2__add"]);
  expect(matching("bash", NAMES).matched).toEqual([]);
});

test("any other matcher is a regular expression that can match anywhere", () => {
  expect(matching("Edit$", NAMES).matched).toEqual(["Edit", "MultiEdit"]);
  expect(matching("mcp__memory.*", NAMES).matched).toEqual(["mcp__memory__add", "mcp__memory-2__add"]);
  expect(matching("^(Bash|Edit)$", NAMES).matched).toEqual(["Bash", "Edit"]);
});

test("one of several names is enough, and every matcher matches an event without a name", () => {
  const matcher = createMatcher({ text: "Task", inDoubt: false, notify: () => {} });
  expect([matcher.matches(["Agent", "Task"]), matcher.matches(["Agent"]), matcher.matches([])]).toEqual([
    true,
    false,
    true,
  ]);
});

test("an invalid pattern matches everything for blocking events and nothing for others, and is reported", () => {
  const notices = [expect.stringContaining('the matcher "Bash(" is not a valid regular expression')];
  expect(matching("Bash(", NAMES, true)).toEqual({ matched: NAMES, notices });
  expect(matching("Bash(", NAMES, false)).toEqual({ matched: [], notices });
});

test("a pattern that never finishes is stopped and reported once, and matches for blocking events", () => {
  const name = "a".repeat(60);
  for (const inDoubt of [true, false]) {
    const notices: string[] = [];
    const matcher = createMatcher({ text: "^(a+)+!$", inDoubt, notify: (message) => notices.push(message) });
    expect([matcher.matches([name]), matcher.matches([name]), notices.length]).toEqual([inDoubt, inDoubt, 1]);
  }
});
