/** Sessions and mail that are broken: they must neither stop a worker nor be tried for ever. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "@runahead/engine";
import { type ModelRequest, type SessionStore, fileStore, scripted } from "@runahead/agent";
import { bundled } from "../../postgres/test/support/bundle.ts";
import {
  type AgentQueue,
  type AgentWorker,
  type AgentWorkerOptions,
  createAgentQueue,
  startAgentWorker,
} from "../src/index.ts";

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 50_000 });

let home: string;
let worker: AgentWorker | undefined;
let notices: string[];
let ends: string[];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "fleet-poison-"));
  [notices, ends] = [[], []];
});
afterEach(async () => {
  await worker?.drain();
  worker = undefined;
  await rm(home, { recursive: true, force: true });
});

const says = () => ({ model: scripted([[{ type: "text", text: "Done." }]]), tools: [] });

async function work(queue: AgentQueue, more: Partial<AgentWorkerOptions> = {}): Promise<void> {
  worker = await startAgentWorker({
    queue,
    agent: says,
    sweepMs: 50,
    onNotice: (message) => notices.push(message),
    onRunEnded: ({ id }, { type }) => ends.push(`${id} ${type}`),
    ...more,
  });
}

/** The same store with other members. */
function changed(store: SessionStore, members: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "forTenant") return (tenant: string) => changed(target.forTenant(tenant), members);
      const value: unknown = Reflect.get(name in members ? members : target, name);
      return typeof value === "function" && !(name in members) ? value.bind(target) : value;
    },
  });
}

const statusOf = async (queue: AgentQueue, id: string): Promise<string> => (await queue.info(id)).status;

test("a session that was deleted before a worker took it is not created again", async () => {
  const store = fileStore({ home });
  const queue = createAgentQueue({ store });
  await queue.start("gone", "Hi");
  await queue.start("kept", "Hi");
  expect(await store.delete("gone")).toBe(true);
  await work(queue);
  await eventually(() => ends).toContain("gone done");
  await eventually(() => statusOf(queue, "kept")).toBe("ended");
  expect((await queue.list()).map(({ id }) => id)).toEqual(["kept"]);
  expect(notices).toEqual([]);
});

test("mail that cannot be read is dropped and reported, and does not keep others waiting", async () => {
  const queue = createAgentQueue({ store: fileStore({ home }) });
  await queue.start("a-torn", "Hi", { mailId: "torn" });
  await queue.send("a-torn", "And?", { mailId: "whole" });
  await queue.start("z-other", "Hi");
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true }))
    if (entry.name.endsWith(".torn.json")) await writeFile(join(entry.parentPath, entry.name), '{"id":"to');
  await work(queue);
  await eventually(() => statusOf(queue, "z-other")).toBe("ended");
  await eventually(() => statusOf(queue, "a-torn")).toBe("ended");
  expect(notices).toEqual(["Session a-torn: dropped mail torn, which is malformed."]);
  expect(await fileStore({ home }).inbox("a-torn")).toEqual([]);
});

test("a session that cannot be opened fails with the reason, once for each prompt", async () => {
  const real = fileStore({ home });
  let reads = 0;
  const store = changed(real, {
    lastCompaction: async (id, journal) => {
      if (id === "broken") reads++;
      if (id === "broken" && reads > 0) throw new RangeError("Invalid string length");
      return real.lastCompaction(id, journal);
    },
  });
  // What cannot be opened has a journal.
  const lease = await real.lease("broken");
  await lease.append({ at: 0, lines: ['{"type":"note"}'] });
  await lease.release();
  const queue = createAgentQueue({ store: real });
  const running = createAgentQueue({ store });
  await queue.send("broken", "Hi");
  await work(running);
  const failed = { status: "failed", detail: "It cannot be opened: Invalid string length" };
  await eventually(async () => (await queue.info("broken")).run).toEqual(failed);
  await running.start("other", "Hi");
  await eventually(() => statusOf(queue, "other")).toBe("ended");
  expect([await real.inbox("broken"), await real.due(10)]).toEqual([[], []]);
  const before = ends.length;
  await queue.send("broken", "And now?");
  await eventually(() => ends.slice(before)).toContain("broken done");
  await eventually(async () => (await real.due(10)).length).toBe(0);
  expect(await real.inbox("broken")).toEqual([]);
  // Two attempts for each prompt. The look for sessions can meet one between its attempts, and then it is run once more.
  expect(reads).toBeLessThanOrEqual(8);
  expect(new Set(notices)).toEqual(
    new Set(["Session broken failed: It cannot be opened: Invalid string length"]),
  );
});

test("journals with lines of any shape neither stop a worker nor are tried again", async () => {
  const store = fileStore({ home });
  const queue = createAgentQueue({ store });
  const journals = await recorded(queue);
  const random = seeded(11);
  const ids = Array.from({ length: 60 }, (_, at) => `odd-${at}`);
  for (const id of ids) {
    const lines = [...(journals[Math.floor(random() * journals.length)] ?? [])];
    for (let count = 0; count < 3; count++) {
      const at = Math.floor(random() * lines.length);
      lines[at] = odd(lines[at] ?? {}, random);
    }
    const lease = await store.lease(id);
    await lease.append({ at: 0, lines: lines.map((line) => JSON.stringify(line)) });
    await lease.release();
    await queue.send(id, "And now?");
  }
  await work(queue, { concurrency: 16, agent: noting });
  await eventually(async () => (await store.due(1_000)).length).toBe(0);
  for (const id of ids) expect(await statusOf(queue, id)).toBe("ended");
});

const noteTool = defineTool({
  name: "Note",
  description: "Notes a text.",
  inputSchema: z.object({ text: z.string() }),
  call: () => "noted",
});
/** Makes a call that a person must allow, and one that needs nobody. */
const noting = () => ({
  model: scripted(
    Array.from({ length: 4 }, () => ({ messages }: ModelRequest) => {
      const isFirst = !messages.some(({ role }) => role === "assistant");
      if (!isFirst || messages.length > 1) return [{ type: "text", text: "Done." }];
      return ["ask", "note"].map((text) => ({
        type: "tool_use",
        id: `c-${text}`,
        name: "Note",
        input: { text },
      }));
    }),
  ),
  tools: [noteTool],
  canUseTool: (_tool: unknown, input: unknown) =>
    (input as { text: string }).text === "ask"
      ? { behavior: "ask" as const, reason: "it is asked" }
      : { behavior: "allow" as const },
});

type Line = Readonly<Record<string, unknown>>;

/** The journals of a session that has ended, and of one that waits. Their lines have no checksum. */
async function recorded(queue: AgentQueue): Promise<Line[][]> {
  await work(queue, { agent: noting });
  for (const id of ["ended", "waiting"]) await queue.start(id, "Note.");
  for (const id of ["ended", "waiting"]) await eventually(() => statusOf(queue, id)).toBe("waiting");
  const [question] = await queue.questions("ended");
  await queue.answer("ended", question?.id ?? "", { behavior: "allow" });
  await eventually(() => statusOf(queue, "ended")).toBe("ended");
  await worker?.drain();
  return Promise.all(
    ["ended", "waiting"].map(async (id) => {
      const lines: Line[] = [];
      for await (const { entry } of queue.events(id, { isFinite: true })) lines.push(entry);
      return lines;
    }),
  );
}

const ODD = [
  null,
  0,
  -1,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  true,
  { type: "x" },
  { role: "user", content: [null] },
];

/** The same line with one member, at any depth, that is gone or something else. */
function odd(line: Line, random: () => number): Line {
  const copy = structuredClone(line) as Record<string, unknown>;
  let inside = copy;
  for (;;) {
    const names = Object.keys(inside);
    const name = names[Math.floor(random() * names.length)];
    if (name === undefined) return copy;
    const member = inside[name];
    if (typeof member === "object" && member !== null && random() < 0.7) {
      inside = member as Record<string, unknown>;
    } else if (random() < 0.2) {
      delete inside[name];
      return copy;
    } else {
      inside[name] = ODD[Math.floor(random() * ODD.length)];
      return copy;
    }
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test("a session waits for a store that is away, and does not fail", async () => {
  const real = fileStore({ home });
  let away = 3;
  const isAway = async (): Promise<void> => {
    if (--away > 0) throw new Error("connection refused");
  };
  const store = changed(real, {
    lease: async (id, options) => {
      if (away > 0) throw new Error("connection refused");
      return real.lease(id, options);
    },
    ends: async (ids) => {
      await isAway();
      return real.ends(ids);
    },
  });
  await createAgentQueue({ store: real }).start("waits", "Hi");
  const queue = createAgentQueue({ store });
  await work(queue);
  await eventually(() => ends).toContain("waits done");
  expect(await statusOf(queue, "waits")).toBe("ended");
  expect(notices).toEqual(["Session waits was not run: connection refused. It will be tried again."]);
});

test("a session does not fail because its worker has a full disk or its database is slow", async () => {
  const real = fileStore({ home });
  const problems = ["ENOSPC", "57014", "EMFILE"].map((code) =>
    Object.assign(new Error(`code ${code}.`), { code }),
  );
  const store = changed(real, {
    lastCompaction: async (id, journal) => {
      const problem = problems.shift();
      if (problem !== undefined) throw problem;
      return real.lastCompaction(id, journal);
    },
  });
  const lease = await real.lease("unlucky");
  await lease.append({ at: 0, lines: ['{"type":"note"}'] });
  await lease.release();
  const queue = createAgentQueue({ store });
  await work(queue);
  await queue.send("unlucky", "Hi");
  await eventually(() => statusOf(createAgentQueue({ store: real }), "unlucky")).toBe("ended");
  expect(problems).toEqual([]);
  expect(notices).toEqual(
    ["ENOSPC", "57014", "EMFILE"].map(
      (code) => `Session unlucky was not run: code ${code}. It will be tried again.`,
    ),
  );
});

test("a worker that cannot read the inbox of a session does not try again and again at once", async () => {
  const real = fileStore({ home });
  let leases = 0;
  let isBroken = true;
  const store = changed(real, {
    lease: async (id, options) => {
      leases++;
      return real.lease(id, options);
    },
    inbox: async (id) => {
      if (isBroken) throw new Error("permission denied");
      return real.inbox(id);
    },
  });
  const queue = createAgentQueue({ store });
  await work(queue, { sweepMs: 1_000_000 });
  await queue.start("blind", "Hi");
  await eventually(() => ends).toEqual(["blind done"]);
  expect(leases).toBe(2);
  isBroken = false;
  await queue.send("blind", "And now?");
  await eventually(() => statusOf(queue, "blind")).toBe("ended");
});

test("a session that ends its worker each time fails in the end, and the sessions beside it do not", async () => {
  const queue = createAgentQueue({ store: fileStore({ home }) });
  for (const id of ["deadly", "fine", "also-fine"]) await queue.start(id, "Hi");
  const script = await bundled(new URL("deadly-child.ts", import.meta.url));
  let child: ChildProcess | undefined;
  let deaths = 0;
  try {
    for (const args = [home, String(Date.now())]; (await statusOf(queue, "deadly")) !== "failed"; ) {
      child = fork(script, args, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
      const failed = new Promise((resolve) => child?.once("message", resolve));
      const died = once(child, "exit").then(() => deaths++);
      await Promise.race([failed, died]);
      expect(deaths).toBeLessThan(8);
    }
    const { run } = await queue.info("deadly");
    expect(run).toEqual({
      status: "failed",
      detail: "Its worker stopped 6 times in a row while it ran this session",
    });
    expect(deaths).toBe(6);
    for (const id of ["fine", "also-fine"]) await eventually(() => statusOf(queue, id)).toBe("ended");
  } finally {
    child?.kill("SIGKILL");
    await rm(script, { force: true });
  }
}, 120_000);
