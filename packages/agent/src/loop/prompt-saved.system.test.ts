import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sessions } from "../session/sessions.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const source = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

let home = "";
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "runahead-prompt-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Runs a process that is killed by its own model at the moment of this request. Returns the signal that ended it. */
async function killedAtRequest(request: number): Promise<string | null> {
  const script = join(home, "child.mts");
  writeFileSync(
    script,
    `import { sessions } from ${source("../session/sessions.ts")};
     import { createAgent } from ${source("agent.ts")};
     const session = await sessions({ home: ${JSON.stringify(home)}, cwd: ${JSON.stringify(home)} }).create("s");
     let requests = 0;
     const model = { name: "m", async *stream() {
       if (++requests === ${request}) process.kill(process.pid, "SIGKILL");
       yield { type: "text", text: "Yes." };
       yield { type: "block", block: { type: "text", text: "Yes." } };
       yield { type: "stopped", reason: "end_turn", detail: "" };
     } };
     const agent = createAgent({ model, tools: [], session });
     await agent.send("first question");
     await agent.send("second question");`,
  );
  const child = spawn(process.execPath, ["--import", "tsx", script], { cwd: ROOT, stdio: "inherit" });
  return new Promise((resolve) => child.on("close", (_code, signal) => resolve(signal)));
}

test.each([
  [1, ["first question"]],
  [2, ["first question", "second question"]],
])("a process that is killed when request %i goes out has its prompt on disk", async (request, prompts) => {
  expect(await killedAtRequest(request)).toBe("SIGKILL");
  const session = await sessions({ home, cwd: home }).resume("s");
  await session.close();
  expect(session.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(
    prompts,
  );
  expect(session.prompts).toHaveLength(prompts.length);
});
