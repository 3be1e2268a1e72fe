/** Lists that are filtered and used, and ways back: to a model, a prompt, a shorter conversation and another session. */

import { has } from "../terminal.ts";
import { CLEAR_LINE, DOWN, ENTER, type Walk, prompted, talked } from "./walk.ts";

export async function returns(walk: Walk): Promise<void> {
  await walk.screens.program.idle();
  await filtered(walk);
  await rewound(walk);
  await shortened(walk);
  await resumed(walk);
}

/** The list of models, by some letters. */
async function filtered(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  await program.types("/model");
  await program.sees("type to filter");
  program.press("haiku45");
  await screens.shows("/model: filtered", "─ haiku45 ─");
  program.press(ENTER);
  await screens.shows("/model: chosen", "Model: claude-haiku-4-5");
  await program.types("/theme");
  await program.sees("─ Colours ─");
  program.press("zzz");
  await screens.shows("/theme: nothing matches", "no match");
  program.press("\u001b");
  await program.sees((text) => !text.includes("no match"));
  program.press("\u001b");
  await program.sees((text) => !text.includes("─ Colours ─"));
}

async function rewound(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  // Long enough to be summarised.
  await talked(walk, "where is it?", `${"It is in a file. ".repeat(600)}\n\nIn a.txt.`);
  (await prompted(walk, "change it")).calls(["Write", { file_path: "new.txt", content: "new\n" }]);
  await program.answers("y");
  (await model.asked()).says("Changed.");
  await program.sees("Changed.");
  await program.idle();
  await program.types("/rewind");
  await program.sees("Which prompt do you want");
  program.press(ENTER);
  await program.sees("What do you want to restore?");
  program.press(ENTER);
  await screens.shows("/rewind: the files and the conversation", "new.txt");
  program.press(CLEAR_LINE);
  await program.sees((text) => /^› *$/m.test(text));
  await program.types("!ls");
  await screens.shows("/rewind: the new file is gone", "shot.png");
}

async function shortened(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  await program.types("/compact keep the names");
  (await model.asked()).says("<summary>The greeting is in a.txt.</summary>");
  await screens.shows("/compact", "The conversation was");
  await program.types("/clear");
  await screens.shows("/clear", "context 0 %");
}

async function resumed(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  await talked(walk, "a new start", "Started.");
  await program.types("/resume");
  await program.sees((text) => has(text, "Which session do you want"));
  program.press(DOWN);
  await program.sees((text) => has(text, "Which session do you want"));
  program.press(ENTER);
  await screens.shows("/resume: another session", "Resumed after");
}
