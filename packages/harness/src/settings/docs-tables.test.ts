/** The tables of the docs name every key that the code knows, and no others. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ANSWER_MEMBERS, HOOK_EVENTS, HOOK_MEMBERS } from "@runahead/agent/internal";
import { expect, test } from "vitest";
import { AGENT_TABLE } from "../definitions/agent-file.ts";
import { MANIFEST_INERT, MANIFEST_USED } from "../definitions/plugin-manifest.ts";
import { PROMPT_TABLE } from "../definitions/prompt-file.ts";
import { STYLE_TABLE } from "../prompt/output-style.ts";
import { INERT, PERMISSIONS, READ, USED, VACANT } from "./known-keys.ts";
import { MCP_MEMBERS } from "./mcp-members.ts";
import { KEYS as SANDBOX_KEYS } from "./sandbox.ts";
import { INERT_VARIABLES, USED_VARIABLES, VACANT_VARIABLES } from "./variables.ts";

function page(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../../docs/${name}.md`, import.meta.url)), "utf8");
}

/** The names in backticks in the first column of the tables below a heading. */
function firstColumn(name: string, heading: string): string[] {
  const [, after = ""] = page(name).split(`\n${heading}\n`);
  const section = after.split(/\n##+ /, 1)[0] ?? "";
  const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key = ""]) => key));
}

/** `permissions.allow`, `ask` stands for `permissions.ask`. */
function withPermissions(keys: readonly string[]): string[] {
  return keys.map((key) => key.replace(/^permissions\./, ""));
}

test("class 9: docs/settings.md lists every key that takes effect, and no other", () => {
  const documented = withPermissions(firstColumn("settings", "## Keys of a file"));
  const known = [...Object.keys(USED), ...READ.filter((key) => key !== "permissions"), ...PERMISSIONS];
  expect([...new Set(known)].filter((key) => !documented.includes(key))).toEqual([]);
  expect(documented.filter((key) => !known.includes(key))).toEqual([]);
});

test("class 9: docs/settings.md lists every key without effect, and no other", () => {
  const known = [...Object.keys(INERT), ...Object.keys(VACANT)].sort();
  expect(firstColumn("settings", "## Keys without effect").sort()).toEqual(known);
});

test("class 9: docs/settings.md lists every variable that is read or named, and no other", () => {
  const known = [...USED_VARIABLES, ...Object.keys(INERT_VARIABLES), ...Object.keys(VACANT_VARIABLES)];
  expect(firstColumn("settings", "## Variables").sort()).toEqual(known.sort());
});

test("class 9: docs/settings.md lists every key of the sandbox, and no other", () => {
  const documented = firstColumn("settings", "## The sandbox");
  expect([...new Set(documented)].sort()).toEqual([...new Set(SANDBOX_KEYS)].sort());
});

test("class 9: docs/agents.md and docs/skills.md list every field, and no other", () => {
  const agents = firstColumn("agents", "## Fields").map((key) => key.replace(/\..*/, ""));
  for (const field of AGENT_TABLE.used) expect(agents).toContain(field);
  const skills = firstColumn("skills", "## Fields");
  for (const field of PROMPT_TABLE.used) expect(skills).toContain(field);
});

test("class 9: docs/settings.md lists every field of an output style, and no other", () => {
  const known = [...STYLE_TABLE.used, "description"];
  expect(firstColumn("settings", "## Output styles").sort()).toEqual(known.sort());
});

test("class 9: docs/plugins.md lists every field of a manifest", () => {
  const documented = firstColumn("plugins", "## Fields of the manifest");
  for (const field of [...MANIFEST_USED, ...Object.keys(MANIFEST_INERT)]) expect(documented).toContain(field);
});

/** `enabled: false` stands for `enabled`, `hookSpecificOutput.retry` for `retry`. */
function memberOf(key: string): string {
  return key.replace(/:.*/, "").replace(/^hookSpecificOutput\./, "");
}

test("class 9: docs/mcp.md lists every member of a server, and no other", () => {
  const documented = firstColumn("mcp", "### Members of a server").map(memberOf);
  expect(documented.sort()).toEqual([...MCP_MEMBERS].sort());
});

test("class 9: docs/hooks.md lists every type of hook with its members, and every option, and no other", () => {
  const [, types = ""] = page("hooks").split("\n## Types\n");
  const rows = [...types.split("\n## ", 1)[0]!.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
  const documented = rows
    .slice(1)
    .map(([, type = "", members = ""]) => [
      type,
      [...members.matchAll(/`(\w+)`/g)].map(([, member]) => member),
    ]);
  expect(Object.fromEntries(documented)).toEqual(HOOK_MEMBERS.ofType);
  const options = [...HOOK_MEMBERS.ofAll, ...HOOK_MEMBERS.ofGroup];
  expect(firstColumn("hooks", "## Options").sort()).toEqual(options.sort());
});

/** Members that are documented as having no effect. */
const INERT_ANSWER = ["suppressOutput", "sessionTitle", "classifierContext"];

test("class 9: docs/hooks.md lists every member of an answer, and no other", () => {
  const documented = new Set(firstColumn("hooks", "## Answers").map(memberOf));
  const { whole, specific } = ANSWER_MEMBERS;
  const known = new Set([
    ...whole.filter((one) => one !== "hookSpecificOutput"),
    ...specific,
    ...INERT_ANSWER,
  ]);
  expect([...documented].sort()).toEqual([...known].sort());
});

test("class 9: docs/hooks.md lists every event, and no other", () => {
  const documented = firstColumn("hooks", "## Events");
  expect(documented.filter((name) => /^[A-Z]/.test(name)).sort()).toEqual([...HOOK_EVENTS].sort());
});
