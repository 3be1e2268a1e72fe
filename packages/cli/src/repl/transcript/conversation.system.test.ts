import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Conversation } from "./conversation.ts";

test("Setup hooks run once, whatever replaces the conversation later", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "conversation-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
  const kept = join(root, "setup");
  const hooks = { Setup: [{ hooks: [{ type: "command", command: `echo ran >> ${kept}` }] }] };
  const world = {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "key" },
    print: () => {},
    complain: () => {},
  };
  const flags = { setup: "init", trust: true, settings: JSON.stringify({ hooks }) } as const;
  const conversation = await Conversation.open(world, flags, { onEvent: () => {}, onNotice: () => {} });
  await conversation.exchange({ type: "effort", level: "low" });
  await conversation.exchange({ type: "model", name: "claude-opus-4-6" });
  await conversation.exchange({ type: "clear" });
  await conversation.made.close();
  expect(readFileSync(kept, "utf8")).toBe("ran\n");
});
