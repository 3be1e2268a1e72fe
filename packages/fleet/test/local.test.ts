import { mkdtemp, readFile, rm } from "node:fs/promises";
import { appendFileSync, existsSync } from "node:fs";
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
import { ask } from "../src/run/questions.ts";

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

test("a prompt that is posted again after it was answered has no effect, also after a compaction", async () => {
  const queue = openQueue();
  const store = fileStore({ home });
  const inbox = (): Promise<unknown> => store.inbox("again");
  const read: number[] = [];
  await work(queue, () => ({
    model: scripted([({ messages }) => says(`${read.push(messages.length)}`)]),
    tools: [],
  }));
  await queue.start("again", "Hi", { mailId: "m1" });
  await until(queue, "again", hasStatus("ended"));
  await queue.send("again", "Hi", { mailId: "m1" });
  await eventually(inbox).toEqual([]);
  const session = await sessions({ store }).resume("again");
  session.append({ type: "compacted", messages: session.messages });
  await session.close();
  await queue.send("again", "Hi", { mailId: "m1" });
  await eventually(inbox).toEqual([]);
  await queue.send("again", "More", { mailId: "m2" });
  await eventually(() => read).toEqual([1, 3]);
});

test("a position after the end is an error, and a prompt that is too large to store is refused", async () => {
  const queue = openQueue();
  await queue.start("short", "Hi");
  await expect(queue.events("short", { from: 1_000_000 }).next()).rejects.toThrow(
    /position 1000000 is after the end/,
  );
  await expect(queue.send("short", "x".repeat(30_000_000))).rejects.toThrow(RangeError);
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
  expect(await queue.info("asks")).toMatchObject({ run: { text: "done after 3" }, questions: [] });
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

/** A session whose first turn makes calls that ask, and the file that they append to. */
async function waiting(id: string, turn: Block[], later: Partial<AgentSetup> = {}) {
  const path = join(home, `${id}.txt`);
  const queue = openQueue();
  const requests: ModelRequest[] = [];
  const asking = {
    tools: [appendTool(path)],
    canUseTool: () => ({ behavior: "ask", reason: "writes" }) as const,
  };
  const first = await work(queue, () => ({ ...asking, model: scripted([turn]) }));
  await queue.start(id, "Write.");
  await until(queue, id, hasStatus("waiting"));
  await first.drain();
  const answers = Array.from({ length: 5 }, () => (request: ModelRequest) => {
    requests.push(request);
    return says(`answer ${requests.length}`);
  });
  const goOn = (): Promise<AgentWorker> =>
    work(queue, () => ({ ...asking, model: scripted(answers), ...later }));
  const written = (): Promise<string> => readFile(path, "utf8").catch(() => "");
  const ids = (await queue.questions(id)).map((question) => question.id);
  return { queue, goOn, written, ids, requests };
}

test("answers come from another process, late, twice and after a restart: the first one counts", async () => {
  const { queue, goOn, written, ids } = await waiting("restart", calls("c1", "one"));
  const [question = ""] = ids;
  // Nobody runs the session while it is answered, by another process.
  const other = openQueue();
  await other.answer("restart", question, { behavior: "allow", by: "maria" });
  await other.answer("restart", question, { behavior: "deny", message: "changed my mind" });
  await goOn();
  const seen = await until(queue, "restart", hasStatus("ended"));
  expect(await written()).toBe("one\n");
  expect(seen.filter(({ entry }) => entry.type === "answered")).toMatchObject([
    { entry: { id: question, answer: { behavior: "allow" }, by: "maria" } },
  ]);
  await other.answer("restart", question, { behavior: "allow" });
  await eventually(async () => (await fileStore({ home }).inbox("restart")).length).toBe(0);
  expect(await written()).toBe("one\n");
});

test("an answer does not overrule rules that changed since: a deny wins", async () => {
  const denies: Partial<AgentSetup> = { canUseTool: () => ({ behavior: "deny", reason: "frozen" }) };
  const { queue, goOn, written, ids, requests } = await waiting("rules", calls("c1", "one"), denies);
  await queue.answer("rules", ids[0] ?? "", { behavior: "allow" });
  await goOn();
  await until(queue, "rules", hasStatus("ended"));
  expect(await written()).toBe("");
  expect(JSON.stringify(requests[0]?.messages.at(-1))).toContain("frozen");
});

test("of two questions, the answered call runs at once, and the other keeps waiting", async () => {
  const both = [...calls("c1", "one"), ...calls("c2", "two")];
  const { queue, goOn, written, ids } = await waiting("two", both);
  expect(ids).toEqual(["1-c1", "1-c2"]);
  const worker = await goOn();
  await queue.answer("two", "1-c1", { behavior: "allow" });
  await eventually(written).toBe("one\n");
  await eventually(() => worker.running).toEqual([]);
  expect(await queue.info("two")).toMatchObject({ status: "waiting", questions: [{ id: "1-c2" }] });
  await queue.answer("two", "1-c2", { behavior: "deny" });
  await until(queue, "two", hasStatus("ended"));
  expect(await written()).toBe("one\n");
});

test("a prompt instead of an answer gives the question up, and an answer that came before it counts", async () => {
  const given = await waiting("given-up", calls("c1", "one"));
  await given.queue.send("given-up", "Never mind.");
  const first = await given.goOn();
  await until(given.queue, "given-up", hasStatus("ended"));
  // It would take the next session too: all workers use the same store.
  await first.drain();
  expect(JSON.stringify(given.requests[0]?.messages)).toContain("sent a new message instead");
  expect([await given.written(), await given.queue.questions("given-up")]).toEqual(["", []]);
  const { queue, goOn, written, ids, requests } = await waiting("answered", calls("c1", "one"));
  await queue.answer("answered", ids[0] ?? "", { behavior: "allow" });
  await queue.send("answered", "And then?");
  await goOn();
  await eventually(async () => JSON.stringify(requests.at(-1)?.messages)).toContain("And then?");
  await eventually(() => queue.info("answered")).toMatchObject({ status: "ended" });
  expect(await written()).toBe("one\n");
});

test("a question of a sub-agent is not left open: its model reads what to do instead", async () => {
  const question = { context: { cwd: home, agent: { id: "a1", type: "helper" } } };
  expect(ask(question as never)).toMatchObject({ behavior: "deny", isUnanswered: true, endTurn: false });
  expect(ask({ context: { cwd: home } } as never)).toEqual({ behavior: "defer" });
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

test("an interruption of a session that has ended has no effect", async () => {
  const queue = openQueue();
  const ends: string[] = [];
  const agent = () => ({ model: scripted([says("Done."), says("Again.")]), tools: [] });
  await work(queue, agent, { onRunEnded: (_session, { type }) => ends.push(type) });
  await queue.start("idle", "Hi");
  await eventually(() => ends).toEqual(["done"]);
  const before = await queue.info("idle");
  expect(before).toMatchObject({ status: "ended", run: { text: "Done." } });
  await queue.interrupt("idle");
  await eventually(() => ends).toEqual(["done", "done"]);
  expect(await queue.info("idle")).toEqual(before);
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

test("a session for which the server asks for a long wait holds no worker meanwhile", async () => {
  const queue = openQueue();
  let isOver = false;
  const model = {
    name: "limited",
    async *stream(request: ModelRequest, signal: AbortSignal) {
      if (!isOver) throw new ModelError("rate-limit", "Too many requests.", { retryAfterMs: 3_000_000 });
      yield* scripted([says("Through.")]).stream(request, signal);
    },
  };
  const ends: string[] = [];
  const worker = await work(queue, () => ({ model, tools: [] }), {
    onRunEnded: (_session, { type }) => ends.push(type),
  });
  await queue.start("limited", "Hi");
  await eventually(() => ends).toEqual(["later"]);
  await eventually(() => worker.running).toEqual([]);
  isOver = true;
  await queue.send("limited", "And now?");
  await until(queue, "limited", hasStatus("ended"));
  expect(await queue.info("limited")).toMatchObject({ run: { text: "Through." } });
});

test("a large result is in the store, and a later run reads it as a file, wherever it runs", async () => {
  const queue = openQueue();
  const text = "line\n".repeat(10_000);
  const list = defineTool({
    name: "List",
    description: "Lists much.",
    inputSchema: z.object({}),
    maxResultChars: 1_000,
    call: () => text,
  });
  let isThere: boolean | undefined;
  const read = defineTool({
    name: "Read",
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    isReadOnly: () => true,
    call: async ({ path }) => `${(await readFile(path, "utf8")) === text}`,
  });
  const path = ({ messages }: ModelRequest): string =>
    /stored in (\/\S+\.txt)\./.exec(JSON.stringify(messages))?.[1] ?? "";
  const use = (name: string, input: object): Block[] => [{ type: "tool_use", id: `c-${name}`, name, input }];
  const model = scripted([
    use("List", {}),
    says("Listed."),
    (request) => {
      // No run leaves files on the machine of its worker.
      isThere = existsSync(path(request));
      return use("Read", { path: path(request) });
    },
    says("Read."),
  ]);
  await work(queue, () => ({ model, tools: [list, read] }));
  await queue.start("large", "List.");
  await eventually(async () => (await queue.info("large")).run).toMatchObject({ text: "Listed." });
  await queue.send("large", "Read.");
  await eventually(async () => (await queue.info("large")).run).toMatchObject({ text: "Read." });
  expect(isThere).toBe(false);
  const results: unknown[] = [];
  for await (const { entry } of queue.events("large", { isFinite: true }))
    if (entry.type === "message") results.push(...resultsIn(entry["message"]));
  expect(results).toEqual([expect.stringMatching(/^\[Result too large: 50000 characters\./), "true"]);
});

function resultsIn(message: unknown): unknown[] {
  const { content } = message as { content: unknown };
  const blocks = Array.isArray(content) ? (content as Block[]) : [];
  return blocks.filter(({ type }) => type === "tool_result").map((block) => block["content"]);
}

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

test("what a newer version wrote is left for a newer worker, reported once, and not changed", async () => {
  const queue = openQueue();
  const store = fileStore({ home });
  const lease = await store.lease("newer", { isNew: true, status: "running" });
  const header = { type: "session", version: 99, id: "newer", cwd: home, createdAt: "2030-01-01T00:00:00Z" };
  const end = await lease.append({ at: 0, lines: [JSON.stringify(header)] });
  await lease.release({ status: "running" });
  await store.post("strange", { id: "m1", body: { type: "prompt", prompt: "Hi" } });
  await store.post("strange", { id: "m2", body: { type: "teleport", to: "moon" } });
  await store.post("strange", { id: "m3", body: { type: "prompt", prompt: "And?" } });
  const notices: string[] = [];
  const ends: string[] = [];
  await work(queue, () => ({ model: scripted([says("One."), says("Two.")]), tools: [] }), {
    onNotice: (message) => notices.push(message),
    onRunEnded: ({ id }, { type }) => ends.push(`${id} ${type}`),
  });
  await eventually(() => ends.toSorted()).toEqual(["newer too-new", "strange too-new"]);
  // Mail before the newer one was answered, and the rest is still there.
  expect(await queue.info("strange")).toMatchObject({ status: "ended", run: { text: "One." } });
  expect((await store.inbox("strange")).map(({ id }) => id)).toEqual(["m2", "m3"]);
  // A later wake-up changes nothing.
  await queue.send("newer", "Hello?");
  await queue.start("other", "Hi");
  await until(queue, "other", hasStatus("ended"));
  expect((await store.ends(["newer"])).get("newer")).toBe(end);
  expect((await store.due(10)).map(({ id }) => id).toSorted()).toEqual(["newer", "strange"]);
  expect(notices).toEqual([
    expect.stringMatching(/^Session (?:newer|strange) .* newer version .* Update this worker\.$/),
    expect.stringMatching(/^Session (?:newer|strange) .* newer version .* Update this worker\.$/),
  ]);
  expect(ends.filter((one) => one.endsWith("too-new"))).toHaveLength(2);
});

test("invalid options are reported", async () => {
  expect(() => createAgentQueue({} as never)).toThrow(/"store" is required/);
  await expect(startAgentWorker({ queue: {} as never, agent: () => ({}) as never })).rejects.toThrow(
    /made with createAgentQueue/,
  );
});
