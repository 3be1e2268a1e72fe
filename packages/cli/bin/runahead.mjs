#!/usr/bin/env node
// A file that is there before anything is built, so that npm can link it.
import { existsSync } from "node:fs";
import { loadBundle } from "./load.mjs";

// The bundle starts in a third of the time; both are the same program.
const bundle = new URL("../dist/bundle/main.cjs", import.meta.url);
const { crashed, main } = existsSync(bundle)
  ? loadBundle(bundle, (name) => import.meta.resolve(name))
  : await import("../dist/main.js");
process.on("uncaughtException", crashed);
process.exitCode = await main(process.argv.slice(2));
