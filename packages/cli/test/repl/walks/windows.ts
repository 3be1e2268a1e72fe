/** Windows that change their size, views of the whole screen, calls that wait for each other, and lines that are too long. */

import { expect } from "vitest";
import { ESC, SHIFT_TAB, type Walk, prompted } from "./walk.ts";

const NAMES = ["one", "two", "three", "four", "five", "six"];
/** Changes that do not fit are printed as they end, so the machine decides about their order. */
const WRITTEN = new RegExp(`Write (?:${NAMES.join("|")})\\.txt`, "g");

export async function windows(walk: Walk): Promise<void> {
  await walk.screens.program.idle();
  await waiting(walk);
  await longLine(walk);
  await views(walk);
  await sixWrites(walk);
}

/** A read of a file that a command before it changes. */
async function waiting(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  (await prompted(walk, "make it")).calls(
    ["Bash", { command: "touch a.txt", description: "Touch it" }],
    ["Read", { file_path: "a.txt" }],
  );
  await screens.shows("a call waits for the one before it", "queued");
  await program.answers("y");
  (await model.asked()).says("It is made.");
  await screens.shows("how long a call has waited", "after waiting");
  program.press("\u000f");
  await screens.shows("why a call has waited", "Waited");
  program.press(ESC);
  await program.sees((text) => !text.includes("─ 2 of 2"));
}

async function longLine(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  (await prompted(walk, "print it")).calls([
    "Bash",
    { command: "seq -s , 1 4000; seq 1 2", description: "Print a long line" },
  ]);
  (await model.asked()).says("It is printed.");
  await screens.shows("a line that would fill the screen is cut", "It is printed.");
}

/** The output of a call on the whole screen, then what was there before. */
async function views(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  const { columns, rows } = program.size;
  program.press("\u000f");
  await screens.shows("the whole line, with Ctrl+O", "Esc to close");
  program.resize(Math.ceil(columns / 2), rows / 2);
  await screens.shows("the view in half the window", "Esc to close");
  program.resize(columns, rows);
  program.press(ESC);
  await program.sees((text) => !text.includes("Esc to close"));
  await screens.shows("the view has left nothing", "It is printed.");
}

async function sixWrites(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  const { columns, rows } = program.size;
  const content = Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n");
  (await prompted(walk, "write them")).calls(
    ...NAMES.map((name) => ["Write", { file_path: `${name}.txt`, content }] as const),
  );
  await screens.shows("the first of six changes", "Permission ─ 1 of 6");
  program.resize(Math.ceil(columns / 2), rows / 2);
  await screens.shows("a question in half the window", "Permission ─ 1 of 6");
  program.resize(columns, rows);
  await screens.shows("the question in the whole window again", "Permission ─ 1 of 6");
  program.press(SHIFT_TAB);
  (await model.asked()).says("All six are written.");
  await screens.shows("six changes that the mode allows, once each", "All six are written.", (text) =>
    text.replaceAll(WRITTEN, "Write ….txt"),
  );
  const written = program.text().match(WRITTEN) ?? [];
  expect(written).toEqual([...new Set(written)]);
}
