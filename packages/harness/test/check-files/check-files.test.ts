/** `npm run check:files`: what is understood is counted as understood, and every loss is counted and explained. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { checkFolder } from "./check.ts";
import { reportLines } from "./report.ts";

/** What the report says about these files. */
async function reportOf(files: Readonly<Record<string, string | object>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "check-files-test-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    }
    return reportLines((await checkFolder(folder)).judged, false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const guard = { type: "command", command: "./guard.sh" };

test("class 1: settings, rules and hooks are counted, with each loss and its reason", async () => {
  const lines = await reportOf({
    "one/.claude/settings.json": {
      model: "opus",
      permissions: { allow: ["Bash(npm test)"], deny: ["Read(.env)"] },
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard] }] },
    },
    "two/.claude/settings.local.json": {
      permisions: {},
      permissions: { allow: ["Bash(npm run *"] },
      hooks: { PreToolUse: [{ hooks: [{ type: "carrier-pigeon" }] }] },
    },
    "three/.claude/settings.json": "{ nothing",
  });
  expect(lines.filter((line) => !line.startsWith(" "))).toEqual([
    "settings: 1 of 3 understood without loss (33.3 %)",
    "permission rules: 2 of 3 understood without loss (66.7 %)",
    "hooks: 1 of 2 understood without loss (50.0 %)",
  ]);
  const all = lines.join("\n");
  expect(all).toMatch(/lost {4}1 {2}.*permisions.*Did you mean "permissions"\?/);
  expect(all).toMatch(/lost {4}1 {2}.*hooks of type "carrier-pigeon" are not supported/);
  expect(all).toMatch(/lost {4}1 {2}.*JSON/i);
});

test("class 3: agents, commands and skills are counted, and those that are not found at their place are lost", async () => {
  const lines = await reportOf({
    ".claude/agents/team/review.md":
      "---\nname: review\ndescription: Reviews.\ntools: Read, Grep\n---\nReview.",
    ".claude/agents/odd.md": "---\nname: odd\ndescription: Odd.\nmodle: opus\n---\nBe odd.",
    ".claude/commands/git/push.md": "---\nallowed-tools: Bash(git push:*)\n---\nPush $1.",
    ".claude/commands/odd.md": "---\nallowed_tool: Bash(ls)\n---\nDo it.",
    "apps/web/.claude/skills/ship/SKILL.md": "---\nname: ship\ndescription: Ships.\n---\nShip.",
    ".claude/skills/a/b/c/d/e/f/SKILL.md": "---\nname: deep\ndescription: Deep.\n---\nDeep.",
  });
  expect(lines.filter((line) => !line.startsWith(" "))).toEqual([
    "agents: 1 of 2 understood without loss (50.0 %)",
    "commands: 1 of 2 understood without loss (50.0 %)",
    "skills: 1 of 2 understood without loss (50.0 %)",
  ]);
  expect(lines.filter((line) => line.startsWith("  lost")).length).toBe(3);
  expect(lines.at(-1)).toBe("  lost    1  it is not read at its place");
});

test("class 7: plugins, servers, memory and rules are counted, and what cannot be used is lost", async () => {
  const lines = await reportOf({
    "one/.claude-plugin/plugin.json": { name: "one", commands: "./commands" },
    "two/.claude-plugin/plugin.json": { commands: 7 },
    "CLAUDE.md": "Tabs.",
    "a/.claude/rules/x.md": "---\npaths: src/**\n---\nTabs.",
    "one/.mcp.json": { mcpServers: { a: { command: "a" }, b: { type: "http", url: "https://b.test" } } },
    "two/.mcp.json": { mcpServers: { a: { type: "ws", url: "wss://a.test" } } },
    "three/.mcp.json": { mcpServers: { a: { comand: "a" } } },
  });
  expect(lines.filter((line) => !line.startsWith(" "))).toEqual([
    "plugins: 1 of 2 understood without loss (50.0 %)",
    "memory: 1 of 1 understood without loss (100.0 %)",
    "rules: 1 of 1 understood without loss (100.0 %)",
    "mcp: 1 of 3 understood without loss (33.3 %)",
  ]);
  expect(lines).toContain("  lost    1  servers of the type ws cannot be reached");
  expect(lines.join("\n")).toMatch(/lost {4}1 {2}.*comand/);
});

test("class 3: output styles are counted, also in a folder below the top, and a misspelled field is a loss", async () => {
  const lines = await reportOf({
    ".claude/output-styles/calm.md": "---\nname: Calm\ndescription: d\n---\nBe calm.",
    "templates/.claude/output-styles/kind.md": "---\nkeep-coding-instructions: true\n---\nBe kind.",
    ".claude/output-styles/odd.md": "---\nkeep-coding-instruction: true\n---\nBe odd.",
  });
  expect(lines[0]).toBe("output-styles: 2 of 3 understood without loss (66.7 %)");
});
