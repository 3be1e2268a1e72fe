/** Suspending, leaving, resuming, a copy of an open session, and a terminal without control sequences. */

import { ENTER, type Walk, prompted, trusted } from "./walk.ts";

/** The notice about the broken server would come at any time. */
const ONLY_NAMED_SERVERS = "--strict-mcp-config";

export async function sessions(walk: Walk): Promise<void> {
  const { screens } = walk;
  const first = screens.program;
  await trusted(walk);
  const read = await prompted(walk, "read it");
  read.calls(["Read", { file_path: "a.txt" }]);
  (await walk.model.asked()).says("It says hello.");
  await first.sees("It says hello.");
  await first.idle();
  first.press("\u001a");
  await screens.shows("Ctrl+Z gives the terminal to the shell", "the shell has the terminal");
  first.press(ENTER);
  await first.sees((text) => text.trimEnd().endsWith("%"));
  screens.program = walk.start(["--resume", ONLY_NAMED_SERVERS]);
  await screens.program.answers("\u001b[A\r", "Do you trust this folder?");
  await screens.shows("--resume: the list of sessions", "Which session do you want");
  await screens.program.answers(ENTER, "Which session do you want");
  await screens.shows("a session that is open elsewhere", "Open a copy?");
  await screens.program.answers(ENTER, "Open a copy?");
  await screens.shows("a resumed session shows its transcript", "Resumed after");
  await screens.program.types("/resume");
  await screens.showsClosed("/resume", "Which session do you want");
  screens.program.press("\u0004");
  await screens.shows("the exit card", "Resume with");
  await dumbTerminal(walk);
}

async function dumbTerminal(walk: Walk): Promise<void> {
  const { screens } = walk;
  screens.program = walk.start([ONLY_NAMED_SERVERS], { TERM: "dumb" });
  const { program } = screens;
  await screens.shows("TERM=dumb: trust", "Type a number");
  await program.answers("3\r", "Type a number");
  await screens.shows("TERM=dumb: the start", "Type a prompt and press Enter");
  (await prompted(walk, "make it")).calls(["Bash", { command: "touch one", description: "Make it" }]);
  await screens.shows("TERM=dumb: a question", "reject and end the turn");
  await program.answers("n\r", "reject and end the turn");
  await screens.shows("TERM=dumb: the end of the turn", "[default · ");
}
