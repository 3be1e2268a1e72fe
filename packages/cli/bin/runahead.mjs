#!/usr/bin/env node
// A file that is there before anything is built, so that npm can link it.
import { main } from "../dist/main.js";

process.exitCode = await main(process.argv.slice(2));
