/** A journal, a crash, and what the model reads afterwards. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JournalEvent, StreamingToolExecutor, defineTool, recoverTurn } from "@runahead/engine";
import { checkHistory, repairHistory } from "@runahead/engine/history";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "runahead-recovery-"));
const file = join(folder, "journal.jsonl");

const deploy = defineTool({
  name: "Deploy",
  description: "Deploys.",
  inputSchema: z.object({ to: z.string() }),
  access: ({ to }) => [{ mode: "write", place: `host:/${to}` }],
  call: ({ to }) => (to === "slow" ? new Promise<string>(() => {}) : `deployed to ${to}`),
});

const executor = new StreamingToolExecutor({
  tools: [deploy],
  // Each event is recorded before its effects: what is not in the journal has not happened.
  journal: { record: (event) => appendFileSync(file, `${JSON.stringify(event)}\n`) },
});
executor.add({ id: "1", name: "Deploy", input: { to: "fast" } });
executor.add({ id: "2", name: "Deploy", input: { to: "slow" } });
executor.add({ id: "3", name: "Deploy", input: { to: "slow" } });

// The program dies here. The next one reads the journal.
const events = readFileSync(file, "utf8").trim().split("\n");
const fates = recoverTurn(events.map((line) => JSON.parse(line) as JournalEvent));
for (const { callId, fate, result } of fates) console.log(callId, fate, "|", result.content);

// A history that was saved without those results is detected and repaired.
const calls = fates.map(({ callId }) => ({ type: "tool_use", id: callId, name: "Deploy", input: {} }));
const history = [
  { role: "user" as const, content: "Deploy everywhere." },
  { role: "assistant" as const, content: calls },
];
console.log(checkHistory(history).map(({ message }) => message));
console.log(repairHistory(history).repairs);
rmSync(folder, { recursive: true });
process.exit(0);
