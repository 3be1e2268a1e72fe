/**
 * A program that runs Runahead with the AI SDK's harness: a prompt, one whose call is approved, and one that is
 * cancelled. Prints each part of the answers as a line of JSON. The packages are in the folder of the first argument.
 */

import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { localSandbox } from "./local-sandbox.mjs";

const [folder, program, url] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(resolve(name)).href);
const [{ HarnessAgent }, { createACP }] = [
  await load("@ai-sdk/harness/agent"),
  await load("@ai-sdk/harness-acp"),
];

const port = await new Promise((found) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = server.address();
    server.close(() => found(free));
  });
});
const harness = createACP({
  harnessId: "runahead",
  source: {
    type: "install-command",
    command: `bin="$HOME/.local/bin/runahead"
printf '#!/bin/sh\\nexec node "%s" "$@"\\n' '${program}' > "$bin"
chmod +x "$bin"`,
  },
  executable: "runahead",
  args: ["acp"],
  port,
  modelMapping: { type: "session-config-option", path: "model" },
  permissionModeMapping: {
    "allow-reads": { type: "session-mode", modeId: "default" },
    "allow-edits": { type: "session-mode", modeId: "acceptEdits" },
    "allow-all": null,
  },
  env: { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: url },
});
const path = [dirname(process.execPath), join(folder, "node_modules/.bin"), process.env.PATH].join(":");
const sandbox = localSandbox({ port, env: { ...process.env, PATH: path } });
const agent = new HarnessAgent({ harness, sandbox, permissionMode: "allow-reads", model: "claude-opus-4-1" });
const print = (prompt, part) => console.log(JSON.stringify({ prompt, ...part }));

const session = await agent.createSession();
print("plain", { type: "answer", text: (await agent.generate({ session, prompt: "plain" })).text });
await answered("approve", await agent.stream({ session, prompt: "approve" }));
const cancel = new AbortController();
await answered(
  "cancel",
  await agent.stream({ session, prompt: "cancel", abortSignal: cancel.signal }),
  (part) => part.type === "text-delta" && cancel.abort(),
);
await session.destroy();

/** Prints an answer, approves what it asks about, and goes on with it. */
async function answered(prompt, { fullStream }, hear = () => {}) {
  const approvals = [];
  for await (const part of fullStream) {
    print(prompt, part);
    hear(part);
    if (part.type === "tool-approval-request") approvals.push(part);
  }
  if (approvals.length === 0) return;
  const toolApprovalContinuations = approvals.map(({ approvalId, toolCall }) => ({
    approvalResponse: { type: "tool-approval-response", approvalId, approved: true },
    toolCall,
  }));
  await answered(prompt, await agent.continueStream({ session, toolApprovalContinuations }), hear);
}
