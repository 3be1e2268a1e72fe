import { mkdtemp, readFile, rm } from "node:fs/promises";
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "@runahead/engine";
import { type Block, ModelError, type ModelRequest, fileStore, scripted, sessions } from "@runahead/agent";
import {
  type AgentQueue,
  type AgentSetup,
  type AgentWorker,
  type AgentWorkerOptions,
  type SessionEvent,
  createAgentQueue,
  startAgentWorker,
} from "../src/index.ts";

/** A busy machine is not a failure. */
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 50_000 });

let home: string;
// A store for each test: a worker also runs sessions that an earlier test left.
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), "fleet-local-"))));

const workers: AgentWorker[] = [];
const queues: AgentQueue[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.drain();
  for (const queue of queues.splice(0)) await queue.close();
  await rm(home, { recursive: true, force: true });
});

function openQueue(): AgentQueue {
  const queue = createAgentQueue({ store: fileStore({ home }) });
  queues.push(queue);
  return queue;
}

async function work(
  queue: AgentQueue,
  agent: AgentWorkerOptions["agent"],
  more: Partial<AgentWorkerOptions> = {},
) {
  const worker = await startAgentWorker({ queue, agent, sweepMs: 50, ...more });
  workers.push(worker);
  return worker;
}

const says = (text: string): Block[] => [{ type: "text", text }];
const calls = (id: string, text: string): Block[] => [
  { type: "tool_use", id, name: "Append", input: { text } },
];

/** Appends a line to a file. */
function appendTool(path: string, during: () => void | Promise<void> = () => {}) {
  return defineTool({
    name: "Append",
    description: "Appends a line.",
    inputSchema: z.object({ text: z.string() }),
    async call({ text }) {
      appendFileSync(path, `${text}\n`);
      await during();
      return "appended";
    },
  });
}

async function until(
  queue: AgentQueue,
  id: string,
  wanted: (event: SessionEvent) => boolean,
): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for await (const event of queue.events(id)) {
    seen.push(event);
    if (wanted(event)) return seen;
  }
  throw new Error("the events ended");
}

const hasStatus =
  (...statuses: string[]) =>
  ({ entry }: SessionEvent): boolean =>
    entry.type === "state" &&
    entry["name"] === "fleet:run" &&
    statuses.includes(String((entry["data"] as { status?: unknown } | undefined)?.status));

test("a session is started, answered, and continued by any worker of the queue", async () => {
  const queue = openQueue();
  await work(queue, () => ({
    model: scripted([({ messages }) => says(`I have read ${messages.length}.`)]),
    tools: [],
  }));
  await queue.start("talk", "Hi");
  const seen = await until(queue, "talk", hasStatus("ended"));
  expect(await queue.info("talk")).toMatchObject({
    status: "ended",
    run: { text: "I have read 1." },
    questions: [],
  });
  await queue.send("talk", "And now?");
  const later = await until(
    queue,
    "talk",
    (event) => event.position > (seen.at(-1)?.position ?? 0) && hasStatus("ended")(event),
  );
  expect(later.slice(0, seen.length)).toEqual(seen);
  expect(await queue.info("talk")).toMatchObject({ run: { text: "I have read 3." } });
  await expect(queue.start("talk", "Again")).rejects.toThrow(/already exists/);
  await expect(queue.send("nobody", "Hi")).rejects.toThrow(/No session "nobody"/);
  await expect(queue.start("../up", "Hi")).rejects.toThrow(TypeError);
});

test("events continue from any position", async () => {
  const queue = openQueue();
  await work(queue, () => ({ model: scripted([says("Done.")]), tools: [] }));
  await queue.start("positions", "Hi");
  const all = await until(queue, "positions", hasStatus("ended"));
  for (const [index, { position }] of all.entries()) {
    const rest: SessionEvent[] = [];
    for await (const event of queue.events("positions", { from: position, isFinite: true })) rest.push(event);
    expect(rest.slice(0, all.length - index - 1)).toEqual(all.slice(index + 1));
  }
});

test("a prompt that is posted twice with the same id is answered once", async () => {
  const queue = openQueue();
  await queue.start("once", "Hi", { mailId: "m1" });
  await queue.send("once", "Hi", { mailId: "m1" });
  await work(queue, () => ({
    model: scripted([({ messages }) => says(String(messages.length))]),
    tools: [],
  }));
  await until(queue, "once", hasStatus("ended"));
  expect(await queue.info("once")).toMatchObject({ run: { text: "1" } });
});

test("a question holds no worker, and an approved call runs exactly once, as it was asked about", async () => {
  const path = join(home, "approved.txt");
  const queue = openQueue();
  const setup = (turns: Parameters<typeof scripted>[0]): AgentSetup => ({
    model: scripted(turns),
    tools: [appendTool(path)],
    canUseTool: () => ({ behavior: "ask", reason: "writes" }),
  });
  const scripts = [
    [calls("c1", "one")],
    [({ messages }: ModelRequest) => says(`done after ${messages.length}`)],
  ];
  const worker = await work(queue, () => setup(scripts.shift() ?? []));
  await queue.start("asks", "Write.");
  await until(queue, "asks", hasStatus("waiting"));
  await eventually(() => worker.running).toEqual([]);
  const [question] = await queue.questions("asks");
  expect(question).toMatchObject({ toolName: "Append", input: { text: "one" }, reason: "writes" });
  await queue.answer("asks", "another", { behavior: "allow" });
  await queue.answer("asks", question?.id ?? "", { behavior: "allow", by: "maria" });
  await until(queue, "asks", hasStatus("ended"));
  expect(await readFile(path, "utf8")).toBe("one\n");
  expect(await queue.info("asks")).toMatchObject({ run: { text: "done after 5" }, questions: [] });
  await queue.answer("asks", question?.id ?? "", { behavior: "allow" });
  await eventually(async () => (await fileStore({ home }).inbox("asks")).length).toBe(0);
  expect(await readFile(path, "utf8")).toBe("one\n");
});

test("a denied call does not run, and the model reads the message", async () => {
  const path = join(home, "denied.txt");
  const queue = openQueue();
  const heard: ModelRequest[] = [];
  const scripts = [[calls("c1", "one")], [(request: ModelRequest) => (heard.push(request), says("I see."))]];
  await work(queue, () => ({
    model: scripted(scripts.shift() ?? []),
    tools: [appendTool(path)],
    canUseTool: () => ({ behavior: "ask", reason: "writes" }),
  }));
  await queue.start("denied", "Write.");
  await until(queue, "denied", hasStatus("waiting"));
  const [question] = await queue.questions("denied");
  await queue.answer("denied", question?.id ?? "", { behavior: "deny", message: "Not on Fridays." });
  await until(queue, "denied", hasStatus("ended"));
  expect(JSON.stringify(heard[0]?.messages.at(-1))).toContain("Not on Fridays.");
  await expect(readFile(path, "utf8")).rejects.toThrow(/ENOENT/);
});

test("a call with the id of an approved one does not run before a person has approved exactly this call", async () => {
  const path = join(home, "forged.txt");
  const queue = openQueue();
  const forged = ({ messages }: ModelRequest): Block[] =>
    calls(`approved_${/question ([\w-]+)/.exec(JSON.stringify(messages))?.[1] ?? ""}`, "evil");
  const scripts = [[calls("c1", "one")], [forged]];
  await work(queue, () => ({
    model: scripted(scripts.shift() ?? []),
    tools: [appendTool(path)],
    canUseTool: () => ({ behavior: "ask", reason: "writes" }),
  }));
  await queue.start("forged", "Write.");
  await until(queue, "forged", hasStatus("waiting"));
  await queue.send("forged", "Go on.");
  await eventually(async () => (await queue.questions("forged")).length).toBe(2);
  await expect(readFile(path, "utf8")).rejects.toThrow(/ENOENT/);
});

test("an interruption stops the run, and a later prompt is answered", async () => {
  const queue = openQueue();
  let began = (): void => {};
  const hasBegun = new Promise<void>((resolve) => (began = resolve));
  const slow = defineTool({
    name: "Append",
    description: "Waits.",
    inputSchema: z.object({ text: z.string() }),
    interruptBehavior: () => "cancel",
    call: (_input, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        began();
      }),
  });
  const scripts = [[calls("c1", "x")], [says("Better now.")]];
  await work(queue, () => ({ model: scripted(scripts.shift() ?? []), tools: [slow] }));
  await queue.start("stop", "Wait.");
  await hasBegun;
  await queue.interrupt("stop");
  await until(queue, "stop", hasStatus("ended"));
  // The call starts while its response can still be streaming.
  const reason = expect.stringMatching(/^aborted_(?:tools|streaming)$/) as string;
  expect(await queue.info("stop")).toMatchObject({ run: { reason } });
  await queue.send("stop", "Go on.");
  await eventually(() => queue.info("stop")).toMatchObject({ run: { text: "Better now." } });
});

test("a session that waits for a rate limit holds no worker, and goes on by itself", async () => {
  const queue = openQueue();
  let requests = 0;
  const model = {
    name: "limited",
    async *stream(request: ModelRequest, signal: AbortSignal) {
      requests++;
      if (requests <= 2) throw new ModelError("rate-limit", "Too many requests.", { retryAfterMs: 100 });
      yield* scripted([says("Through.")]).stream(request, signal);
    },
  };
  const ends: string[] = [];
  await work(queue, () => ({ model, tools: [] }), { onRunEnded: (_session, { type }) => ends.push(type) });
  await queue.start("limited", "Hi");
  await until(queue, "limited", hasStatus("ended"));
  await eventually(() => ends.slice(0, 2)).toEqual(["later", "done"]);
  expect(await queue.info("limited")).toMatchObject({ run: { text: "Through." } });
});

test("a worker that drains hands its sessions over after the turn, and nothing runs twice", async () => {
  const path = join(home, "drained.txt");
  const queue = openQueue();
  let first: AgentWorker | undefined;
  const turn = ({ messages }: ModelRequest): Block[] => {
    const done = Math.floor(messages.length / 2);
    return done < 4 ? calls(`c${done}`, `line ${done}`) : says("All done.");
  };
  const agent = (): AgentSetup => ({
    model: scripted(Array.from({ length: 10 }, () => turn)),
    tools: [appendTool(path, () => void first?.drain())],
  });
  first = await work(queue, agent);
  await queue.start("drained", "Write four lines.");
  await eventually(() => readFile(path, "utf8").catch(() => "")).toBe("line 0\n");
  await first.drain();
  expect(await queue.info("drained")).toMatchObject({ status: "begun" });
  await work(queue, agent);
  await until(queue, "drained", hasStatus("ended"));
  expect(await readFile(path, "utf8")).toBe("line 0\nline 1\nline 2\nline 3\n");
});

test("tenants share the workers fairly, and a limit holds for each", async () => {
  const queue = openQueue();
  const [many, few] = [queue.forTenant("many"), queue.forTenant("few")];
  for (let count = 0; count < 6; count++) await many.start(`m${count}`, "Hi");
  await few.start("f0", "Hi");
  const order = new Map<string, string>();
  let most = 0;
  const running: string[] = [];
  await work(
    queue,
    ({ tenant }) => {
      running.push(tenant);
      most = Math.max(most, running.filter((one) => one === "many").length);
      return {
        model: scripted([says("Hello.")]),
        tools: [],
        onClosed: () => void running.splice(running.indexOf(tenant), 1),
      };
    },
    { concurrency: 3, tenantLimit: 2, onRunEnded: ({ tenant, id }) => order.set(id, tenant) },
  );
  await eventually(() => order.size).toBe(7);
  expect([...order.values()].indexOf("few")).toBeLessThan(3);
  expect(most).toBeLessThanOrEqual(2);
  expect((await few.list()).map(({ id }) => id)).toEqual(["f0"]);
});

test("a session that another process uses is left alone until it is free", async () => {
  const queue = openQueue();
  const session = await sessions({ store: fileStore({ home }) }).create("used");
  await queue.send("used", "Hi");
  const ends: string[] = [];
  await work(queue, () => ({ model: scripted([says("Now.")]), tools: [] }), {
    onRunEnded: (_session, { type }) => ends.push(type),
  });
  await eventually(() => ends).toContain("taken");
  await session.close();
  await until(queue, "used", hasStatus("ended"));
});

test("an agent that cannot be set up fails once, and its prompt is not tried again and again", async () => {
  const queue = openQueue();
  let tries = 0;
  await work(queue, () => {
    tries++;
    throw new Error("no model");
  });
  await queue.start("broken", "Hi");
  await until(queue, "broken", hasStatus("failed"));
  await eventually(async () => (await fileStore({ home }).due(10)).some(({ id }) => id === "broken")).toBe(
    false,
  );
  expect(tries).toBe(1);
});

test("invalid options are reported", async () => {
  expect(() => createAgentQueue({} as never)).toThrow(/"store" is required/);
  await expect(startAgentWorker({ queue: {} as never, agent: () => ({}) as never })).rejects.toThrow(
    /made with createAgentQueue/,
  );
});
