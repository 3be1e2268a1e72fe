import { expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";

test("class 7: the reason names the program and the rule", () => {
  const permissions = createPermissions({
    settings: { mode: "bypassPermissions", deny: ["Bash(rm:*)"] },
    cwd: "/home/u/proj",
    home: "/home/u",
  });
  const reason = (command: string): string => permissions.decide("Bash", { command }).reason;
  expect([reason("unknown --run 'rm x'"), reason("node -e 1"), reason("echo a > s; sh s")]).toEqual([
    "unknown could run rm, which the rule Bash(rm:*) restricts.",
    "Cannot determine what this command runs: node runs code that cannot be checked.",
    "Cannot determine what this command runs: it writes s and runs it.",
  ]);
});
