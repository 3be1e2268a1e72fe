import { expect, test } from "vitest";
import { needsTerminal } from "./terminal-programs.ts";

test("programs that draw or ask get the terminal, and commands that print do not", () => {
  const yes = [
    "vim a.txt",
    "/usr/bin/less a",
    "EDITOR=vi sudo nano x",
    "git commit",
    "git rebase -i HEAD~2",
    "git add -p",
  ];
  const alone = ["python3", "ssh host", "ssh -v host", "sh"];
  const no = [
    "ls",
    "git commit -m x",
    "git commit --amend --no-edit",
    "git rebase main",
    "git add a",
    "python3 a.py",
  ];
  const lists = ["man ls | head", "vim a && ls", "ssh host uptime", "cat a > vim", ""];
  expect([...yes, ...alone].filter((command) => !needsTerminal(command))).toEqual([]);
  expect([...no, ...lists].filter((command) => needsTerminal(command))).toEqual([]);
});
