/** A process that is there to be killed: waits for its job on its input, opens the session, and works. */

import { appendFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createAgent } from "../../../agent/src/loop/agent.ts";
import { sessions } from "../../../agent/src/session/sessions.ts";
import { effectsIn, modelWith, toolsWith } from "./script.ts";

export interface Job {
  readonly home: string;
  readonly cwd: string;
  /** Undefined: a new one. */
  readonly sessionId: string | undefined;
  /** Where the calls say what they do, and where to put what was resumed. */
  readonly effectsFile: string;
  readonly resumedFile: string;
  /** After so many lines of effects it kills itself; 0 for never. */
  readonly killAfter: number;
}

async function work({ home, cwd, sessionId, effectsFile, resumedFile, killAfter }: Job): Promise<void> {
  const store = sessions({ home, cwd, onNotice: (message) => console.log(`notice ${message}`) });
  const session = sessionId === undefined ? await store.create() : await store.resume(sessionId);
  writeFileSync(resumedFile, JSON.stringify({ messages: session.messages, recovered: session.recovered }));
  console.log(`opened ${session.id}`);
  const effects = effectsIn(effectsFile, killAfter);
  appendFileSync(effectsFile, "opened\n");
  const agent = createAgent({ model: modelWith(effects), tools: toolsWith(effects), session });
  const { reason, detail } = await (session.messages.length === 0 ? agent.send("go") : agent.resume());
  await agent.close();
  console.log(`ended ${reason} ${detail}`);
}

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  await work(JSON.parse(line) as Job);
  process.exit(0);
}
