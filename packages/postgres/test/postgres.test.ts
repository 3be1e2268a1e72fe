import { type AddressInfo, createServer } from "node:net";
import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineTool } from "@runahead/engine";
import { LeaseLost, type SessionStore, createAgent, scripted, sessions } from "@runahead/agent";
import { storeSuite } from "@runahead/agent/store-suite";
import { Database } from "../src/database.ts";
import { postgres } from "../src/index.ts";
import { MIGRATIONS, type Migration, migrate } from "../src/migrations.ts";
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

/** A name of its own for each attempt at a test, because all of them share the server. */
let names = 0;
const fresh = (name: string): string => `${name}_${++names}`;

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
function takeOver(store: SessionStore, id: string) {
  return unlocked(() => sessions({ store }).resume(id));
}

/** Repeats the attempt while another process holds the lease. */
async function unlocked<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as Error).name !== "SessionLocked") throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

test("what a killed writer reported as saved is there, and another process goes on after the lease has expired", async () => {
  const id = fresh("killed");
  await prepared(id);
  const child = new Child(id, 1_000);
  await child.until(() => child.saved >= 10);
  child.process.kill("SIGKILL");
  await new Promise((resolve) => child.process.once("exit", resolve));
  const store = open();
  const session = await takeOver(store, id);
  const numbers = (await contents(id)).map((text) => Number(text.split(" ")[1]));
  expect(numbers.length).toBeGreaterThanOrEqual(child.saved);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(session.messages.length).toBe(numbers.length);
  await session.close();
  await store.close();
});

test("a writer that was stopped and continues cannot write after another process took over", async () => {
  const id = fresh("stopped");
  await prepared(id);
  const child = new Child(id, 1_000);
  await child.until(() => child.saved >= 5);
  child.process.kill("SIGSTOP");
  const store = open();
  const session = await takeOver(store, id);
  const taken = await contents(id);
  child.process.kill("SIGCONT");
  await child.until((lines) => lines.includes("ended LeaseLost"));
  expect(await contents(id)).toEqual(taken);
  const next = taken.length % 2 === 0 ? "user" : "assistant";
  session.append({ type: "message", message: { role: next, content: "new" } });
  await session.sync();
  expect(await contents(id)).toEqual([...taken, "new"]);
  await session.close();
  await store.close();
});

test("a call waits while the database restarts, and nothing is lost or stored twice", async () => {
  const id = fresh("restarted");
  const store = open();
  const notices: string[] = [];
  const session = await sessions({ store, onNotice: (message) => notices.push(message) }).create(id);
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
  expect(await contents(id)).toEqual(["before", "meanwhile"]);
  await session.close();
  await store.close();
});

test("an agent whose session was taken over stops, and starts no further call", async () => {
  const id = fresh("lost");
  const store = open();
  const session = await sessions({ store }).create(id);
  const calls: string[] = [];
  const write = defineTool({
    name: "Write",
    description: "Writes a text.",
    inputSchema: z.object({ text: z.string() }),
    async call({ text }) {
      calls.push(text);
      // The agent may append between the two statements, which renews its lease.
      const lease = await unlocked(async () => {
        await expire(store, id);
        return store.lease(id);
      });
      await lease.release();
      return "done";
    },
  });
  const turn = (text: string) => [{ type: "tool_use", id: text, name: "Write", input: { text } }];
  const model = scripted([turn("one"), turn("two"), [{ type: "text", text: "Done." }]]);
  const agent = createAgent({ model, tools: [write], session });
  await expect(agent.send("Go.")).rejects.toThrow(`lease of session ${id} is lost`);
  expect(calls).toEqual(["one"]);
  await agent.close();
  await store.close();
});

test("mail that creates a session can be posted again, also after a worker has taken it", async () => {
  const store = open();
  const mail = { id: `mail-"${fresh("m")}`, body: "one" };
  const id = fresh("created");
  expect(await store.post(id, mail, { isNew: true })).toBe(true);
  expect(await store.post(id, mail, { isNew: true })).toBe(false);
  const lease = await store.lease(id);
  await lease.append({ at: 0, lines: [JSON.stringify({ type: "note", mail: mail.id })], taken: [mail.id] });
  await lease.release();
  expect(await store.post(id, mail, { isNew: true })).toBe(false);
  await expect(store.post(id, { id: "another", body: "two" }, { isNew: true })).rejects.toThrow(/exists/);
  expect(await store.inbox(id)).toEqual([]);
  await store.close();
});

test("texts with every character are saved, also in the first prompt", async () => {
  const store = open().forTenant(fresh("chars"));
  const text = "a\0b \ud800 \u{1F600} \u2028 \\u0000 'quoted'";
  const session = await sessions({ store }).create("chars");
  session.append({ type: "message", message: { role: "user", content: text } });
  await session.sync();
  await session.close();
  const again = await sessions({ store }).resume("chars");
  expect(again.messages).toEqual([{ role: "user", content: text.toWellFormed() }]);
  await again.close();
  expect((await store.list()).map(({ firstPrompt }) => firstPrompt)).toEqual([
    text.replace("\0", "\u{2400}").toWellFormed(),
  ]);
  await store.close();
});

test("mail that cannot be read has no body, and the rest of the inbox is there", async () => {
  const store = open();
  const id = fresh("torn_mail");
  await store.post(id, { id: "torn", body: "one" });
  await store.post(id, { id: "whole", body: "two" });
  await server.query(`UPDATE runahead.mail SET body = '{"type":' WHERE key = '${id}' AND id = 'torn'`);
  const mail = [
    { id: "torn", body: undefined },
    { id: "whole", body: "two" },
  ];
  expect(await store.inbox(id)).toEqual(mail);
  const lease = await store.lease(id);
  expect(lease.mail).toEqual(mail);
  await lease.release();
  await store.close();
});

test("a session is due at the time of the database, whatever the clock of the process says", async () => {
  const store = open();
  const isDue = async (id: string): Promise<boolean> => (await store.due(1_000)).some((one) => one.id === id);
  const ahead = Date.now() + 3_600_000;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => ahead);
  const [soon, later] = [fresh("soon"), fresh("later")];
  for (const [id, ms] of [
    [soon, 1],
    [later, 3_600_000],
  ] as const)
    await (await store.lease(id)).release({ status: "waiting", wakeAt: Date.now() + ms });
  clock.mockRestore();
  await expect.poll(() => isDue(soon)).toBe(true);
  expect(await isDue(later)).toBe(false);
  await store.close();
});

test("two processes that migrate at once both find the tables", async () => {
  const schema = fresh("migrated_at_once");
  const stores = [1, 2, 3].map(() => postgres(server.url, { schema }));
  await Promise.all(stores.map((store) => store.ready()));
  const rows = await server.query(`SELECT version FROM ${schema}.migrations`);
  expect(rows).toEqual(MIGRATIONS.map(({ version }) => ({ version })));
  for (const store of stores) await store.close();
});

test("a schema that a newer version has changed incompatibly is refused", async () => {
  const schema = fresh("too_new");
  const store = postgres(server.url, { schema });
  await store.ready();
  await server.query(`INSERT INTO ${schema}.migrations (version, oldest_reader) VALUES (99, 99)`);
  const again = postgres(server.url, { schema });
  await expect(again.list()).rejects.toThrow(/Update @runahead\/postgres/);
  await store.close();
  await again.close();
});

/** A version 3 that old processes can work with, and a version 4 that they cannot. */
const COLUMN: Migration = {
  version: 3,
  oldestReader: 1,
  sql: (schema) => `ALTER TABLE ${schema}.sessions ADD COLUMN labels text[] NOT NULL DEFAULT '{}';
    CREATE INDEX sessions_labels ON ${schema}.sessions USING gin (labels)`,
};
const INCOMPATIBLE: Migration = {
  version: 4,
  oldestReader: 3,
  sql: (schema) => `ALTER TABLE ${schema}.entries ADD COLUMN part integer NOT NULL DEFAULT 0`,
};

async function upgrade(schema: string, migrations: readonly Migration[]): Promise<void> {
  const database = new Database({ url: server.url, connections: 1, patienceMs: 10_000, isPrepared: true });
  try {
    await migrate(database, `"${schema}"`, [...MIGRATIONS, ...migrations]);
  } finally {
    await database.close();
  }
}

test("a database with data is upgraded while a process of the older version writes, and it goes on", async () => {
  const schema = fresh("upgraded");
  const older = postgres(server.url, { schema });
  const lease = await older.lease("s");
  let at = 0;
  const upgraded = new AbortController();
  const append = async (): Promise<void> => {
    at = await lease.append({ at, lines: [JSON.stringify({ type: "note", at })] });
  };
  await append();
  const writing = (async () => {
    while (!upgraded.signal.aborted) await append();
  })();
  try {
    await upgrade(schema, [COLUMN]);
  } finally {
    upgraded.abort();
  }
  await writing;
  await append();
  await lease.release();
  expect((await older.ends(["s"])).get("s")).toBe(at);
  const again = postgres(server.url, { schema });
  const lines = await again.read("s", { from: at - 2 });
  expect(lines.map(({ line }) => JSON.parse(line) as unknown)).toEqual(
    [at - 2, at - 1].map((number) => ({ type: "note", at: number })),
  );
  const versions = `SELECT version FROM ${schema}.migrations ORDER BY version`;
  expect(await server.query(versions)).toEqual([{ version: 1 }, { version: 2 }, { version: 3 }]);
  // A second process of the newer version finds it done.
  await upgrade(schema, [COLUMN]);
  await older.close();
  await again.close();
});

test("after an incompatible upgrade, a process of the older version can neither write, lease nor post", async () => {
  const schema = fresh("incompatible");
  const older = postgres(server.url, { schema });
  const lease = await older.lease("s", { status: "running" });
  const line = JSON.stringify({ type: "note" });
  await lease.append({ at: 0, lines: [line] });
  await upgrade(schema, [COLUMN, INCOMPATIBLE]);
  await expect(lease.append({ at: 1, lines: [line] })).rejects.toThrow(LeaseLost);
  await expect(lease.renew()).rejects.toThrow(LeaseLost);
  const update = new RegExp(`"${schema}" .* needs version 3 .*Update @runahead/postgres`);
  await expect(older.lease("s")).rejects.toThrow(update);
  await expect(older.lease("s", { isNew: false })).rejects.toThrow(update);
  await expect(older.lease("new", { isNew: true })).rejects.toThrow(update);
  await expect(older.post("s", { id: "m", body: {} })).rejects.toThrow(update);
  await expect(older.post("new", { id: "m", body: {} }, { isNew: true })).rejects.toThrow(update);
  await expect(older.delete("s")).rejects.toThrow(update);
  const restarted = postgres(server.url, { schema });
  await expect(restarted.ready()).rejects.toThrow(update);
  // The session is as it was, and due for a worker of the newer version.
  expect(await older.due(10)).toMatchObject([{ id: "s" }]);
  expect((await older.read("s")).length).toBe(1);
  const count = `SELECT (SELECT count(*) FROM ${schema}.sessions) AS s, (SELECT count(*) FROM ${schema}.mail) AS m`;
  expect(await server.query(count)).toEqual([{ s: "1", m: "0" }]);
  await older.close();
  await restarted.close();
});

test("an upgrade that fails changes nothing", async () => {
  const schema = fresh("failing");
  const store = postgres(server.url, { schema });
  await store.ready();
  const broken = {
    ...INCOMPATIBLE,
    sql: (name: string) => `ALTER TABLE ${name}.nothing ADD COLUMN x text`,
  };
  await expect(upgrade(schema, [COLUMN, broken])).rejects.toThrow(/nothing/);
  expect(await server.query(`SELECT version FROM ${schema}.migrations`)).toEqual(
    MIGRATIONS.map(({ version }) => ({ version })),
  );
  await (await store.lease("s")).release();
  await store.close();
});

test("invalid options and a database that does not exist are reported", async () => {
  expect(() => postgres("")).toThrow(/must be a string such as/);
  expect(() => postgres(server.url, { schema: 'a"; DROP' })).toThrow(/"schema" must be/);
  expect(() => postgres(server.url, { lease: 1 } as never)).toThrow(/unknown option "lease"/);
  const store = postgres("postgres://postgres@127.0.0.1:1/none", { patienceMs: 100 });
  await expect(store.list()).rejects.toThrow(/ECONNREFUSED/);
  await store.close();
});

test("the error of a database that accepts connections and says nothing has a code", async () => {
  const silent = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const store = postgres(`postgres://postgres@127.0.0.1:${port}/none`, { patienceMs: 1 });
  await expect(store.list()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  await store.close();
  silent.close();
}, 60_000);
