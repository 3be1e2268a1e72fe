// Drives the `runahead` program: writes prompts as JSON lines to its stdin, and reads events as JSON lines from its stdout.
//
//   node examples/stream-json.mjs "What is in this folder?" "And what is missing?"

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const flags = ["--input-format", "stream-json", "--output-format", "stream-json"];
const runahead = spawn("runahead", ["-p", ...flags, "--allowedTools", "Read,Grep,Glob"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const ended = new Promise((resolve, reject) => runahead.on("error", reject).on("close", resolve));
const lines = createInterface({ input: runahead.stdout })[Symbol.asyncIterator]();

// Stops everything that it has started. The session can be resumed.
process.on("SIGINT", () => runahead.kill("SIGINT"));

/** Returns the last line of the answer: the result. */
async function ask(content) {
  runahead.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error("runahead ended without a result");
    const line = JSON.parse(value);
    if (line.type === "result") return line;
    if (line.type === "assistant")
      for (const block of line.message.content) if (block.type === "tool_use") console.log(`→ ${block.name}`);
  }
}

for (const prompt of process.argv.slice(2)) {
  const { result, permission_denials: denials } = await ask(prompt);
  console.log(result);
  for (const { tool_name } of denials) console.log(`${tool_name} was not allowed`);
}
runahead.stdin.end();
process.exitCode = await ended;
