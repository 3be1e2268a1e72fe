/** What commands print. */

import { ENTER, ESC, type Walk, cleared, prompted, talked, trusted } from "./walk.ts";

/** What a command prints, and a text in it. */
const PRINTED: readonly (readonly [command: string, mark: string])[] = [
  ["/context", "Context: "],
  ["/model claude-sonet-5", "Did you mean"],
  ["/effort hihg", "Unknown effort"],
  ["/effort high", "Effort: high"],
  ["/fast", "Fast model"],
  ["/fast", "Back to"],
  ["/cost", "1 turn · "],
  ["/skills", "No skills"],
  ["/add-dir ../home", "to the workspace"],
  ["/export talk.html", "Written to"],
  ["/export talk.html", "already exists"],
  ["/copy code", "Copied 32 characters"],
  ["/help", "/doctor"],
];

const ANSWER =
  "The greeting is in two files:\n\n```ts\nexport const greeting = 'hello';\n```\n\nBoth need it.";

export async function commands(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  await trusted(walk);
  await talked(walk, "where is the greeting?", ANSWER);
  for (const [command, mark] of PRINTED) {
    await program.types(command);
    await screens.shows(`${command}: ${mark}`, mark);
  }
  await program.types("/copy");
  await screens.shows("/copy", "What do you want to copy?");
  program.press(ENTER);
  await screens.shows("/copy: the whole answer", "Copied 88 characters");
  await program.types("/search greeting");
  await screens.shows("/search", " with greeting");
  program.press(ENTER);
  await screens.showsClosed("/search: an open message", "Esc to close");
  await program.sees(" with greeting");
  program.press(ESC);
  await program.sees((text) => !text.includes(" with greeting"));
  for (const [command, text] of [
    ["/init", "AGENTS.md"],
    ["/review", "Review"],
  ] as const) {
    const asked = await prompted(walk, command);
    asked.says(`Done with ${command}.`);
    await screens.shows(command, `Done with ${command}.`);
    if (!model.requests.at(-1)?.includes(text)) throw new Error(`${command} did not ask for ${text}.`);
  }
  program.press("/per");
  await screens.shows("a command by its first letters", "→ /permissions");
  await cleared(walk, "→ /permissions");
}
