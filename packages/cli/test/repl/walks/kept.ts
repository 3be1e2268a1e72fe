/** What is kept between two starts, keys from a file, files in prompts, and what the terminal's title says. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pngBytes } from "../../../../tools/test/support/image-bytes.ts";
import { newFolder } from "../terminal.ts";
import { ENTER, ESC, SHIFT_TAB, type Walk, numbered, prompted } from "./walk.ts";

/** A repository without settings, which needs no trust, and a user with keys of their own. */
export function plainFolder(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = newFolder();
  const project = join(folder, "project");
  execFileSync("git", ["init", "-q"], { cwd: project });
  writeFileSync(join(project, "shot.png"), pngBytes(64, 48));
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/greeting.ts"), numbered(8));
  const own = join(folder, "home/.runahead");
  mkdirSync(own, { recursive: true });
  writeFileSync(
    join(own, "keybindings.json"),
    JSON.stringify({ "ctrl+t": "stash", "ctrl+s": null, "ctrl+c": "stash" }),
  );
  writeFileSync(join(own, "settings.json"), JSON.stringify({ preferredNotifChannel: "osc9" }));
  const usual = (process.env["PATH"] ?? "").split(delimiter).filter((one) => !one.includes("node_modules"));
  return { folder, env: { PATH: usual.join(delimiter) } };
}

export async function kept(walk: Walk): Promise<void> {
  await keys(walk);
  await attached(walk);
  await always(walk);
  await planned(walk);
  await again(walk);
}

async function keys({ screens }: Walk): Promise<void> {
  const { program } = screens;
  await screens.shows("an invalid key of keybindings.json", "this key cannot be changed");
  program.press("?");
  await screens.showsClosed("the keys of keybindings.json", "─ Keys ─");
  program.press("a draft");
  await program.sees("› a draft");
  program.press("\u0014");
  await screens.shows("a key of keybindings.json puts the text aside", "Put aside.");
  program.press("\u0014");
  await program.sees("› a draft");
  program.press("\u0015");
  await program.sees((text) => !text.includes("› a draft"));
}

async function attached(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const answer = await prompted(walk, "compare @shot.png with @a.txt and @b.txt");
  const request = model.requests.at(-1) ?? "";
  if (!request.includes('"type":"image"') || !request.includes("hello"))
    throw new Error(`The files were not sent: ${request.slice(-2000)}`);
  answer.says("They differ.");
  await screens.shows("an image, a file and a missing file in a prompt", "They differ.");
}

/** Whether the program sent this sequence to the terminal. */
async function sent({ screens: { program } }: Walk, sequence: string): Promise<void> {
  await program.sees(() => program.written.includes(sequence));
}

async function always(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  const { program } = screens;
  const calls = await prompted(walk, "make it");
  await sent(walk, "\u001b]0;runahead · project · working\u0007");
  calls.calls(["Bash", { command: "touch made" }]);
  await sent(walk, "\u001b]0;runahead · project · needs you\u0007");
  await sent(walk, "\u001b]9;Runahead: A question is waiting for your answer.\u0007");
  await program.answers("a");
  await program.sees("Enter to confirm");
  program.press(ENTER);
  (await model.asked()).says("It is made.");
  await screens.shows("always: the call ran", "It is made.");
  await program.types("!git status --short");
  await screens.shows("always: the settings are not in git", "?? shot.png");
}

async function planned(walk: Walk): Promise<void> {
  const { screens } = walk;
  const { program } = screens;
  program.press(SHIFT_TAB);
  await program.sees("── Accept edits");
  program.press(SHIFT_TAB);
  await program.sees("── Plan mode");
  (await prompted(walk, "plan it")).calls(["ExitPlanMode", { plan: "1. Rename it." }]);
  await program.answers(ESC, "Start with this plan?");
  await screens.shows("Esc keeps planning", "Stopped: the user");
  program.press("\u0004");
  await program.sees("Resume with");
}

async function again(walk: Walk): Promise<void> {
  const { screens, model } = walk;
  screens.program = walk.start(["-c"]);
  await screens.shows("-c: still in plan mode, and no question about trust", "Resumed after");
  const answer = await prompted(walk, "go on");
  if (!model.requests.at(-1)?.includes("Plan mode is on"))
    throw new Error("The model does not know that plan mode is on.");
  answer.calls(["Bash", { command: "touch made" }]);
  (await model.asked()).says("It ran.");
  await screens.shows("a command that a rule names runs in plan mode", "It ran.");
  await screens.program.types("/export talk.md");
  await screens.shows("/export talk.md", "Written to");
}
