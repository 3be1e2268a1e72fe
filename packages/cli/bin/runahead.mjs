#!/usr/bin/env node
// A file that is there before anything is built, so that npm can link it.
import { existsSync } from "node:fs";

// The bundle starts in half the time; both are the same program.
const bundle = new URL("../dist/bundle/main.js", import.meta.url);
const { crashed, main } = await import(existsSync(bundle) ? bundle.href : "../dist/main.js");
process.on("uncaughtException", crashed);
process.exitCode = await main(process.argv.slice(2));
