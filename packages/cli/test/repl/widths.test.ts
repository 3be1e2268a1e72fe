/**
 * What a person sees, as text, in narrow, usual and wide terminals: one run of the program for each width. The screens are
 * in `screens/`; `UPDATE_SCREENS=1 npx vitest run packages/cli/test/repl/widths.test.ts` records them again.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { pngBytes } from "../../../tools/test/support/image-bytes.ts";
import { programs } from "./programs.ts";
import { RecordedScreens } from "./recorded.ts";
import { type Program, newFolder } from "./terminal.ts";

const tested = programs();
/** A language server for the edited file would install types with npm, and still write when the test has ended. */
const WITHOUT_SERVERS = (process.env["PATH"] ?? "")
  .split(":")
  .filter((folder) => !folder.includes("node_modules"))
  .join(":");
const ESC = "\u001b";
const CLEAR_LINE = "\u0015";

const MARKDOWN = [
  "# The greeting",
  "It is in **two** places, see [the docs](https://example.org/greeting) and `src/greeting.ts`:",
  "| file | lines | state |\n|:--|--:|:-:|\n| src/greeting.ts | 30 | ok |\n| a.txt | 1 | **old** |",
  "```ts\nexport const greeting: string = 'hello'; // said once\n```",
  "1. Rename it.\n2. Test it.",
].join("\n\n");

const SOURCE = Array.from({ length: 30 }, (_, at) => `export const line${at + 1} = ${at + 1};`).join("\n");

function preparedFolder(): string {
  const folder = newFolder();
  const project = join(folder, "project");
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/greeting.ts"), `${SOURCE}\n`);
  writeFileSync(join(project, "shot.png"), pngBytes(64, 48));
  return folder;
}

interface Run {
  readonly program: Program;
  readonly screens: RecordedScreens;
}

/** The first screen, the keys, and completion of commands and files. */
async function typing({ program, screens }: Run): Promise<void> {
  await screens.shows("the start: mode in words, hint of keys, status", "context 0 %");
  program.press("?");
  await screens.shows("? shows the keys", "─ Keys ─");
  program.press("?");
  await program.sees((text) => !text.includes("─ Keys ─"));
  program.press("/mdl");
  await screens.shows("a command by some of its letters", "→ /model");
  program.press(CLEAR_LINE);
  await program.sees((text) => !text.includes("→ /model"));
  program.press("see @grtng");
  await screens.shows("a file by some of its letters", "→ src/greeting.ts");
  program.press(ESC);
  await program.sees((text) => !text.includes("→ src/greeting.ts"));
  program.press(CLEAR_LINE);
  await program.sees((text) => !text.includes("@grtng"));
  program.press(`\u001b[200~${"a line\n".repeat(120)}\u001b[201~`);
  await screens.shows("a long paste is folded", "[Pasted text #1");
  program.press("\u007f");
  await program.sees((text) => !text.includes("[Pasted"));
}

/** Markdown, calls, folded reads, progress, an image and a file that does not exist. */
async function answers({ program, screens }: Run): Promise<void> {
  await program.types("look at @nothing.txt");
  (await tested.model.asked()).says(MARKDOWN);
  await screens.shows("markdown: table, code, link, list", "2. Test it.");
  await program.types("read them");
  (await tested.model.asked()).calls(
    ["Read", { file_path: join(program.folder, "project/src/greeting.ts") }],
    ["Read", { file_path: "a.txt" }],
    ["Grep", { pattern: "hello" }],
    ["Bash", { command: "printf '1%%\\r50%%\\r100%%\\n'; seq 1 20", description: "Count to twenty" }],
  );
  (await tested.model.asked()).calls(["Read", { file_path: "shot.png" }]);
  (await tested.model.asked()).says("All read.");
  await screens.shows("reads fold, progress is one line, an image has its size", "All read.");
  program.press("\u000f");
  await screens.shows("Ctrl+O: what a call printed and waited for", "4 of 5 ─");
  program.press(ESC);
  await program.sees((text) => !text.includes("4 of 5 ─"));
}

/** Questions about an edit and a command. */
async function questions({ program, screens }: Run): Promise<void> {
  await program.types("change it");
  (await tested.model.asked()).calls([
    "Edit",
    { file_path: "src/greeting.ts", old_string: "line15 = 15", new_string: "fifteen = 'fifteen'" },
  ]);
  await screens.shows("the question about an edit: numbers and context", "Permission ─");
  await program.answers("y");
  (await tested.model.asked()).calls([
    "Bash",
    { command: "npm publish --tag next && rm -rf build", description: "Publish the package" },
  ]);
  await screens.shows("the question about a command: the part that matters", "Permission ─");
  await program.answers(ESC);
  await screens.shows("no ends the turn", "Stopped: the user");
}

test.each([40, 80, 200])("with %i columns every screen is as recorded", async (columns) => {
  const program = tested.start({
    folder: preparedFolder(),
    args: ["--allowedTools", "Bash(seq:*),Bash(printf:*)"],
    columns,
    rows: 44,
    env: { PATH: WITHOUT_SERVERS },
  });
  const run = { program, screens: new RecordedScreens(program, String(columns)) };
  await typing(run);
  await answers(run);
  await questions(run);
  run.screens.end();
});
