/** Calls that run, messages that wait, sub-agents, and what is typed meanwhile. */

import { CLEAR_LINE, DOWN, ENTER, ESC, type Walk, cleared, prompted, trusted } from "./walk.ts";

export async function work(walk: Walk): Promise<void> {
  await trusted(walk);
  await running(walk);
  await agents(walk);
  await stopping(walk);
  await ownCommands(walk);
  await typing(walk);
}

async function running(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  (await prompted(walk, "count")).calls(
    ["Bash", { command: "seq 1 1000000", description: "Count to a million" }],
    ["TaskCreate", { subject: "Count", description: "Count to a million", activeForm: "Counting" }],
  );
  const next = await model.asked();
  next.calls(["Bash", { command: "seq 1 3; sleep 4000", description: "Wait for it" }]);
  await screens.shows("a million lines, a list of tasks, and a command that runs", "Wait for it · running");
  program.press("and then stop");
  await program.sees("› and then stop");
  program.press(ENTER);
  await screens.shows("a message that waits", "and then stop");
  program.press("\u0002");
  const after = await model.asked();
  await screens.shows("Ctrl+B: the command is in the background", "Working");
  after.says("I stop here.");
  await screens.shows("background work is visible", "I stop here.");
  const streaming = await prompted(walk, "talk");
  streaming.send(
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    {
      type: "content_block_delta",
      index: 0,
      delta: {
        type: "text_delta",
        text: "The first words of an answer that goes on for a while, so that its tokens are counted before it has ended. ".repeat(
          2,
        ),
      },
    },
  );
  await screens.shows("tokens count while the answer streams", "The first words");
  program.press(ESC);
  await screens.shows("an interrupted turn", "Interrupted.");
  streaming.ends("end_turn");
}

async function agents(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  (await prompted(walk, "look around")).calls([
    "Agent",
    { description: "Look for the greeting", prompt: "Look.", subagent_type: "explore" },
  ]);
  const sub = await model.asked();
  sub.calls(["Grep", { pattern: "line1", path: "src" }]);
  const again = await model.asked();
  await screens.shows("a sub-agent at work", "· 1 call");
  await program.types("/tasks");
  await screens.shows("/tasks: a sub-agent and a command", "Enter to open");
  program.press(ENTER);
  await screens.shows("/tasks: an open sub-agent", "agent-1 ─ live");
  program.press(ESC);
  await program.sees("Enter to open");
  program.press(ESC);
  await program.sees((text) => !text.includes("Enter to open"));
  again.says("It is in one file.");
  (await model.asked()).says("Found.");
  await screens.shows("the answer of a sub-agent", "Found.");
}

/** A command that starts the agent again asks before it stops background work, and keeps the rules of the session. */
async function stopping({ screens }: Walk): Promise<void> {
  const { program } = screens;
  await program.types("/effort high");
  await screens.shows("/effort would stop background work", "Stop what runs in the background?");
  program.press(ENTER);
  await screens.shows("/effort: the background work is kept", "still running in the background");
  await program.types("/effort high");
  await program.sees("Stop what runs in the background?");
  program.press(`${DOWN}\r`);
  await screens.shows("/effort: the background work is stopped", "Effort: high");
}

async function ownCommands({ screens }: Walk): Promise<void> {
  const { program } = screens;
  await program.types("!seq 1 3");
  await screens.shows("! runs a command of the user", "! seq 1 3");
  await program.types("!!echo private");
  await screens.shows("!! keeps it private", "!! echo private");
  await program.types("!vim");
  await screens.shows("a program that has the terminal", "this is vim:");
  program.press(ENTER);
  await screens.shows("after a program that had the terminal", "! vim");
}

async function typing(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  program.press("see \u0016");
  await screens.shows("an image from the clipboard", "[Image #1]");
  program.press("\u0013");
  await screens.shows("Ctrl+S puts the text aside", "Put aside.");
  program.press("\u0013");
  await program.sees("› see [Image #1]");
  await cleared(walk, "[Image #1]");
  program.press("\u0012loo");
  await screens.showsClosed("Ctrl+R searches previous prompts", "Search previous prompts");
  await program.types("/vim");
  await program.sees("vim: insert");
  program.press("one two");
  await program.sees("› one two");
  program.press(ESC);
  await program.sees("vim: normal");
  program.press("d");
  await screens.shows("vim keys", "vim: normal d");
  program.press("d");
  await program.sees((text) => !text.includes("› one two"));
  program.press("i");
  await program.sees("vim: insert");
  await program.types("/vim");
  await program.sees((text) => !text.includes("vim: insert"));
  await program.sees("editorMode: normal. Saved");
  program.press("#short answers");
  await program.sees("#short answers");
  program.press(ENTER);
  await screens.showsClosed("# adds a line to an instruction file", "Where should this be saved?");
  await program.sees("Nothing saved.");
  program.press(`/unknwon${ENTER}`);
  await screens.shows("an unknown command", "Unknown command");
  program.press(CLEAR_LINE);
}
