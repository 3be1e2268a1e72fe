/** The command line of `runahead import`. */

import { type Command, Option } from "commander";
import type { World } from "../shared/world.ts";

export function addImport(root: Command, world: World, done: (code: number) => void): void {
  root
    .command("import")
    .description("List sessions of Claude Code and Codex, or take one over, to continue it with --resume.")
    .argument(
      "[session]",
      "id, the first characters of it, or a file (default: list the sessions of this folder)",
    )
    .option("--list", "list sessions (default without an id)")
    .addOption(
      new Option("--from <program>", "only sessions of this program (default: both)").choices([
        "claude",
        "codex",
      ]),
    )
    .option("--all", "import all sessions of this folder; with --list: list those of all folders")
    .option("--cwd <folder>", "folder that the session belongs to (default: the folder where it ran)")
    .option("--again", "import a session once more, with a new id")
    .option("--json", "print JSON")
    .action(async (session: string | undefined, options: object) => {
      const { importSessions } = await import("./import.ts");
      done(await importSessions(world, session, options));
    });
}
