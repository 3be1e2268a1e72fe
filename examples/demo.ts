/** A scripted response goes through the engine with real tools; prints what ran when. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EngineEvent, StreamingToolExecutor, anthropicCalls, describeCall } from "@runahead/engine";
import { fileTools } from "./file-tools.ts";
import { type Part, scriptedResponse } from "./scripted-response.ts";
import { type Span, waterfall } from "./waterfall.ts";

const PROJECT = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "name.mjs": 'export const name = "runahed";\n',
  "sum.test.mjs": testFile("sum", "sum(2, 3) === 5"),
  "name.test.mjs": testFile("name", 'name === "runahead"'),
};

/** A test that takes its time, as tests do. */
function testFile(name: string, condition: string): string {
  return [
    `import { setTimeout as pause } from "node:timers/promises";`,
    `import { ${name} } from "./${name}.mjs";`,
    "await pause(400);",
    `if (!(${condition})) throw new Error("${name} is wrong");`,
    `console.log("${name} passed");`,
  ].join("\n");
}

const PARTS: readonly Part[] = [
  { text: "Let me look at what is wrong. " },
  { call: "Read", input: { file_path: "sum.mjs" } },
  { call: "Search", input: { path: ".", text: "runahed" } },
  { text: "The sum subtracts, and the name has a typo. I mend both and run the tests. " },
  { call: "Edit", input: { file_path: "sum.mjs", old_string: "a - b", new_string: "a + b" } },
  { call: "Edit", input: { file_path: "name.mjs", old_string: "runahed", new_string: "runahead" } },
  { call: "Test", input: { file_path: "sum.test.mjs" } },
  { call: "Test", input: { file_path: "name.test.mjs" } },
  { call: "Bash", input: { command: "cat sum.mjs name.mjs" } },
  { text: "The tests only read, so they run side by side while I am still talking; " },
  { text: "the command may touch anything, so it waits for them. " },
];

const folder = await mkdtemp(join(tmpdir(), "runahead-demo-"));
const begun = performance.now();
const now = (): number => performance.now() - begun;
const spans = new Map<string, Span>();

/** In words, as far as the input has come in. */
function titleOf(toolName: string, preview: () => unknown): string {
  const tool = fileTools.find(({ name }) => name === toolName);
  return tool === undefined ? toolName : describeCall(tool, preview());
}

function note(event: EngineEvent): void {
  if (event.type === "call-arriving") {
    const times = { arrivedAt: now(), startedAt: now(), endedAt: now() };
    spans.set(event.callId, { title: titleOf(event.toolName, event.preview), ...times, outcome: "" });
    return;
  }
  const span = "callId" in event ? spans.get(event.callId) : undefined;
  if (span === undefined) return;
  if (event.type === "call-changed" && event.status === "queued") span.arrivedAt = now();
  if (event.type === "call-changed" && event.state === "running") span.startedAt = now();
  if (event.type === "call-settled") Object.assign(span, { endedAt: now(), outcome: event.outcome.type });
}

try {
  for (const [name, text] of Object.entries(PROJECT)) await writeFile(join(folder, name), text);
  const executor = new StreamingToolExecutor({ tools: fileTools, context: { cwd: folder }, onEvent: note });
  for await (const event of anthropicCalls(scriptedResponse(PARTS), executor)) {
    const { text } = (event.delta ?? {}) as { text?: string };
    if (text !== undefined) process.stdout.write(text);
  }
  const responseMs = now();
  console.log("\n\nResults, one per call, in the model's order:");
  for await (const update of executor.remaining()) {
    if (update.type !== "result") continue;
    const { content, is_error: isError } = update.result;
    console.log(`  ${update.callId} ${isError ? "failed" : "ok"}: ${JSON.stringify(content).slice(0, 70)}`);
  }
  console.log(`\nWhat ran when (· waits, █ runs):\n${waterfall([...spans.values()], responseMs)}`);
  const toolMs = [...spans.values()].reduce((sum, { startedAt, endedAt }) => sum + endedAt - startedAt, 0);
  const total = now();
  console.log(
    `\nDone after ${Math.round(total)} ms. One by one after the response: ${Math.round(responseMs + toolMs)} ms.`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
