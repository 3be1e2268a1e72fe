/** The program as a shell starts it, from the sources: `node --import tsx entry.ts ARGUMENTS`. */

import { main } from "../../src/main.ts";

process.exitCode = await main(process.argv.slice(2));
