/** The program as a person starts it, from the sources: `node --import tsx entry.ts [prompt]`, flags in `REPL_FLAGS`. */

import { homedir } from "node:os";
import { repl } from "../../src/repl/repl.ts";
import type { RunFlags } from "../../src/run/flags.ts";
import { terminal } from "../../src/world.ts";

const world = {
  cwd: process.cwd(),
  home: homedir(),
  env: process.env,
  print: terminal(process.stdout),
  complain: terminal(process.stderr),
};
const flags = JSON.parse(process.env["REPL_FLAGS"] ?? "{}") as RunFlags;
process.exitCode = await repl(world, { prompt: process.argv[2] ?? "", flags });
