import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { type Server as HttpServer, createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "@runahead/engine";
import { type SessionStore, createAgent, scripted, sessions } from "@runahead/agent";
import { storeSuite } from "@runahead/agent/store-suite";
import { postgres, s3Bucket } from "../src/index.ts";
import { bundled } from "./support/bundle.ts";
import { type PostgresServer, postgresServer } from "./support/postgres-server.ts";

let server: PostgresServer;
let script: string | undefined;
/** Far more than it takes, so that a busy machine is not a failure. */
const START_MS = 120_000;
beforeAll(async () => {
  server = await postgresServer();
  script = await bundled(new URL("writer-child.ts", import.meta.url));
}, START_MS);
afterAll(async () => {
  await server?.close();
  if (script !== undefined) await rm(script, { force: true });
}, START_MS);

const open = (): SessionStore => postgres(server.url, { leaseMs: 60_000 });
const expire = async (store: SessionStore, id: string): Promise<void> => {
  await server.query(
    "UPDATE runahead.sessions SET lease_until = clock_timestamp() - interval '1 second' WHERE tenant = $1 AND id = $2",
    [store.tenant, id],
  );
};

describe("Postgres as a session store", () => {
  for (const { title, run } of storeSuite({ open, expire })) test(title, run);
});

describe("with large results in a bucket", () => {
  let bucket: HttpServer;
  const objects = new Map<string, string>();
  let failures = 1;
  let authorization = "";
  beforeAll(async () => {
    bucket = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        authorization = request.headers.authorization ?? "";
        const { url = "", method } = request;
        if (failures-- > 0) return void response.writeHead(503).end();
        if (method === "PUT") objects.set(url, Buffer.concat(chunks).toString());
        const found = objects.get(url);
        if (method === "DELETE") objects.delete(url);
        response.writeHead(found === undefined ? 404 : 200).end(method === "GET" ? found : undefined);
      });
    });
    await new Promise<void>((resolve) => bucket.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => new Promise((resolve) => bucket.close(resolve)));

  test("a result is stored in the bucket, read from it, and deleted with its session", async () => {
    const { port } = bucket.address() as { port: number };
    const results = s3Bucket({
      endpoint: `http://127.0.0.1:${port}`,
      bucket: "agents",
      accessKeyId: "key",
      secretAccessKey: "secret",
    });
    const store = postgres(server.url, { results });
    const lease = await store.lease("with-bucket");
    const name = await lease.storeResult({ callId: "c", text: "large" });
    await lease.release();
    expect([...objects]).toEqual([[`/agents/runahead/default/with-bucket/${name}`, "large"]]);
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/s3\/aws4_request, /);
    expect(await store.result("with-bucket", name)).toBe("large");
    expect(await store.delete("with-bucket")).toBe(true);
    expect(objects.size).toBe(0);
    await store.close();
  });
});

/** Lines that a child process has printed, with a way to wait for one. */
class Child {
  readonly lines: string[] = [];
  readonly process: ChildProcess;
  #changed: () => void = () => {};

  constructor(id: string, leaseMs: number) {
    const args = [script as string, server.url, id, String(leaseMs)];
    this.process = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    this.process.stdout?.on("data", (chunk: Buffer) => {
      const parts = `${text}${chunk.toString()}`.split("\n");
      text = parts.pop() ?? "";
      this.lines.push(...parts);
      this.#changed();
    });
    this.process.once("exit", () => this.#changed());
  }

  async until(wanted: (lines: readonly string[]) => boolean): Promise<void> {
    while (!wanted(this.lines)) {
      if (this.process.exitCode !== null) throw new Error(`The writer ended: ${this.lines.join("; ")}`);
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
  }

  get saved(): number {
    return this.lines.filter((line) => line.startsWith("saved")).length;
  }
}

async function contents(id: string): Promise<string[]> {
  const store = open();
  const texts: string[] = [];
  for (let at = 0; ; ) {
    const lines = await store.read(id, { from: at });
    if (lines.length === 0) break;
    at = lines.at(-1)?.next ?? at;
    for (const { line } of lines) {
      const { type, message } = JSON.parse(line) as { type: string; message?: { content: string } };
      if (type === "message") texts.push(message?.content ?? "");
    }
  }
  await store.close();
  return texts;
}

async function prepared(id: string): Promise<void> {
  const store = open();
  await (await sessions({ store }).create(id)).close();
  await store.close();
}

/** Takes the session over as soon as its lease has expired. */
async function takeOver(store: SessionStore, id: string) {
  for (;;) {
    try {
      return await sessions({ store }).resume(id);
    } catch (error) {
      if ((error as Error).name !== "SessionLocked") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test("what a killed writer reported as saved is there, and another process goes on after the lease has expired", async () => {
  await prepared("killed");
  const child = new Child("killed", 1_000);
  await child.until(() => child.saved >= 10);
  child.process.kill("SIGKILL");
  await new Promise((resolve) => child.process.once("exit", resolve));
  const store = open();
  const session = await takeOver(store, "killed");
  const numbers = (await contents("killed")).map((text) => Number(text.split(" ")[1]));
  expect(numbers.length).toBeGreaterThanOrEqual(child.saved);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(session.messages.length).toBe(numbers.length);
  await session.close();
  await store.close();
});

test("a writer that was stopped and continues cannot write after another process took over", async () => {
  await prepared("stopped");
  const child = new Child("stopped", 1_000);
  await child.until(() => child.saved >= 5);
  child.process.kill("SIGSTOP");
  const store = open();
  const session = await takeOver(store, "stopped");
  const taken = await contents("stopped");
  child.process.kill("SIGCONT");
  await child.until((lines) => lines.includes("ended LeaseLost"));
  expect(await contents("stopped")).toEqual(taken);
  const next = taken.length % 2 === 0 ? "user" : "assistant";
  session.append({ type: "message", message: { role: next, content: "new" } });
  await session.sync();
  expect(await contents("stopped")).toEqual([...taken, "new"]);
  await session.close();
  await store.close();
});

test("a call waits while the database restarts, and nothing is lost or stored twice", async () => {
  const store = open();
  const notices: string[] = [];
  const session = await sessions({ store, onNotice: (message) => notices.push(message) }).create("restarted");
  session.append({ type: "message", message: { role: "user", content: "before" } });
  await session.sync();
  await server.crash();
  session.append({ type: "message", message: { role: "assistant", content: "meanwhile" } });
  let isDone = false;
  const synced = session.sync().then(() => (isDone = true));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isDone).toBe(false);
  await server.start();
  await synced;
  expect(await contents("restarted")).toEqual(["before", "meanwhile"]);
  await session.close();
  await store.close();
});

test("an agent whose session was taken over stops, and starts no further call", async () => {
  const store = open();
  const session = await sessions({ store }).create("lost");
  const calls: string[] = [];
  const write = defineTool({
    name: "Write",
    description: "Writes a text.",
    inputSchema: z.object({ text: z.string() }),
    async call({ text }) {
      calls.push(text);
      await expire(store, "lost");
      await (await store.lease("lost")).release();
      return "done";
    },
  });
  const turn = (text: string) => [{ type: "tool_use", id: text, name: "Write", input: { text } }];
  const model = scripted([turn("one"), turn("two"), [{ type: "text", text: "Done." }]]);
  const agent = createAgent({ model, tools: [write], session });
  await expect(agent.send("Go.")).rejects.toThrow(/lease of session lost is lost/);
  expect(calls).toEqual(["one"]);
  await agent.close();
  await store.close();
});

test("two processes that migrate at once both find the tables", async () => {
  const stores = [1, 2, 3].map(() => postgres(server.url, { schema: "migrated_at_once" }));
  await Promise.all(stores.map((store) => store.ready()));
  const rows = await server.query("SELECT version FROM migrated_at_once.migrations");
  expect(rows).toEqual([{ version: 1 }]);
  for (const store of stores) await store.close();
});

test("a schema that a newer version has changed incompatibly is refused", async () => {
  const store = postgres(server.url, { schema: "too_new" });
  await store.ready();
  await server.query("INSERT INTO too_new.migrations (version, oldest_reader) VALUES (99, 99)");
  const again = postgres(server.url, { schema: "too_new" });
  await expect(again.list()).rejects.toThrow(/Update @runahead\/postgres/);
  await store.close();
  await again.close();
});

test("invalid options and a database that does not exist are reported", async () => {
  expect(() => postgres("")).toThrow(/must be a string such as/);
  expect(() => postgres(server.url, { schema: 'a"; DROP' })).toThrow(/"schema" must be/);
  expect(() => postgres(server.url, { lease: 1 } as never)).toThrow(/unknown option "lease"/);
  const store = postgres("postgres://postgres@127.0.0.1:1/none", { patienceMs: 100 });
  await expect(store.list()).rejects.toThrow(/ECONNREFUSED/);
  await store.close();
});
