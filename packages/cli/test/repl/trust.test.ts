import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();

/** A folder that would grant and run, as soon as it is let. */
function folderOfItsOwn(): string {
  const folder = newFolder();
  const project = join(folder, "project");
  const hook = { type: "command", command: "touch hooked" };
  const put = (name: string, text: string): void => {
    mkdirSync(join(project, name, ".."), { recursive: true });
    writeFileSync(join(project, name), text);
  };
  put(
    ".claude/settings.json",
    JSON.stringify({
      permissions: { allow: ["Bash(touch allowed)"] },
      hooks: { UserPromptSubmit: [{ hooks: [hook] }] },
    }),
  );
  put(".mcp.json", JSON.stringify({ mcpServers: { own: { command: "touch", args: ["served"] } } }));
  put(".runahead/agents/scout.md", "---\ndescription: looks\n---\nLook.");
  put(
    ".claude/commands/git/fix.md",
    "---\ndescription: fixes one\nargument-hint: <number>\n---\nFix $0 of $ARGUMENTS.",
  );
  return folder;
}

test("D17: the contents of an untrusted folder are listed, and nothing runs without a yes", async () => {
  const folder = folderOfItsOwn();
  const did = (): boolean[] =>
    ["hooked", "served", "allowed"].map((name) => existsSync(join(folder, "project", name)));
  const program = tested.start({ folder });
  const text = await program.sees("Do you trust this folder?");
  expect(text).toContain(
    [
      "Until you trust this folder, none of the following takes effect:",
      "Hooks (commands that would run):",
      "  UserPromptSubmit: touch hooked (.claude/settings.json)",
      "Allow rules:",
      "  Bash(touch allowed) (.claude/settings.json)",
      "MCP servers (would be started):",
      "  own: touch served",
      "Sub-agents:",
      "  scout",
      "Slash commands:",
      "  /git:fix",
      "  Trust this folder",
      "  Trust for this session",
      "→ Do not trust (deny and ask rules still apply)",
    ].join("\n"),
  );
  await program.answers("\u001b", "Do you trust");
  await program.sees("/help for commands");
  await program.types("/git:fix 7 and more");
  await program.sees("Unknown command /git:fix");
  await program.types("go");
  (await tested.model.asked()).calls(["Bash", { command: "touch allowed" }]);
  await program.answers("\u001b");
  await program.idle();
  expect(did()).toEqual([false, false, false]);
  expect(existsSync(join(folder, "home/.runahead/trust.json"))).toBe(false);
});

test("trust is remembered, trust for the session is not, and keys that were typed ahead do not answer", async () => {
  const folder = folderOfItsOwn();
  const first = tested.start({ folder });
  await first.sees("Do you trust this folder?");
  // Up and Enter, at once: who types so has not read it.
  first.press("\u001b[A\r");
  await first.sees("1 question waiting for you to finish typing");
  await first.answers("\u001b[A\r", "Do you trust this folder?");
  await first.sees("/help for commands");
  await first.types("/git:fix 7 of them");
  const answer = await tested.model.asked();
  expect(tested.model.requests[0]).toContain("Fix 7 of 7 of them.");
  answer.says("Fixed.");
  await first.sees("› Fix 7 of 7 of them.");
  await first.end();
  const second = tested.start({ folder });
  await second.answers("\u001b[A\u001b[A\r", "Do you trust");
  await second.sees("/help for commands");
  const trusted = readFileSync(join(folder, "home/.runahead/trust.json"), "utf8");
  expect(JSON.parse(trusted)).toEqual({ trusted: [join(folder, "project")] });
  await second.end();
  const third = tested.start({ folder });
  expect(await third.sees("/help for commands")).not.toContain("Do you trust");
});
