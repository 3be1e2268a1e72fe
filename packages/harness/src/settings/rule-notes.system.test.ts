import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { loadSettings } from "./load.ts";
import { ruleNotes } from "./rule-notes.ts";

afterEach(removeWorlds);

async function notesOn(allow: readonly string[], deny: readonly string[] = []): Promise<string[]> {
  const world = await newWorld();
  await world.write("project/.claude/settings.json", { permissions: { allow, deny, defaultMode: "plan" } });
  return ruleNotes(await loadSettings({ ...world.options, isTrusted: true }));
}

test("a rule for an exact command that it does not allow is named with the reason, a rule that works is not", async () => {
  const works = ["Bash(npm test)", String.raw`Bash(node -e "f\(1\)")`, "Bash(npm run x:*)", "Read(//tmp/**)"];
  expect(await notesOn(works)).toEqual([]);
  expect(await notesOn(["Bash(done)", "Bash(do curl -s http://localhost)", "Bash(mkdir .git/x)"])).toEqual([
    ".claude/settings.json: allow rule Bash(done) allows nothing. Cannot check the command: syntax error: unexpected token 'done'.",
    ".claude/settings.json: allow rule Bash(do curl -s http://localhost) allows nothing. Cannot check the command: syntax error: unexpected token 'do'.",
    ".claude/settings.json: allow rule Bash(mkdir .git/x) allows nothing. The command writes to .git, which is protected.",
  ]);
});

test("a rule that a deny rule covers, and a rule that is ignored, are named too", async () => {
  expect(await notesOn(["Bash(npm test)", "Write(a.txt)"], ["Bash(npm:*)"])).toEqual([
    ".claude/settings.json: allow rule Write(a.txt) is ignored: use Edit(path) for paths.",
    ".claude/settings.json: allow rule Bash(npm test) allows nothing. The command npm test is denied by the rule Bash(npm:*) (.claude/settings.json).",
  ]);
});

test("an allow rule for a tool that does not exist is named, with the nearest name", async () => {
  expect(await notesOn(["Read", "MultiEdit", "Task", "mcp__a__b", "Raed", "Update"])).toEqual([
    '.claude/settings.json: allow rule Raed allows nothing. No tool has this name. Did you mean "Read"?',
    ".claude/settings.json: allow rule Update allows nothing. No tool has this name.",
  ]);
});
