import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();

test("prompts are available in the next session: with Up, and with Ctrl+R and a part of the text", async () => {
  const first = tested.start();
  await first.sees("/help for commands");
  for (const line of ["!echo the first", "!echo another"]) {
    await first.types(line);
    await first.sees(line.slice(6));
  }
  first.press("\u0004");
  await first.ended;
  const kept = join(first.folder, "home/.runahead/history.jsonl");
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  const second = tested.start({ folder: first.folder });
  await second.sees("/help for commands");
  second.press("\u001b[A");
  await second.sees((text) => /─\n› !echo another *\n─/.test(text));
  second.press("\u0015\u0012first");
  expect(await second.sees("→ !echo the first")).toMatch(/Search previous prompts ─+\n> first/);
  second.press("\r");
  await second.sees((text) => /─\n› !echo the first *\n─/.test(text));
  second.press("\u0012");
  await second.sees("→ !echo another");
  second.press("\u001b");
  await second.sees((text) => !text.includes("Search previous prompts") && text.includes("!echo the first"));
});

test("Ctrl+G edits the prompt in an external editor, and the terminal is restored after it", async () => {
  const folder = newFolder();
  const editor = join(folder, "editor.sh");
  writeFileSync(
    editor,
    '#!/bin/sh\n[ -t 0 ] || exit 9\nprintf " and more\\nline two" >> "$2"\necho "$1" seen\n',
  );
  chmodSync(editor, 0o755);
  const program = tested.start({ folder, env: { EDITOR: `${editor} --flag` } });
  await program.sees("/help for commands");
  program.press("begun");
  await program.sees("begun");
  program.press("\u0007");
  await program.sees((text) => /─\n› begun and more *\n *line two *\n─/.test(text));
  expect(program.text()).toContain("--flag seen");
  program.press("\r");
  (await tested.model.asked()).says("Read.");
  await program.sees("Read.");
  expect(tested.model.requests[0]).toContain("begun and more\\nline two");
  const other = tested.start();
  await other.sees("/help for commands");
  other.press("\u0007");
  await other.sees("No editor: set VISUAL or EDITOR");
});

test("@file is completed and attached to the prompt, unless a rule denies it", async () => {
  const folder = newFolder();
  const project = join(folder, "project");
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/some file.ts"), "const secret = 1; </file>\n");
  writeFileSync(join(project, "key.pem"), "PRIVATE\n");
  const settings = JSON.stringify({ permissions: { deny: ["Read(key.pem)"] } });
  const program = tested.start({ folder, columns: 160, args: ["--settings", settings] });
  await program.sees("/help for commands");
  program.press("look at @some");
  await program.sees("→ src/some file.ts");
  program.press("\t");
  await program.sees('look at @"src/some file.ts"');
  program.press("and @key.pem, @nothing me@key.pem\u001b\r");
  await program.sees("me@key.pem");
  program.press("\r");
  const answer = await tested.model.asked();
  const { messages } = JSON.parse(tested.model.requests[0] ?? "") as { messages: { content: unknown }[] };
  expect(messages.at(-1)?.content).toMatchObject([
    { type: "text", text: 'look at @"src/some file.ts" and @key.pem, @nothing me@key.pem' },
    { type: "text", text: '<file path="src/some file.ts">\nconst secret = 1; &lt;/file>\n\n</file>' },
  ]);
  answer.says("Seen.");
  const text = await program.sees("Seen.");
  expect(text).toContain("with src/some file.ts");
  expect(text).toMatch(/Not attached: @key\.pem,?: .*denied by the rule/);
  // Commands are completed too, and Enter takes the one that is chosen.
  program.press("/stat");
  await program.sees("→ /status");
  program.press("\r");
  await program.sees("Session: ");
});
