import { readFileSync } from "node:fs";
import { Command } from "commander";
import { expect, test } from "vitest";
import { HOST_OPTIONS, addHostFlags, withoutHostFlags } from "./host-flags.ts";

function parsed(...args: readonly string[]) {
  const root = new Command().exitOverride().option("--model <name>");
  addHostFlags(root);
  return withoutHostFlags(root.parse([...args], { from: "user" }).opts());
}

test("flags of hosts for what Runahead does not have are taken out, and a notice names the option", () => {
  const { flags, notices } = parsed("--debug", "--betas=context-1m", "--task-budget=5", "--model", "m");
  expect(flags).toEqual({ model: "m" });
  expect(notices).toEqual([
    "debug (--debug) has no effect here: Runahead writes no debug log; use --timeline.",
    "betas (--betas) has no effect here: Runahead sends the betas that it needs.",
    "taskBudget (--task-budget) has no effect here: use maxBudgetUsd or maxTurns.",
  ]);
});

test("a flag that would use other messages or files than the host means is refused with the name of the option", () => {
  for (const [flag, option] of [
    ["--session-mirror", "sessionStore"],
    ["--resume-session-at=1", "resumeSessionAt"],
    ["--resume-drops-turn=1", "resumeDropsTurn"],
    ["--project-config-root=/x", "projectConfigRoot"],
  ] as const)
    expect(() => parsed(flag)).toThrow(`${option} (${flag.replace(/=.*/, "")}) is not supported: `);
});

test("the docs name the options that have no effect, and those that are refused", () => {
  const docs = readFileSync(new URL("../../../../docs/embedding.md", import.meta.url), "utf8");
  const all = [...HOST_OPTIONS.withoutEffect, ...HOST_OPTIONS.refused];
  expect(all.filter((option) => !docs.includes(`\`${option}\``))).toEqual([]);
});
