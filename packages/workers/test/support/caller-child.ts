/** A caller in a process of its own, which makes one call and waits for it. */

import { remote } from "../../src/index.ts";
import { callTool } from "./calling.ts";
import { TOOLS } from "./tools.ts";

const [connection = "", queue = "", file = ""] = process.argv.slice(2);
const tools = remote(TOOLS, { connection, queue });
await callTool(tools, ["Mark", { file, line: "orphan", waitMs: 120_000 }]);
