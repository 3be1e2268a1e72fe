/** The options of `runahead acp`. */

import type { Command } from "commander";
import type { RunFlags } from "../shared/flags.ts";
import type { World } from "../shared/world.ts";

export function addAcp(root: Command, world: World, done: (code: number) => void): void {
  root
    .command("acp")
    .description("Speaks the Agent Client Protocol on standard input and output, for editors.")
    .option("--model <name>", "the model")
    .option(
      "--replay <file>",
      "play a recording instead of asking a model, in each session from its beginning",
    )
    .option("--permission-mode <mode>", "the mode that sessions begin in")
    .option("--settings <file-or-json>", "further settings, above all but managed ones")
    .option("--trust", "as if every folder were trusted, for this run")
    .action(async (flags: RunFlags) => {
      const { acp } = await import("./acp.ts");
      done(await acp(world, flags));
    });
}
