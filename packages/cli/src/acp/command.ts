/** The options of `runahead acp`. */

import type { Command } from "commander";
import type { RunFlags } from "../shared/flags.ts";
import type { World } from "../shared/world.ts";

export function addAcp(root: Command, world: World, done: (code: number) => void): void {
  root
    .command("acp")
    .description("Run as an agent for editors: the Agent Client Protocol on standard input and output.")
    .option("--model <name>", "model, or provider/model (default: from the settings or the API key)")
    .option(
      "--effort <level>",
      "how much the model thinks: low, medium, high, xhigh or max (default: its own)",
    )
    .option(
      "--replay <file>",
      "play a recorded session instead of calling a model; each session starts from its beginning",
    )
    .option(
      "--permission-mode <mode>",
      "permission mode of new sessions (default: from the settings, else default)",
    )
    .option(
      "--settings <file-or-json>",
      "settings file or JSON that overrides all other settings except managed ones",
    )
    .option("--trust", "trust every folder for this run only")
    .action(async (flags: RunFlags) => {
      const { acp } = await import("./acp.ts");
      done(await acp(world, flags));
    });
}
