/** Ours, as the program runs it: `createAgent` with a session on disk. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, sessions } from "@runahead/agent";
import { check, optionsFor } from "./runahead-query.mjs";

export function prepare(given) {
  const options = optionsFor(given);
  const home = mkdtempSync(join(tmpdir(), "runahead-bench-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const store = sessions({ home, cwd: home });
  return async () => {
    const agent = createAgent({ ...options, session: await store.create() });
    check(await agent.send("go"));
    await agent.close();
  };
}
