import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commandFiles, filledIn } from "./command-files.ts";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "runahead-commands-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

const found = (isTrusted: boolean) =>
  commandFiles({ root: join(root, "project"), home: join(root, "home"), env: {}, isTrusted });

test("D17: a folder's commands count only if it is trusted, and then before the user's own", async () => {
  put("project/.claude/commands/fix.md", "---\ndescription: ours\nargument-hint: '[n]'\n---\nFix $1.");
  put("home/.runahead/commands/fix.md", "Fix mine.\nNow.");
  put("home/.claude/commands/git/deep/push.md", "Push.");
  put("home/.claude/commands/git/no command.md", "Never.");
  const names = async (isTrusted: boolean) =>
    (await found(isTrusted)).commands.map(({ name, help, text }) => [name, help, text]);
  expect(await names(false)).toEqual([
    ["fix", "Fix mine.", "Fix mine.\nNow."],
    ["git:deep:push", "Push.", "Push."],
  ]);
  expect(await names(true)).toEqual([
    ["fix", "[n] ours", "Fix $1."],
    ["git:deep:push", "Push.", "Push."],
  ]);
});

test("a command file that is too large is skipped with a notice, and its text cannot control the terminal", async () => {
  put("home/.runahead/commands/long.md", "x".repeat(100_001));
  put("home/.runahead/commands/odd.md", "---\ndescription: a\u001b[2Jb\n---\nText");
  const { commands, problems } = await found(false);
  expect([commands.map(({ help }) => help), problems]).toEqual([
    ["ab"],
    [`Command skipped: ${join(root, "home/.runahead/commands/long.md")} has 100001 bytes (limit 100000).`],
  ]);
});

test("arguments are filled in, all or one by one, and appended if there is no placeholder", () => {
  expect([
    filledIn("All: $ARGUMENTS, first: $1, third: $3.", 'one "two words" $1'),
    filledIn("$2 $2", "a 'b c'"),
    filledIn("Just do it.", "now"),
    filledIn("Just do it.", ""),
  ]).toEqual([
    'All: one "two words" $1, first: one, third: $1.',
    "b c b c",
    "Just do it.\n\nnow",
    "Just do it.",
  ]);
});
