/** The program as an editor starts it, from the sources: `node --import tsx entry.ts acp …`. */

import { homedir } from "node:os";
import { Command } from "commander";
import { addAcp } from "../../src/acp/command.ts";
import { terminal } from "../../src/world.ts";

const world = {
  cwd: process.cwd(),
  home: homedir(),
  env: process.env,
  print: terminal(process.stdout),
  complain: terminal(process.stderr),
};
const root = new Command("runahead");
addAcp(root, world, (code) => (process.exitCode = code));
await root.parseAsync(process.argv.slice(2), { from: "user" });
