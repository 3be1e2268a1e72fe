import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Server, createServer } from "node:tls";
import { type Job, Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Link } from "../src/connection.ts";
import { type RemoteTools, type RunningWorker, fleet, remote, startWorker } from "../src/index.ts";
import { namesOf } from "../src/names.ts";
import { type TakePorts, readJob } from "../src/take.ts";
import { callTool } from "./support/calling.ts";
import { type RedisServer, redisServer } from "./support/redis-server.ts";
import { TOOLS } from "./support/tools.ts";

let server: RedisServer;
let worker: RunningWorker;
let tools: RemoteTools;
let folder = "";
const notices: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runahead-distrust-"));
  server = await redisServer();
  worker = await startWorker({ tools: TOOLS, connection: server.url, queue: "q" });
  const onNotice = (message: string): void => void notices.push(message);
  tools = remote(TOOLS, { connection: server.url, queue: "q", onNotice });
});

afterAll(async () => {
  await tools?.close();
  await worker?.stop();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const works = async (): Promise<unknown> => (await callTool(tools, ["Add", { a: 20, b: 22 }])).output;

/** The caller's key of this kind, as the server has it. */
async function keyOf(kind: string): Promise<string> {
  const [key] = (await server.command("KEYS", `runahead:q/${kind}:*`)) as string[];
  return key as string;
}

test("a foreign job in the queue is not run and does no harm", async () => {
  expect(await works()).toBe(42);
  const caller = (await keyOf("caller")).split(":").at(-1) as string;
  const connection = new Redis(server.url, { maxRetriesPerRequest: null });
  const queue = new Queue("q", { connection, prefix: "runahead" });
  const call = { protocol: 1, caller, callId: "x", tool: "Add", version: "?", input: { a: 1, b: 1 } };
  const whole = { ...call, context: { cwd: "/" }, reads: true, server: "" };
  const odd = [
    {},
    null,
    "text",
    { ...whole, protocol: 2 },
    { caller: "c".repeat(5_000) },
    { ...whole, context: 3 },
    whole,
  ];
  for (const data of odd) await queue.add("Add", data);
  const failed = async (): Promise<number> => queue.getFailedCount();
  for (let at = 0; at < 100 && (await failed()) < 6; at++) await pause(50);
  const reasons = (await queue.getFailed()).map(({ failedReason }) => failedReason);
  expect(reasons).toHaveLength(6);
  for (const reason of reasons) expect(reason).toMatch(/^Cannot read the call: /);
  // The last could be read; it was refused since its version is another.
  expect(await works()).toBe(42);
  await queue.close();
  connection.disconnect();
});

test("a foreign message in the mailbox is reported and skipped", async () => {
  expect(await works()).toBe(42);
  const mail = await keyOf("mail");
  notices.length = 0;
  await server.command("XADD", mail, "*", "mail", "{");
  await server.command(
    "XADD",
    mail,
    "*",
    "mail",
    '{"job":"nobody","worker":"w","answer":{"type":"output","parts":0}}',
  );
  await server.command("XADD", mail, "*", "odd", "1");
  expect(await works()).toBe(42);
  expect(notices).toEqual(["Ignored an invalid message from the queue: not valid JSON."]);
});

test("a process that was paused does not start a call that was given up since", async () => {
  const link = new Link(server.url);
  const names = namesOf("q");
  await link.up(5_000);
  const ports = { link, names, worker: "w" } as unknown as TakePorts;
  const data = {
    ...{ protocol: 1, caller: "c", callId: "x", tool: "Add", version: "v", input: {}, context: { cwd: "/" } },
    ...{ reads: false, server: "" },
  };
  const job = (processedOn: number): Job =>
    ({ id: "j", queueName: "q", processedOn, data }) as unknown as Job;
  expect(await readJob(ports, job(Date.now()), "token")).toEqual(data);
  await expect(readJob(ports, job(Date.now() - 10_000), "token")).rejects.toThrow(
    "given up before it started",
  );
  await link.redis.set("runahead:q:j:lock", "token");
  expect(await readJob(ports, job(Date.now() - 10_000), "token")).toEqual(data);
  await link.close();
});

test("an unreadable record of a worker is skipped", async () => {
  await server.command("ZADD", "runahead:q/workers", String(Date.now()), "wodd");
  await server.command("SET", "runahead:q/worker:wodd", '{"id":3}');
  const { workers } = await fleet({ connection: server.url, queue: "q" });
  expect(workers.map(({ id }) => id)).toEqual([worker.id]);
});

test("an output whose parts are gone is reported: the call has run", async () => {
  const started = callTool(tools, ["Look", { waitMs: 60_000 }]);
  await pause(300);
  const mail = await keyOf("mail");
  const [job] = await jobs();
  const answer = { job, worker: "w", answer: { type: "output", parts: 2 } };
  await server.command("XADD", mail, "*", "mail", JSON.stringify(answer));
  expect((await started).error?.message).toBe("The call ran, but its output is no longer available.");
});

/** Ids of calls in the queue that a worker has. */
async function jobs(): Promise<string[]> {
  return (await server.command("LRANGE", "runahead:q:active", "0", "-1")) as string[];
}

test("TLS: an untrusted certificate is refused, a trusted one works", async () => {
  const [key, certificate] = certificates();
  const proxy = await tlsProxy(key, certificate);
  const { port } = proxy.address() as { port: number };
  const trusted = { host: "localhost", port, tls: { ca: certificate } };
  const one = await startWorker({ tools: TOOLS, connection: trusted, queue: "tls" });
  const remotes = remote(TOOLS, { connection: trusted, queue: "tls" });
  expect((await callTool(remotes, ["Add", { a: 1, b: 2 }])).output).toBe(3);
  await remotes.close();
  await one.drain();
  const wrong = remote(TOOLS, { connection: `rediss://localhost:${port}`, queue: "tls", waitMs: 1_000 });
  expect((await callTool(wrong, ["Add", { a: 1, b: 2 }])).error?.message).toMatch(/self-signed certificate/);
  await wrong.close();
  await new Promise((resolve) => proxy.close(resolve));
});

function certificates(): [string, string] {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  const made = spawnSync("openssl", [...args, "-keyout", key, "-out", certificate], { encoding: "utf8" });
  if (made.status !== 0)
    throw new Error(`openssl is missing. Run: sudo apt-get install -y openssl ${made.stderr}`);
  return [readFileSync(key, "utf8"), readFileSync(certificate, "utf8")];
}

async function tlsProxy(key: string, cert: string): Promise<Server> {
  const proxy = createServer({ key, cert }, (near) => {
    const far = connect(server.port, "127.0.0.1");
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  proxy.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => proxy.listen(0, resolve));
  return proxy;
}
