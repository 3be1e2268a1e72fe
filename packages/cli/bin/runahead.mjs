#!/usr/bin/env node
// A file that is there before anything is built, so that npm can link it.
import { existsSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Node 22 and later keep the compiled code. In the user's own folder: another user could fill a shared one.
module.enableCompileCache?.(join(process.env.RUNAHEAD_HOME || join(homedir(), ".runahead"), "cache"));
// The bundle starts in half the time; both are the same program.
const bundle = new URL("../dist/bundle/main.js", import.meta.url);
const { crashed, main } = await import(existsSync(bundle) ? bundle.href : "../dist/main.js");
process.on("uncaughtException", crashed);
process.exitCode = await main(process.argv.slice(2));
