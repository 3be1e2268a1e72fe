import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pngBytes } from "../../../tools/test/support/image-bytes.ts";
import { programs } from "./programs.ts";
import { newFolder } from "./terminal.ts";

const tested = programs();

test("an edit shows its diff while its input streams, and Ctrl+O opens long output", async () => {
  const program = tested.start({ prompt: "change it", rows: 24 });
  const answer = await tested.model.asked();
  const piece = (partial_json: string): void =>
    answer.send({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json } });
  const content_block = { type: "tool_use", id: "toolu_edit", name: "Edit", input: {} };
  answer.send({ type: "content_block_start", index: 0, content_block });
  await program.sees("· Edit · arriving");
  piece('{"file_path":"a.txt","old_string":"hello","new_string":"good\\nmor');
  expect(await program.sees("+ mor")).toMatch(
    /· Edit a\.txt · arriving\n {2}└ - hello\n {4}\+ good\n {4}\+ mor\n/,
  );
  piece('ning"}');
  answer.send({ type: "content_block_stop", index: 0 });
  answer.ends("tool_use");
  // The file was not read, so the edit is refused before anybody is asked.
  (await tested.model.asked()).calls(["Bash", { command: "seq 1 100", description: "Count" }]);
  (await tested.model.asked()).says("Counted.");
  const folded = await program.sees("Counted.");
  expect(folded).toMatch(
    /✓ Count · done.*\n {2}└ \$ seq 1 100\n {4}… 96 earlier lines \(Ctrl\+O to open\)\n {4}97\n/,
  );
  program.press("\u000f");
  expect(await program.sees("2 of 2 ─ 1–")).toMatch(
    /✓ Count · done.*\n(?:Did not wait|Waited [^\n]*)\. Ran \d[^\n]*\.\n1\n2\n3\n/,
  );
  program.press("\u001b[F");
  expect(await program.sees("of 100 lines")).toContain("Esc to close");
  await program.sees((text) => /\n99\n100\n/.test(text));
  program.press("\u001b[D");
  await program.sees("1 of 2 ─");
  program.press("\u001b");
  await program.sees((text) => !text.includes("Esc to close"));
});

test("a view of the whole screen leaves the scrollback as it was, also when the window changes or the program ends", async () => {
  const program = tested.start({ prompt: "count", rows: 20 });
  (await tested.model.asked()).calls(["Bash", { command: "seq 1 100", description: "Count" }]);
  (await tested.model.asked()).says("Counted.");
  await program.sees("Counted.");
  const before = await program.idle();
  program.press("\u000f");
  const view = await program.sees("of 100 lines");
  expect(view).not.toContain("Counted.");
  expect(view.split("\n").length).toBeLessThanOrEqual(20);
  program.press("\u001b");
  expect(await program.sees("Counted.")).toBe(before);
  program.press("\u000f");
  await program.sees("of 100 lines");
  program.resize(60, 12);
  await program.sees((text) => text.includes("of 100 lines") && text.split("\n").length <= 12);
  program.press("\u001b");
  const after = await program.sees("Counted.");
  expect(after).not.toContain("Esc to close");
  expect(after.match(/Counted\./g)).toHaveLength(1);
  program.press("\u000f");
  await program.sees("of 100 lines");
  program.press("\u001b");
  await program.sees("Counted.");
  program.press("\u0004");
  expect(await program.ended).toBe(0);
  expect(program.text()).toContain("Counted.");
});

test("the task list stays above the input line until all tasks are done", async () => {
  const program = tested.start({ prompt: "plan it" });
  (await tested.model.asked()).calls(
    ["TaskCreate", { subject: "Look", description: "" }],
    ["TaskCreate", { subject: "Change", description: "" }],
    ["TaskUpdate", { id: "1", status: "in_progress" }],
  );
  const next = await tested.model.asked();
  await program.sees((text) => /Tasks: 0 of 2 done\n {2}▶ Look\n {2}☐ Change\n/.test(text));
  next.calls(
    ["TaskUpdate", { id: "1", status: "completed" }],
    ["TaskUpdate", { id: "2", status: "completed" }],
  );
  (await tested.model.asked()).says("All done.");
  await program.sees((text) => text.includes("All done.") && !text.includes("Tasks:"));
});

test("H10: a sub-agent's question says who asks, and others continue", async () => {
  const program = tested.start({ prompt: "have it done", args: ["--allowedTools", "Agent"] });
  const project = join(program.folder, "project");
  execFileSync("mkfifo", [join(project, "pipe")]);
  (await tested.model.asked()).calls(["Agent", { description: "make it", prompt: "Make it." }]);
  (await tested.model.asked()).calls(["Bash", { command: "cat pipe" }], ["Bash", { command: "touch made" }]);
  const text = await program.sees("Permission ─ sub-agent general-purpose (agent-1) ─");
  expect(text).toMatch(
    /Agent: make it · running .*\n {2}└ \$ cat pipe · running .*\n {4}\$ touch made · waiting for approval\n/,
  );
  writeFileSync(join(project, "pipe"), "x");
  await program.sees((seen) => seen.includes("Permission") && !seen.includes("cat pipe · running"));
  await program.answers("y");
  (await tested.model.asked()).says("Made.");
  (await tested.model.asked()).says("It is done.");
  expect(await program.sees("It is done.")).toMatch(
    /✓ Agent: make it · done.*\n {2}└ 2 calls · \d+ tokens\n {4}Made\.\n/,
  );
});

test("Ctrl+B moves the running command to the background, and the model goes on", async () => {
  const program = tested.start({ prompt: "serve it", args: ["--allowedTools", "Bash"] });
  (await tested.model.asked()).calls([
    "Bash",
    { command: "echo listening; while :; do sleep 0.2; done", description: "Serve" },
  ]);
  await program.sees((text) => /^\W*listening$/m.test(text));
  program.press("\u0002");
  const next = await tested.model.asked();
  expect(tested.model.requests.at(-1)).toContain("Still running, now in the background as bash_1");
  next.says("It serves.");
  await program.sees("It serves.");
  // It ends its jobs, which it could not if it were killed.
  process.kill(program.pid, "SIGTERM");
  expect(await program.ended).toBe(143);
});

test("an image is drawn as sixel where the terminal says that it can, below its size in words", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "project/shot.png"), pngBytes(64, 48));
  const program = tested.start({ folder });
  await program.sees("/help for commands");
  // The answer of a terminal with sixel graphics.
  program.press("\u001b[?62;4;22c");
  await program.types("show it");
  (await tested.model.asked()).calls(["Read", { file_path: "shot.png" }]);
  (await tested.model.asked()).says("Shown.");
  await expect.poll(() => program.written).toContain('\u001bP0;1;0q"1;1;');
  await program.sees("Shown.");
  expect(program.text()).toContain("PNG image, 64 × 48 pixels");
  expect(program.text()).not.toContain("62;4");
});
