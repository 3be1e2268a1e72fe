/** Ways around a deny rule for a program. In the lists, one command per line; `¶` stands for a line break. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";
import type { PermissionSettings } from "../rules/settings.ts";

function commandsIn(name: string): string[] {
  const text = readFileSync(new URL(`../../test/corpus/${name}`, import.meta.url), "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [line.replaceAll("¶", "\n")]));
}

const EVASIONS = commandsIn("deny-evasions.txt");
const HARMLESS = commandsIn("deny-harmless.txt");

function verdicts(
  commands: readonly string[],
  settings: PermissionSettings,
  wanted: "allow" | "other",
): string[] {
  const permissions = createPermissions({ settings, cwd: "/home/u/proj", home: "/home/u" });
  return commands.filter((command) => {
    const isAllowed = permissions.decide("Bash", { command }).behavior === "allow";
    return isAllowed === (wanted === "allow");
  });
}

describe("class 7: deny rules evaded", () => {
  test.each<[string, PermissionSettings]>([
    ["a deny", { deny: ["Bash(rm:*)"] }],
    ["a deny without a boundary", { deny: ["Bash(rm*)"] }],
    ["a deny with a path", { deny: ["Bash(/bin/rm:*)", "Bash(rm:*)"] }],
    ["an ask", { ask: ["Bash(rm:*)"] }],
    ["an ordered list", { rules: [{ tool: "Bash", pattern: "rm:*", action: "deny" }] }],
  ])("%s holds for every way to run the program", (_, rules) => {
    expect(verdicts(EVASIONS, { ...rules, mode: "bypassPermissions" }, "allow")).toEqual([]);
  });

  test("an allow rule for every command does not help", () => {
    expect(verdicts(EVASIONS, { allow: ["Bash"], deny: ["Bash(rm:*)"] }, "allow")).toEqual([]);
  });

  test("tools that do not run what they are given stay allowed", () => {
    expect(verdicts(HARMLESS, { mode: "bypassPermissions", deny: ["Bash(rm:*)"] }, "other")).toEqual([]);
    expect(verdicts(HARMLESS, { mode: "bypassPermissions", ask: ["Bash(git push:*)"] }, "other")).toEqual([]);
  });

  test("a rule of several words is about commands that have them all", () => {
    const settings: PermissionSettings = { mode: "bypassPermissions", deny: ["Bash(git push:*)"] };
    const evasions = [
      "unknown git push",
      "unknown 'git push origin'",
      "unknown --run='git -C x push'",
      "hash -p /bin/git q; q push",
    ];
    expect(verdicts(evasions, settings, "allow")).toEqual([]);
    expect(verdicts(["brew install git", "unknown git", "unknown push"], settings, "other")).toEqual([]);
  });

  test("without rules about commands, nothing is asked because of a name", () => {
    const commands = ["unknown rm x", "python3 -c 'print(1)'", "ssh host rm x", "docker exec c rm x"];
    expect(verdicts(commands, { mode: "bypassPermissions", deny: ["Read(./.env)"] }, "other")).toEqual([]);
    expect(
      verdicts(
        commands,
        { allow: ["Bash(unknown:*)", "Bash(python3:*)", "Bash(ssh:*)", "Bash(docker:*)"] },
        "other",
      ),
    ).toEqual([]);
  });

  test("the reason names the program and the rule", () => {
    const permissions = createPermissions({
      settings: { mode: "bypassPermissions", deny: ["Bash(rm:*)"] },
      cwd: "/home/u/proj",
      home: "/home/u",
    });
    const reason = (command: string): string => permissions.decide("Bash", { command }).reason;
    expect([reason("unknown --run 'rm x'"), reason("node -e 1"), reason("echo a > s; sh s")]).toEqual([
      "unknown is given rm, which Bash(rm:*) restricts, and may run it.",
      "Cannot determine what the command runs: node runs code that cannot be checked.",
      "Cannot determine what the command runs: it writes s and runs it.",
    ]);
  });
});
