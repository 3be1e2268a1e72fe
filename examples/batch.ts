/** Without a stream: runs the calls of a finished response. */

import { runTools } from "@runahead/engine";
import { fileTools } from "./file-tools.ts";

const calls = [
  { id: "1", name: "Read", input: { file_path: "package.json" } },
  { id: "2", name: "Bash", input: { command: "echo written by call 2" } },
  { id: "3", name: "Raed", input: {} },
];

for await (const update of runTools(calls, { tools: fileTools, limit: 4 })) {
  if (update.type === "progress") console.log("progress of", update.callId, update.data);
  else console.log(update.callId, update.outcome.type, JSON.stringify(update.result.content).slice(0, 90));
}
