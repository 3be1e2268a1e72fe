/** What letters alone do not show: colours, links, images, and a timer that begins again. */

import { DOWN, ENTER, ESC, type Walk, prompted } from "./walk.ts";

const THEMES = ["ansi", "dark", "light", "colour-blind"] as const;

const answerIn = (theme: string): string =>
  [
    "# The greeting",
    "It is in **two** places, *see* `src/greeting.ts` and [the docs](https://example.org/greeting):",
    "| file | lines |\n|:--|--:|\n| a.txt | 1 |",
    "```ts\nexport const greeting: string = 'hello'; // said once\nif (greeting === null) throw new Error(`no ${42}`);\n```",
    `> These are the colours of ${theme}.`,
  ].join("\n\n");

export async function looks(walk: Walk): Promise<void> {
  await walk.screens.program.idle();
  for (const [at, theme] of THEMES.entries()) await colours(walk, theme, at + 2);
  await timer(walk);
  await ended(walk);
  await links(walk);
  await images(walk);
}

/** An answer, a change that is being approved, and the change that was made. */
async function colours(walk: Walk, theme: string, line: number): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  await program.types(`/theme ${theme}`);
  await program.sees(`theme: ${theme}. Saved`);
  (await prompted(walk, `answer in ${theme}`)).says(answerIn(theme));
  await screens.showsStyled(`${theme}: an answer`, `the colours of ${theme}.`);
  const changing = await prompted(walk, `change it in ${theme}`);
  changing.calls(["Read", { file_path: "src/greeting.ts" }]);
  const path = { file_path: "src/greeting.ts" };
  (await model.asked()).calls([
    "Edit",
    { ...path, old_string: `line${line} = ${line};`, new_string: `line${line} = "number ${line}"; // new` },
  ]);
  await screens.showsStyled(`${theme}: a change to approve`, "Permission ─");
  await program.answers(DOWN);
  await screens.showsStyled(`${theme}: a marked option`, "Enter to confirm");
  program.press(ENTER);
  (await model.asked()).calls(["Bash", { command: "seq 1 2; false", description: "Fail" }]);
  (await model.asked()).says(`Changed in ${theme}.`);
  await screens.showsStyled(`${theme}: a change, and a command that failed`, `Changed in ${theme}.`);
}

const SHOWN_TIME = /Working (?:(\d+) min )?(\d+(?:\.\d)?) s · Esc/;
const LEAST_S = 2;
const SLACK_S = 1;

/** The time of an interrupted turn is not the time of the next one. */
async function timer(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  const shown = (text: string): number => {
    const [, minutes = "0", seconds = "-1"] = SHOWN_TIME.exec(text) ?? [];
    return Number(minutes) * 60 + Number(seconds);
  };
  const first = await prompted(walk, "wait for it");
  await program.sees((text) => shown(text) >= LEAST_S);
  program.press(ESC);
  await screens.shows("an interrupted turn has no timer", "Interrupted.");
  first.ends("end_turn");
  await program.idle();
  const beforeMs = performance.now();
  const second = await prompted(walk, "and again");
  const time = shown(await program.sees((text) => shown(text) >= 0));
  if (time > (performance.now() - beforeMs) / 1000 + SLACK_S)
    throw new Error(`The timer of the interrupted turn goes on: ${time} s.`);
  await screens.shows("the timer of the next turn", "Working");
  second.says("Now.");
  await program.sees("Now.");
}

async function ended({ screens: { program } }: Walk): Promise<void> {
  program.press("\u0004");
  await program.sees("Resume with");
}

async function links(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  screens.program = walk.start([], { TERM_PROGRAM: "vscode" });
  await screens.program.sees("/help for commands");
  (await prompted(walk, "where is it?")).calls(["Read", { file_path: "src/greeting.ts" }]);
  (await model.asked()).says("See https://example.org/a_(b). It is short.");
  await screens.showsStyled("links: a file, and an address without the dot after it", "It is short.");
  await ended(walk);
}

const TERMINALS = {
  kitty: { KITTY_WINDOW_ID: "1" },
  iTerm2: { ITERM_SESSION_ID: "w0t0p0" },
  sixel: { TERM: "foot" },
  "no images": {},
} as const;

async function images(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  for (const [name, env] of Object.entries(TERMINALS)) {
    screens.program = walk.start([], env);
    await screens.program.sees("/help for commands");
    (await prompted(walk, "show it")).calls(["Read", { file_path: "shot.png" }]);
    (await model.asked()).says("Shown.");
    await screens.shows(`an image: ${name}`, "Shown.");
    await ended(walk);
  }
}
