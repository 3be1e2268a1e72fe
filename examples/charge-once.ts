/** A program is killed while it charges an order. The next one finds out that the charge happened, and goes on. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent, scripted, sessions } from "@runahead/agent";
import { defineTool } from "@runahead/engine";
import { z } from "zod";

function chargeTool(url: string) {
  return defineTool({
    name: "Charge",
    description: "Charges an order.",
    inputSchema: z.object({ order: z.string() }),
    access: ({ order }) => [{ mode: "write", place: `orders:/${order}` }],
    async call({ order }, { idempotencyKey, signal }) {
      const headers = { "Idempotency-Key": idempotencyKey };
      const response = await fetch(`${url}/charges`, { method: "POST", headers, body: order, signal });
      return response.text();
    },
    // Asked after a crash: did the call with this key happen?
    async reconcile(key, _input, { signal }) {
      // The service refuses later charges with a key that was closed, so a "no" is final.
      const response = await fetch(`${url}/close`, {
        method: "POST",
        headers: { "Idempotency-Key": key },
        signal,
      });
      return response.ok ? { fate: "finished", output: await response.text() } : { fate: "never-started" };
    },
  });
}

/** Answers the prompt, or continues what an earlier process began. */
async function work(home: string, url: string): Promise<void> {
  const store = sessions({ home });
  const session = (await store.continue()) ?? (await store.create());
  const isNew = session.messages.length === 0;
  const model = scripted([
    isNew
      ? [{ type: "tool_use", id: "call_1", name: "Charge", input: { order: "7" } }]
      : [{ type: "text", text: "The order is charged." }],
  ]);
  const onEvent = (event: { readonly type: string; readonly message?: string }): void => {
    if (event.type === "notice") console.log(event.message);
  };
  const agent = createAgent({ model, tools: [chargeTool(url)], session, onEvent });
  const { text, messages } = await (isNew ? agent.send("Charge order 7.") : agent.resume());
  console.log(JSON.stringify(messages.at(-2)?.content), text);
  await agent.close();
}

const [home, url] = process.argv.slice(2);
if (home !== undefined && url !== undefined) await work(home, url);
else await main();

async function main(): Promise<void> {
  const receipts = new Map<string, string>();
  const folder = mkdtempSync(join(tmpdir(), "runahead-example-"));
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    if (request.url === "/charges") {
      receipts.set(key, receipts.get(key) ?? `receipt ${receipts.size + 1}`);
      // It has charged, and its client dies before it can answer.
      child.kill("SIGKILL");
    } else response.writeHead(receipts.has(key) ? 200 : 409).end(receipts.get(key));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = fork(fileURLToPath(import.meta.url), [folder, address]);
  await once(child, "exit");
  await work(folder, address);
  console.log(`charged ${receipts.size} time`);
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
}
