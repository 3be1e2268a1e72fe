/** Trust, permission questions, questions of the model, and plans. */

import { join } from "node:path";
import { has } from "../terminal.ts";
import { DOWN, ENTER, ESC, SHIFT_TAB, TAB, UP, type Walk, filled, prompted } from "./walk.ts";

/** The first screen is the question about trust. */
export async function dialogs(walk: Walk): Promise<void> {
  await trust(walk);
  await permission(walk);
  await several(walk);
  await asking(walk);
  await plan(walk);
}

async function trust({ screens }: Walk): Promise<void> {
  const { program } = screens;
  await screens.shows("a folder that is not trusted", "Do you trust this folder?");
  await program.answers(UP, "Do you trust this folder?");
  await program.sees("→ Trust for this session");
  program.press(ENTER);
  await screens.shows("the start, with a status line of the user", "my own status line");
}

async function permission(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  const path = join(program.folder, "project/src/greeting.ts");
  const reading = await prompted(walk, "change them");
  reading.calls(["Read", { file_path: path }]);
  (await model.asked()).calls([
    "Edit",
    { file_path: path, old_string: "greeting", new_string: "welcome", replace_all: true },
  ]);
  await screens.shows("a change in several places has marks between its hunks", "Permission ─");
  await program.answers(DOWN);
  await screens.shows("the arrows mark an option, which Tab comments on", "Tab to add a comment");
  program.press(TAB);
  await screens.shows("Tab: a comment with the answer", "Allow once, and add:");
  await filled(walk, "Allow once, and add:", "and test it");
  await program.sees("and test it");
  const long = `npm publish && ${"rm -rf build/with/a/long/path && ".repeat(400)}true`;
  const second = await model.asked();
  await screens.shows("the change, and the comment as a message", "› and test it");
  second.calls(["Bash", { command: long, description: "Publish" }]);
  await screens.shows("a command that is too long for the screen", "↑ ↓ to scroll");
  await program.answers("e");
  await screens.shows("no, with words", "Reject, and do this instead:");
  await filled(walk, "Reject, and do this instead:", "only publish");
  (await model.asked()).calls(
    ["Write", { file_path: "notes/new.md", content: "# Notes\n\nOne line.\n" }],
    ["WebFetch", { url: "https://example.com/a/long/path?with=a&query=string", prompt: "What is new?" }],
  );
  await screens.shows("a new file, the first of two questions", "Permission ─ 1 of 2");
  await program.answers("s");
  await screens.shows("a letter for more than this call waits for Enter", "Enter to confirm");
  program.press(ENTER);
  await screens.shows("the second of two questions", "Permission ─ 2 of 2");
  await program.answers("n");
  await screens.shows("no ends the turn", "Stopped: the user");
}

async function several(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  const names = ["one", "two", "three", "four"];
  const calls = await prompted(walk, "make four");
  calls.calls(...names.map((name) => ["Bash", { command: `mkdir ${name}` }] as const));
  await program.answers("y", "Permission ─ 1 of 4");
  await screens.shows("the counter says 2 of 4", "Permission ─ 2 of 4");
  program.press("and then");
  await screens.shows("text that is typed while a question is open", "A question is waiting");
  await program.answers(TAB, "A question is waiting");
  await program.sees((text) => !text.includes("A question is waiting"));
  await program.answers(ESC, "Permission ─ 2 of 4");
  await screens.shows("the draft is still there", "Stopped: the user ended the turn.\n\n── Default");
  program.press("\u0015");
  await program.sees((text) => !/› and then *\n/.test(text));
}

const QUESTIONS = [
  {
    question: "Which database should the service use for its sessions?",
    header: "Database",
    options: [
      { label: "Postgres", description: "Durable and transactional; needs a server that somebody operates" },
      { label: "SQLite", description: "One file" },
    ],
  },
  {
    question: "Which parts do you want?",
    header: "Parts",
    multiSelect: true,
    options: [{ label: "Auth" }, { label: "Billing" }],
  },
  {
    question: "What is the name of the product?",
    header: "Name",
    options: [{ label: "Acme" }, { label: "Bolt" }],
  },
];

async function asking(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  (await prompted(walk, "ask me")).calls(["AskUser", { questions: QUESTIONS }]);
  await screens.shows("AskUser: options with descriptions", "Which database");
  await program.answers(ENTER, "Which database");
  await program.answers(" ", "Which parts do you want?");
  await screens.shows("AskUser: several options, one marked", "☑ Auth");
  program.press("\u001b[D");
  await screens.shows("AskUser: back to the first question, whose answer is kept", "Which database");
  await program.answers(ENTER, "Which database");
  await program.answers(ENTER, "Which parts do you want?");
  await program.answers(ESC, "What is the name");
  (await model.asked()).says("Thank you.");
  await screens.shows("AskUser: the answers are kept when the last question is skipped", "Thank you.");
}

const PLAN =
  "# Rename the greeting\n\n1. Change `src/greeting.ts`, its tests and its documentation.\n2. Run the **tests**.";

async function plan(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  program.press(SHIFT_TAB);
  await screens.shows("the mode that accepts edits, in words", "Accept edits");
  program.press(SHIFT_TAB);
  await screens.shows("plan mode, in words", "Plan mode");
  (await prompted(walk, "plan it")).calls(
    ["Write", { file_path: "a.txt", content: "hi\n" }],
    ["ExitPlanMode", { plan: PLAN }],
  );
  await screens.shows("the plan, after a change that plan mode denied", "Start with this plan?");
  program.press("use small steps");
  await program.answers(ENTER, "A question is waiting");
  await screens.shows("a message that waits while a question is open", "queued: use small steps");
  await program.answers(TAB, "Start with this plan?");
  await screens.shows("the plan: what should change", "What should change?");
  await filled(walk, "What should change?", "add a test");
  (await model.asked()).calls(["ExitPlanMode", { plan: `${PLAN}\n3. Add a test.` }]);
  // The plan is visible before the question.
  await program.sees((text) => has(text, "3. Add a test.") && has(text, "Start with this plan?"));
  await program.answers("\u0007", "Start with this plan?");
  await screens.shows("the plan, changed in the editor", "Plan ─ edited");
  await program.answers("1", "Plan ─ edited");
  (await model.asked()).says("I start.");
  await screens.shows("the plan is approved", "I start.");
  for (const mode of ["Plan mode", "Auto mode", "Default mode"]) {
    program.press(SHIFT_TAB);
    await program.sees(`── ${mode}`);
  }
}
