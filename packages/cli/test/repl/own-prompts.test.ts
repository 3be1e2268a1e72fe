/** `/init`, `/review`, `/effort` and `/fast`, an interrupted turn, and what "always" leaves in the project. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Answering } from "./answers.ts";
import { programs } from "./programs.ts";
import { type Program, newFolder } from "./terminal.ts";

const tested = programs();
const ESC = "\u001b";

/** A project in a real repository. */
function repository(): string {
  const folder = newFolder();
  const project = join(folder, "project");
  rmSync(join(project, ".git"), { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  return folder;
}

/** What the model was asked, as it was sent. */
const lastRequest = (): { readonly model: string; readonly text: string } => {
  const text = tested.model.requests.at(-1) ?? "{}";
  return { model: (JSON.parse(text) as { model: string }).model, text };
};

/** Sends a prompt, and waits until the model is asked. */
async function asks(program: Program, line: string): Promise<Answering> {
  await program.types(line);
  return tested.model.asked();
}

async function answered(program: Program, answer: Answering, words: string): Promise<void> {
  answer.says(words);
  await program.sees(words);
  await program.idle();
}

test("/init writes AGENTS.md, /review looks at the changes, /effort and /fast change the next request", async () => {
  const program = tested.start({ folder: repository(), args: ["--permission-mode", "acceptEdits"] });
  const path = join(program.folder, "project/AGENTS.md");
  await program.sees("/help for commands");
  const init = await asks(program, "/init mention the linter");
  expect(lastRequest().text).toContain(`Write ${path}, the instruction file`);
  expect(lastRequest().text).toContain("The user adds: mention the linter");
  await program.sees((text) =>
    /› Write [^›]+, the instruction file[^›]+\n {2}… [\d.k]+ characters\n/.test(text),
  );
  init.calls(["Write", { file_path: path, content: "# Shop\n" }]);
  await answered(program, await tested.model.asked(), "The file is written.");
  expect(readFileSync(path, "utf8")).toBe("# Shop\n");
  const review = await asks(program, "/review");
  expect(lastRequest().text).toContain("Review the changes of the working tree: `git diff HEAD`");
  await answered(program, review, "Nothing to report.");
  const pull = await asks(program, "/review #12");
  expect(lastRequest().text).toContain("Review pull request 12, which `gh pr view` and `gh pr diff` show");
  await answered(program, pull, "It is fine.");

  await program.types("/effort hihg");
  await program.sees("Unknown effort hihg. Did you mean high?");
  await program.types("/effort high");
  await program.sees("Effort: high");
  await answered(program, await asks(program, "think about it"), "Thought of.");
  expect(lastRequest().text).toContain('"effort":"high"');

  await program.types("/fast");
  await program.sees("Fast model: claude-haiku");
  await answered(program, await asks(program, "be quick"), "Done quickly.");
  expect(lastRequest().model).toContain("haiku");
  await program.types("/fast");
  await program.sees("Back to claude-sonnet-5");
  await answered(program, await asks(program, "as before"), "Done as before.");
  expect(lastRequest().model).toBe("claude-sonnet-5");
});

test("always keeps the settings out of git and needs no trust at the next start, and the time of a prompt starts at 0 after an interrupt", async () => {
  const folder = repository();
  const project = join(folder, "project");
  const first = tested.start({ folder });
  await first.sees("/help for commands");
  const interrupted = await asks(first, "take your time");
  await first.sees((text) => /Working (?:[4-9]|\d\d)\.\d s/.test(text));
  first.press(ESC);
  await first.sees("Interrupted.");
  interrupted.ends("end_turn");
  const before = first.written.length;
  const next = await asks(first, "make it");
  await first.sees("Working");
  expect(first.written.slice(before)).toMatch(/Working [0-3]\.\d s/);

  next.calls(["Bash", { command: "touch made" }]);
  await first.answers("a");
  await first.sees("› a always allow in this project: Enter to confirm");
  first.press("\r");
  await answered(first, await tested.model.asked(), "It is made.");
  expect(existsSync(join(project, "made"))).toBe(true);
  expect(readFileSync(join(project, ".git/info/exclude"), "utf8")).toContain(
    "/.runahead/settings.local.json\n",
  );
  const added = execFileSync("git", ["add", "-A", "--dry-run"], { cwd: project, encoding: "utf8" });
  expect(added).toBe("add 'a.txt'\nadd 'made'\n");
  first.press("\u0004");
  expect(await first.ended).toBe(0);

  const second = tested.start({ folder });
  expect(await second.sees("/help for commands")).not.toContain("Do you trust");
  (await asks(second, "make it again")).calls(["Bash", { command: "touch made" }]);
  (await tested.model.asked()).says("Made again.");
  expect(await second.sees("Made again.")).not.toContain("Permission");
});

test("a skill that is added while the program runs is in the list of commands", async () => {
  const program = tested.start({ args: ["--trust"] });
  await program.sees("/help for commands");
  const skill = join(program.folder, "project/.claude/skills/late");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\ndescription: Added while it runs.\n---\nDo it.\n");
  // What is new is found while something else is typed, and offered at the next key.
  const listed = async (): Promise<string> => {
    program.press("/lat");
    const shown = await program.sees("/lat");
    program.press("\u0015");
    await program.sees((text) => !text.includes("/lat"));
    return shown;
  };
  await expect.poll(listed, { interval: 500 }).toContain("Added while it runs.");
});
