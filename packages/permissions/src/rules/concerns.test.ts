import { expect, test } from "vitest";
import { concerns } from "./concerns.ts";

const WHERE = { cwd: "/proj", home: "/home/u" };
const rule = (text: string) => ({ text, root: "/proj" });

test("a rule matches a call by tool, command or file, also in a part of the command", () => {
  const bash = (command: string) => ({ toolName: "Bash", input: { command }, ...WHERE });
  const edit = (file_path: string) => ({ toolName: "Edit", input: { file_path }, ...WHERE });
  expect(concerns(rule("Bash(git push:*)"), bash("git push origin"))).toBe(true);
  expect(concerns(rule("Bash(git push:*)"), bash("make && git push"))).toBe(true);
  expect(concerns(rule("Bash(git push:*)"), bash("make all"))).toBe(false);
  expect(concerns(rule("Bash(git push:*)"), bash("git status"))).toBe(false);
  expect(concerns(rule("Edit(/src/**)"), edit("/proj/src/a.ts"))).toBe(true);
  expect(concerns(rule("Edit(/src/**)"), edit("/proj/lib/a.ts"))).toBe(false);
});

test("in doubt the rule matches, so the hook runs", () => {
  const call = { toolName: "Bash", input: { command: 'eval "$x"' }, ...WHERE };
  expect(concerns(rule("Bash(git push:*)"), call)).toBe(true);
});
