import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();
const SHIFT_TAB = "\u001b[Z";
const PLAN = "# Rename the greeting\n\n1. Edit `a.txt`\n2. Run the tests";

/** The files below a folder that end like this. */
function filesBelow(folder: string, end: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return all.filter((name) => name.endsWith(end)).map((name) => join(folder, name));
}

test("plan mode: the model is informed, writes are denied, and the plan is revised, edited, approved and kept", async () => {
  const folder = newFolder();
  const editor = join(folder, "editor.sh");
  writeFileSync(editor, '#!/bin/sh\necho "3. Added by me" >> "$1"\n');
  chmodSync(editor, 0o700);
  const program = tested.start({
    folder,
    args: ["--allowedTools", "Bash(touch:*)"],
    env: { EDITOR: editor, VISUAL: "" },
  });
  const project = join(folder, "project");
  const last = (): string => tested.model.requests.at(-1) ?? "";
  await program.sees("/help for commands");
  program.press(SHIFT_TAB);
  await program.sees("Accept edits");
  program.press(SHIFT_TAB);
  await program.sees("Plan mode");
  await program.types("rename it");
  const first = await tested.model.asked();
  expect(last()).toContain("Plan mode is on: change nothing.");
  first.calls(
    ["Write", { file_path: "a.txt", content: "hi\n" }],
    ["Bash", { command: "touch allowed" }],
    ["Bash", { command: "mkdir denied" }],
    ["Read", { file_path: "a.txt" }],
  );
  const second = await tested.model.asked();
  expect(last()).toContain("Plan mode denies changes until the user approves a plan.");
  expect([existsSync(join(project, "allowed")), existsSync(join(project, "denied"))]).toEqual([true, false]);
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("hello\n");
  second.calls(["ExitPlanMode", { plan: PLAN }]);
  expect(await program.sees("Start with this plan?")).toContain("│ 1. Edit a.txt");
  await program.answers("\t", "Start with this plan?");
  await program.fills("What should change?", "add a test");
  const third = await tested.model.asked();
  expect(last()).toContain("Their comment: add a test");
  third.calls(["ExitPlanMode", { plan: `${PLAN}\n3. Add a test` }]);
  await program.answers("\u0007", "3. Add a test");
  await program.sees("Plan ─ edited");
  await program.answers("1", "Added by me");
  const fourth = await tested.model.asked();
  expect(last()).toContain("the permission mode is now acceptEdits");
  expect(last()).toContain("3. Added by me");
  const [kept = ""] = filesBelow(join(folder, "home"), "-rename-the-greeting.md");
  expect(readFileSync(kept, "utf8")).toBe(`${PLAN}\n3. Add a test\n3. Added by me\n`);
  fourth.calls(["Write", { file_path: "a.txt", content: "hi\n" }]);
  (await tested.model.asked()).says("Done.");
  await program.idle();
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("hi\n");
  // Plan mode that is on at the end is on again with -c.
  program.press(SHIFT_TAB);
  await program.sees("Plan mode");
  program.press("\u0004");
  await program.ended;
  const resumed = tested.start({ folder, args: ["-c"] });
  await resumed.sees("Resumed after");
  await resumed.sees("Plan mode");
  await resumed.types("go on");
  await tested.model.asked();
  expect(last().split("Plan mode is on: change nothing.")).toHaveLength(3);
});
