/** Interrupts, time limits and a change of models: every call still gets a truthful result. */

import { setTimeout as pause } from "node:timers/promises";
import { StreamingToolExecutor, defineTool } from "@runahead/engine";
import { z } from "zod";

const sleep = defineTool({
  name: "Sleep",
  description: "Sleeps.",
  inputSchema: z.object({ ms: z.number() }),
  isReadOnly: () => true,
  interruptBehavior: () => "cancel",
  timeoutMs: () => 200,
  async call({ ms }, { signal, progress }) {
    progress({ type: "output", content: `sleeping for ${ms} ms\n` });
    await pause(ms, undefined, { signal });
    return "slept well";
  },
});

async function show(title: string, executor: StreamingToolExecutor): Promise<void> {
  console.log(title);
  for await (const update of executor.remaining()) {
    if (update.type === "result") console.log(" ", update.callId, JSON.stringify(update.result.content));
  }
}

const limited = new StreamingToolExecutor({ tools: [sleep] });
limited.add({ id: "short", name: "Sleep", input: { ms: 20 } });
limited.add({ id: "long", name: "Sleep", input: { ms: 5_000 } });
await show("a time limit ends one call:", limited);

const abort = new AbortController();
const interrupted = new StreamingToolExecutor({ tools: [sleep], signal: abort.signal });
interrupted.add({ id: "running", name: "Sleep", input: { ms: 100 } });
console.log("would it stop for a new message?", interrupted.interruptible, [...interrupted.inProgress]);
abort.abort("interrupt");
interrupted.add({ id: "too-late", name: "Sleep", input: { ms: 100 } });
await show("after a new message:", interrupted);

const discarded = new StreamingToolExecutor({ tools: [sleep] });
discarded.add({ id: "forgotten", name: "Sleep", input: { ms: 100 } });
console.log("another model takes over:", discarded.discard());
await show("after discard:", discarded);
