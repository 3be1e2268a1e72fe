import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";

const tested = programs();

test("/export, /timeline, /doctor and /agents work, and never overwrite a file", async () => {
  const program = tested.start({ prompt: "count" });
  const project = join(program.folder, "project");
  (await tested.model.asked()).calls(["Bash", { command: "touch counted" }]);
  await program.answers("y");
  (await tested.model.asked()).says("Counted.");
  await program.idle();
  await program.types("/export talk.md");
  await program.sees("Written to talk.md");
  const written = readFileSync(join(project, "talk.md"), "utf8");
  expect(written).toMatch(
    /^## You\n\ncount\n\n## Runahead\n\n\*\*Bash\*\*\n\n```json\n[\s\S]*## Runahead\n\nCounted\.\n$/,
  );
  await program.types("/export talk.md");
  await program.sees("already exists. Choose another name.");
  expect(readFileSync(join(project, "talk.md"), "utf8")).toBe(written);
  await program.types("/timeline run.html");
  const text = await program.sees(`Page written to ${join(project, "run.html")}`);
  expect(text).toContain("Saved by running ahead");
  expect(statSync(join(project, "run.html")).mode & 0o777).toBe(0o600);
  await program.types("/doctor");
  const doctor = await program.sees("✓ terminal");
  for (const line of [
    "✓ node",
    "✓ home",
    "✓ model      claude-sonnet-5",
    "✓ key        ANTHROPIC_API_KEY set",
  ])
    expect(doctor).toContain(line);
  await program.types("/agents");
  await program.sees("→ general-purpose");
  program.press("\u001b");
  await program.sees((screen) => !screen.includes("→ general-purpose"));
  expect(program.written).not.toContain("test-key");
});

test("/resume lists the other sessions of the folder and continues the chosen one with its tasks", async () => {
  const first = tested.start({ prompt: "remember seven" });
  (await tested.model.asked()).calls(["TaskCreate", { subject: "Count to seven", description: "Slowly." }]);
  (await tested.model.asked()).says("I do.");
  await first.idle();
  first.press("\u0004");
  await first.ended;
  const program = tested.start({ folder: first.folder });
  await program.sees("/help for commands");
  await program.types("/resume");
  expect(await program.sees("→ 20")).toMatch(/→ 20\d\d-\d\d-\d\d \d\d:\d\d {2}remember seven +2 turns\n/);
  program.press("\r");
  const text = await program.sees("Resumed after 4 messages · context ");
  await program.sees((seen) => /› remember seven\n\n[^]*\n\nI do\./.test(seen));
  await program.sees((seen) => /Tasks: 0 of 1 done\n +☐ Count to seven/.test(seen));
  expect(text).not.toContain("No session chosen");
  await program.types("what was it?");
  const answer = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("remember seven");
  answer.says("Seven.");
  await program.sees("Seven.");
});

test("G09: /rewind restores the conversation and the files, and can be undone", async () => {
  const program = tested.start({ args: ["--permission-mode", "acceptEdits"] });
  const project = join(program.folder, "project");
  const file = (): string => readFileSync(join(project, "a.txt"), "utf8");
  await program.sees("/help for commands");
  await program.types("/rewind");
  await program.sees("Nothing to go back to yet.");
  await program.types("say hello");
  (await tested.model.asked()).says("Hello.");
  await program.idle();
  await program.types("write it");
  (await tested.model.asked()).calls(
    ["Write", { file_path: "new.txt", content: "new\n" }],
    ["Read", { file_path: "a.txt" }],
    ["Edit", { file_path: "a.txt", old_string: "hello", new_string: "changed" }],
  );
  (await tested.model.asked()).says("Written.");
  await program.sees("Written.");
  await program.idle();
  // By somebody else.
  writeFileSync(join(project, "other.txt"), "other\n");
  await program.types("/rewind");
  expect(await program.sees("→ write it")).toMatch(/→ write it\n {2}say hello\n/);
  program.press("\r");
  await program.sees((text) =>
    /changed since: a\.txt\nadded since: new\.txt, other\.txt\n→ Restore conversation and files/.test(text),
  );
  program.press("\r");
  await program.sees("The conversation now continues after 2 messages.");
  expect([file(), existsSync(join(project, "new.txt"))]).toEqual(["hello\n", false]);
  // What was typed can be typed anew.
  await program.sees((text) => /─\n› write it *\n─/.test(text));
  program.press(" otherwise\r");
  const answer = await tested.model.asked();
  const sent = JSON.parse(tested.model.requests.at(-1) ?? "") as { messages: { role: string }[] };
  expect(sent.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "user"]);
  expect(tested.model.requests.at(-1)).toContain("write it otherwise");
  answer.says("As you wish.");
  await program.sees("As you wish.");
  await program.idle();
  await program.types("/rewind");
  await program.sees("→ Undo the last restore of files");
  program.press("\r");
  await program.sees("recreated: new.txt, other.txt");
  expect([file(), readFileSync(join(project, "other.txt"), "utf8")]).toEqual(["changed\n", "other\n"]);
});
