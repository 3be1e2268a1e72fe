import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OWN_COMMANDS } from "./commands.ts";
import { ACTIONS } from "./input/bindings.ts";
import { keyList } from "./input/key-list.ts";

const PAGE = readFileSync(new URL("../../../../docs/terminal.md", import.meta.url), "utf8");

/** The first cells of the rows of a table. */
function rows(heading: string): string[] {
  const section = PAGE.split(`\n${heading}\n`)[1]?.split(/\n##+ /)[0] ?? "";
  return section.split("\n").flatMap((line) => /^\| (.+?) \|/.exec(line)?.[1] ?? []);
}

test("docs/terminal.md has every command, in the order of /help, and no other", () => {
  const documented = rows("## Commands").flatMap((cell) => /^`\/([\w-]+)/.exec(cell)?.[1] ?? []);
  const order = (names: readonly string[]): string[] => names.toSorted();
  expect(order(documented)).toEqual(order(OWN_COMMANDS.map(({ name }) => name)));
});

test("docs/terminal.md has every key, and no other", () => {
  const documented = rows("## Keys").filter((cell) => !["key", "---"].includes(cell));
  expect(documented.map((cell) => cell.replaceAll("`", "")).toSorted()).toEqual(
    keyList()
      .map(([key]) => key)
      .toSorted(),
  );
});

test("docs/terminal.md names every action that a key can have", () => {
  expect(Object.keys(ACTIONS).filter((action) => !PAGE.includes(`\`${action}\``))).toEqual([]);
});
