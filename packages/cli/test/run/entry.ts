/** The program as a shell starts it, from the sources: `node --import tsx entry.ts ARGUMENTS`. */

import { crashed, main } from "../../src/main.ts";

process.on("uncaughtException", crashed);
process.exitCode = await main(process.argv.slice(2));
