// Talks with Runahead over two pipes: prompts go in as lines of JSON, and what happens comes back as lines of JSON.
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

// Everything that it has started is stopped, and the session can be resumed.
process.on("SIGINT", () => runahead.kill("SIGINT"));

/** Gives the last line of the answer: the result. */
async function ask(content) {
  runahead.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error("runahead has ended without a result");
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
