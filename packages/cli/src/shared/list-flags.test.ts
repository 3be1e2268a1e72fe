import { expect, test } from "vitest";
import { repeatedFlags } from "./list-flags.ts";

const made = (...args: readonly string[]): string => repeatedFlags(args).join(" | ");

test("rules that follow a list of rules belong to it, and a prompt does not", () => {
  expect(made("-p", "go", "--allowedTools", "Read", "Bash(git log:*)", "mcp__docs")).toBe(
    "-p | go | --allowedTools | Read | --allowedTools | Bash(git log:*) | --allowedTools | mcp__docs",
  );
  for (const prompt of ["fix the bug", "Summarise", "Read the file", "Bash is broken", "mcp__docs is slow"])
    expect(made("--disallowedTools", "Read", prompt)).toBe(`--disallowedTools | Read | ${prompt}`);
  expect(made("--tools", "Read", "Edit", "-p", "Bash")).toBe("--tools | Read | --tools | Edit | -p | Bash");
  expect(made("--add-dir", "a", "b")).toBe("--add-dir | a | b");
  expect(made("--allowed-tools", "Read", "--disallowed-tools", "Bash", "Edit")).toBe(
    "--allowedTools | Read | --disallowedTools | Bash | --disallowedTools | Edit",
  );
});

test("a host writes its prompts to standard input, so all values that follow belong to the flag", () => {
  for (const format of [["--input-format", "stream-json"], ["--input-format=stream-json"]])
    expect(made(...format, "--add-dir", "a", "b", "--disallowedTools", "custom", "other")).toBe(
      [...format, "--add-dir", "a", "--add-dir", "b"].join(" | ") +
        " | --disallowedTools | custom | --disallowedTools | other",
    );
  expect(made("--tools", "", "-p")).toBe("--tools |  | -p");
  expect(made("--allowedTools", "Read", "--", "Bash")).toBe("--allowedTools | Read | -- | Bash");
});
