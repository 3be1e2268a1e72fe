/** A conversation that survives its process: a later process continues it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, scripted, sessions } from "@runahead/agent";
import { fileTools } from "./file-tools.ts";

// Default: RUNAHEAD_HOME, then ~/.runahead.
const home = mkdtempSync(join(tmpdir(), "runahead-example-"));
const store = sessions({ home, onNotice: (message) => console.log(message) });

const first = createAgent({
  model: scripted([[{ type: "text", text: "Noted." }]]),
  tools: fileTools,
  session: await store.create(),
});
console.log((await first.send("Remember the number 7.")).text);
await first.close();

// Another day, another process: the latest session of this folder.
const session = await store.continue();
if (session === undefined) throw new Error("there is no session in this folder");
const second = createAgent({
  model: scripted([
    (request) => [{ type: "text", text: `I have read ${request.messages.length} messages.` }],
  ]),
  tools: fileTools,
  session,
});
console.log((await second.send("What was the number?")).text);
await second.close();

console.log((await store.list()).map(({ firstPrompt }) => firstPrompt));
rmSync(home, { recursive: true });
