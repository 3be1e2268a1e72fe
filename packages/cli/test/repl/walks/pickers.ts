/** The lists that commands open. */

import { DOWN, ENTER, ESC, type Walk, filled, prompted, talked, trusted } from "./walk.ts";
import { has } from "../terminal.ts";

/** A list: the command, a text on it, and what to open in it. */
interface List {
  readonly command: string;
  readonly mark: string;
  /** Keys that open an entry, and a text on what opens. */
  readonly opens?: readonly [keys: string, mark: string];
}

const LISTS: readonly List[] = [
  { command: "/model", mark: "─ Model: " },
  { command: "/agents", mark: "─ Sub-agents", opens: ["scout\r", "File: "] },
  { command: "/mcp", mark: "2 MCP servers", opens: [ENTER, "State: ready"] },
  { command: "/hooks", mark: "1 hook", opens: ["\r", "npm run format"] },
  { command: "/permissions", mark: "Permission rules" },
  { command: "/config", mark: "─ Settings", opens: ["\r", "colour-blind"] },
  { command: "/theme", mark: "─ Colours" },
  { command: "/memory", mark: "Instruction files" },
  { command: "/effort", mark: "How much should the model think?" },
  { command: "/rewind", mark: "Which prompt do you want" },
];

export async function pickers(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  await trusted(walk);
  await talked(walk, "where is the greeting?", "In src/greeting.ts.");
  await changed(walk);
  for (const { command, mark, opens } of LISTS) {
    await program.types(command);
    await screens.shows(command, mark);
    if (opens !== undefined) {
      const [keys, opened] = opens;
      program.press(keys);
      await screens.showsClosed(`${command}: an open entry`, opened);
      // Until the list is there again, keys go to the input line.
      await program.sees(mark);
    }
    program.press(ESC);
    await program.sees((text) => !has(text, mark));
  }
  await rules(walk);
  await back(walk);
}

/** So that /rewind has something to restore. */
async function changed(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  (await prompted(walk, "rename it, also in the tests")).calls([
    "Write",
    { file_path: "new.txt", content: "new\n" },
  ]);
  await screens.program.answers("y");
  (await model.asked()).says("Renamed.");
  await screens.program.sees("Renamed.");
  await screens.program.idle();
}

async function rules(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  await program.types("/permissions");
  await program.sees("Permission rules");
  program.press(ENTER);
  await screens.shows("/permissions: what a rule does", "What should the rule do?");
  program.press(ENTER);
  await screens.shows("/permissions: a rule to add", "The rule to allow");
  await filled(walk, "The rule to allow", "Bash(make:*)");
  await screens.shows("/permissions: for how long", "for how long?");
  program.press(ENTER);
  await screens.shows("/permissions: the rule is in the list", "this session");
  program.press(`${DOWN}\r`);
  await filled(walk, "What do you want to test?", "make all && rm -rf build");
  await screens.showsClosed("/permissions: the result of a test", "─ Result");
  await program.sees("Permission rules");
  program.press(ESC);
  await screens.shows("/permissions: what was done", "Added for this session");
}

async function back({ screens }: Walk): Promise<void> {
  const { program } = screens;
  await program.types("/rewind");
  await program.sees("Which prompt do you want");
  program.press(ENTER);
  await screens.showsClosed("/rewind: what to restore", "What do you want to restore?");
}
