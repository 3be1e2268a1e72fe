import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fate, type JournalEvent, StreamingToolExecutor, type Tool, defineTool } from "@runahead/engine";
import { type HistoryMessage, checkHistory } from "@runahead/engine/history";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { load } from "./load.ts";
import { type Session, sessions } from "./sessions.ts";

const homes: string[] = [];
afterEach(() => Promise.all(homes.splice(0).map((home) => rm(home, { recursive: true, force: true }))));

async function project() {
  const home = await mkdtemp(join(tmpdir(), "session-"));
  homes.push(home);
  const notices: string[] = [];
  return { notices, all: sessions({ home, cwd: home, onNotice: (message) => notices.push(message) }) };
}

const inputSchema = z.object({ path: z.string() });
const read = defineTool({
  name: "Read",
  description: "Reads",
  inputSchema,
  isReadOnly: () => true,
  call: ({ path }) => `content of ${path} “ü😀”`,
});
const write = defineTool({
  name: "Write",
  description: "Writes",
  inputSchema,
  call: async ({ path }) => `wrote ${path}`,
});
const tools = [read, write] as Tool[];
const prompt = (content: string): HistoryMessage => ({ role: "user", content });
const callOf = (id: string, name: string) =>
  ({ type: "tool_use", id, name, input: { path: `${id}.ts` } }) as const;

/** A turn as the loop runs it, with the real executor. */
async function turn(
  session: Session,
  number: number,
  blocks: readonly { type: string; [name: string]: unknown }[],
) {
  const executor = new StreamingToolExecutor({ tools, journal: session.journalOf({ turn: number }) });
  for (const block of blocks) {
    if (block.type === "tool_use") {
      const call = block as unknown as ReturnType<typeof callOf>;
      session.append({ type: "call", block: call });
      executor.add(call);
      session.append({ type: "block", callId: call.id });
    } else session.append({ type: "block", block });
  }
  const results: { type: string }[] = [];
  for await (const update of executor.remaining())
    if (update.type === "result") results.push({ ...update.result });
  session.append({ type: "message", message: { role: "assistant", content: blocks } });
  if (results.length > 0) session.append({ type: "message", message: { role: "user", content: results } });
  const usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  session.append({ type: "turn-ended", turn: number, usage, context: { cwd: `/turn/${number}` } });
}

async function recordedSession() {
  const { all, notices } = await project();
  const session = await all.create();
  session.append({ type: "message", message: prompt("go – ü😀") });
  await turn(session, 1, [
    { type: "text", text: "Let me see." },
    callOf("a", "Read"),
    callOf("b", "Write"),
    callOf("c", "Read"),
  ]);
  await turn(session, 2, [callOf("d", "Nope"), callOf("e", "Write"), { type: "text", text: "both" }]);
  await turn(session, 3, [{ type: "text", text: "Done." }]);
  await session.close();
  return { all, notices, session };
}

type Entry = { type: string; event?: JournalEvent; message?: HistoryMessage };

function entriesOf(bytes: Buffer): Entry[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Entry];
      } catch {
        return [];
      }
    });
}

function resultsIn(messages: readonly HistoryMessage[]): [string, unknown][] {
  return messages.flatMap(({ content }) =>
    (Array.isArray(content) ? content : []).flatMap((block: Record<string, unknown>) =>
      block["type"] === "tool_result"
        ? [[String(block["tool_use_id"]), block["content"]] as [string, unknown]]
        : [],
    ),
  );
}

/** What a whole line says of a call's result, so that the history must have it. */
function recordedResults(entries: readonly Entry[]): Map<string, unknown> {
  const recorded = new Map<string, unknown>();
  for (const { event } of entries)
    if (event?.type === "call-finished") recorded.set(event.id, event.ending.content);
  return recorded;
}

function expectWhole(messages: readonly HistoryMessage[], bytes: Buffer): void {
  expect(checkHistory(messages)).toEqual([]);
  const results = resultsIn(messages);
  expect(new Set(results.map(([id]) => id)).size).toBe(results.length);
  const entries = entriesOf(bytes);
  for (const [id, content] of recordedResults(entries)) expect(new Map(results).get(id)).toEqual(content);
  const started = entries.flatMap(({ event }) => (event?.type === "call-launched" ? [event.id] : []));
  for (const id of started) expect(String(new Map(results).get(id))).not.toMatch(/^Not run/);
}

/** Around each end of a line every byte, elsewhere every eleventh: half a line is like any other half of it. */
function* cutsOf(bytes: Buffer, from = 0): Generator<number> {
  for (let length = bytes.length; length >= from; length--)
    if (length % 11 === 0 || bytes.subarray(Math.max(0, length - 4), length + 4).includes(0x0a)) yield length;
}

test("G01, E07: a crash at any byte leaves a valid history with every result whose line is complete", async () => {
  const { session } = await recordedSession();
  const whole = await readFile(session.path);
  const launched = entriesOf(whole).filter(({ event }) => event?.type === "call-launched");
  expect(launched).toHaveLength(4);
  for (const length of cutsOf(whole)) {
    await truncate(session.path, length);
    const { messages } = await load(session.path, () => {});
    expectWhole(messages, whole.subarray(0, length));
  }
});

test("G01: after a crash at the end of any line, or in the middle of it, a session is recovered once and then stays the same", async () => {
  const { session, all } = await recordedSession();
  const whole = await readFile(session.path);
  const ends = [...whole.keys()].filter((at) => whole[at] === 0x0a);
  for (const end of ends.flatMap((at) => [at - 5, at, at + 1])) {
    await writeFile(session.path, whole.subarray(0, end));
    const resumed = await all.resume(session.id);
    expectWhole(resumed.messages, whole.subarray(0, end));
    expect(resumed.isSaved).toBe(true);
    await resumed.close();
    const again = await all.resume(session.id);
    await again.close();
    expect([again.messages, again.recovered]).toEqual([resumed.messages, []]);
    expect((await readFile(session.path)).subarray(0, end)).toEqual(whole.subarray(0, end));
  }
});

test("a crash while recovery is being written is recovered from too", async () => {
  const { session, all } = await recordedSession();
  const whole = await readFile(session.path);
  const at = whole.indexOf('{"type":"message","message":{"role":"assistant"');
  await truncate(session.path, at);
  const first = await all.resume(session.id);
  await first.close();
  const recovered = await readFile(session.path);
  for (const length of cutsOf(recovered, at + 1)) {
    await truncate(session.path, length);
    const { messages } = await load(session.path, () => {});
    expect(messages).toEqual(first.messages);
  }
});

test("the usage and the context of the turns are loaded with the messages", async () => {
  const { session, all, notices } = await recordedSession();
  const resumed = await all.resume(session.id);
  await resumed.close();
  const { usage, context, recovered, messages } = resumed;
  expect({ usage, context, recovered, roles: messages.map(({ role }) => role), notices }).toEqual({
    usage: { inputTokens: 30, outputTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 },
    context: { cwd: "/turn/3" },
    recovered: [],
    roles: ["user", "assistant", "user", "assistant", "user", "assistant"],
    notices: [],
  });
});

const arrived = (id: string, toolName: string, readOnly: boolean): JournalEvent => ({
  type: "call-arrived",
  id,
  toolName,
  access: { claims: [], readOnly, interrupt: "block", onError: "isolate" },
  hooked: false,
  permitted: true,
});
const finished = (id: string, content: string): JournalEvent => ({
  type: "call-finished",
  id,
  ending: { type: "succeeded", content, ranMs: 1, output: "" },
});
const brief = (fates: readonly Fate[]) => fates.map(({ callId, fate }) => [callId, fate]);

/** A session whose process dies: it is never closed, only what is on disk is left. */
async function crashed(work: (session: Session) => void, change: (text: string) => string = (text) => text) {
  const { all, notices } = await project();
  const session = await all.create();
  session.append({ type: "message", message: prompt("go") });
  work(session);
  await session.close();
  await writeFile(session.path, change(await readFile(session.path, "utf8")));
  notices.length = 0;
  const resumed = await all.resume(session.id);
  await resumed.close();
  return { resumed, notices, all };
}

test("G03: a call that finished without a record of its end has an unknown outcome", async () => {
  const { resumed, notices } = await crashed((session) => {
    const journal = session.journalOf({ turn: 1, limit: 2 });
    for (const id of ["a", "b", "c"]) {
      session.append({ type: "call", block: callOf(id, "Write") });
      void journal.record(arrived(id, "Write", false));
    }
    session.append({ type: "call", block: callOf("d", "Write") });
    session.append({ type: "block", callId: "b" });
    session.append({ type: "block", block: { type: "text", text: "between" } });
    void journal.record(finished("a", "wrote a"));
    void journal.record({
      type: "call-finished",
      id: "x",
      ending: { type: "failed", content: "", ranMs: 1, output: "" },
    });
  });
  expect(resumed.messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: [
        callOf("b", "Write"),
        { type: "text", text: "between" },
        callOf("a", "Write"),
        callOf("c", "Write"),
        callOf("d", "Write"),
      ],
    },
    {
      role: "user",
      content: [
        [
          "b",
          "Outcome unknown: the program ended while this call was running. It may have had effects, and its output is lost.",
          true,
        ],
        ["a", "wrote a", false],
        [
          "c",
          "Outcome unknown: the program ended while this call was running. It may have had effects, and its output is lost.",
          true,
        ],
        ["d", "Not run: the program ended before this call started.", true],
      ].map(([id, content, is_error]) => ({ type: "tool_result", tool_use_id: id, content, is_error })),
    },
  ]);
  expect(brief(resumed.recovered)).toEqual([
    ["b", "unknown"],
    ["a", "finished"],
    ["c", "unknown"],
    ["d", "never-started"],
  ]);
  expect(notices).toEqual([
    `The last turn in ${resumed.path} was interrupted. Its calls: 1 finished, 2 with unknown outcome, 1 not started.`,
  ]);
});

test("G03: without a concurrency limit, every call that was free to start may have run", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `call-${index}`);
  const { resumed } = await crashed((session) => {
    const journal = session.journalOf({ turn: 1, limit: Number.POSITIVE_INFINITY, start: "eager" });
    for (const id of ids) {
      session.append({ type: "call", block: callOf(id, "Read") });
      void journal.record(arrived(id, "Read", true));
    }
  });
  expect(brief(resumed.recovered)).toEqual(ids.map((id) => [id, "unknown"]));
});

test("results that were lost between two messages are restored in place, and stay there", async () => {
  const { resumed, all } = await crashed((session) => {
    const journal = session.journalOf({ turn: 1 });
    session.append({ type: "call", block: callOf("a", "Read") });
    void journal.record(arrived("a", "Read", true));
    void journal.record(finished("a", "content"));
    session.append({ type: "message", message: { role: "assistant", content: [callOf("a", "Read")] } });
    session.append({ type: "message", message: prompt("typed meanwhile") });
  });
  expect(resumed.messages.slice(2)).toEqual([
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: "content", is_error: false }],
    },
    prompt("typed meanwhile"),
  ]);
  const again = await all.resume(resumed.id);
  await again.close();
  expect([again.messages, again.recovered]).toEqual([resumed.messages, []]);
});

test("a turn without a complete call, or one that was discarded, is dropped, and a notice says so", async () => {
  const dropped = (path: string) => [
    `The last turn in ${path} was interrupted before its first complete call. It was discarded.`,
  ];
  const silent = await crashed((session) => {
    session.journalOf({ turn: 1 });
    session.append({ type: "block", block: { type: "text", text: "I was about" } });
  });
  expect([silent.resumed.messages, silent.notices]).toEqual([[prompt("go")], dropped(silent.resumed.path)]);
  silent.notices.length = 0;
  await (await silent.all.resume(silent.resumed.id)).close();
  expect(silent.notices).toEqual([]);
  const discarded = await crashed((session) => {
    const journal = session.journalOf({ turn: 1 });
    session.append({ type: "call", block: callOf("a", "Read") });
    void journal.record(arrived("a", "Read", true));
    void journal.record({ type: "turn-discarded" });
  });
  expect([discarded.resumed.messages, discarded.notices]).toEqual([
    [prompt("go")],
    dropped(discarded.resumed.path),
  ]);
});

test("a request that failed before anything came is not reported", async () => {
  const { resumed, notices } = await crashed((session) => {
    const journal = session.journalOf({ turn: 1 });
    void journal.record({ type: "response-ended", ok: false, reason: "the key was refused" });
  });
  expect([resumed.messages, resumed.recovered, notices]).toEqual([[prompt("go")], [], []]);
});

test("a response that is requested again replaces the failed one without a notice", async () => {
  const { resumed, notices } = await crashed((session) => {
    session.journalOf({ turn: 1 });
    session.journalOf({ turn: 1 });
    session.append({ type: "message", message: { role: "assistant", content: "Done." } });
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheWriteTokens: 1 };
    session.append({ type: "turn-ended", turn: 1, usage, context: {} });
  });
  expect([resumed.messages.length, notices]).toEqual([2, []]);
});

test("if a line of the open turn is lost, a call that may have run never counts as not started", async () => {
  const work = (session: Session): void => {
    const journal = session.journalOf({ turn: 1 });
    session.append({ type: "call", block: callOf("a", "Write") });
    void journal.record(arrived("a", "Write", false));
    session.append({ type: "block", callId: "a" });
  };
  const damaged = (part: string, damage: (line: string) => string) => (text: string) =>
    text
      .split("\n")
      .map((line) => (line.includes(part) ? damage(line) : line))
      .join("\n");
  const atStart = (line: string): string => line.replace(":", "\u0000");
  const atEnd = (line: string): string => line.slice(0, -2);
  for (const [part, damage] of [
    ["call-arrived", atStart],
    ["call-arrived", atEnd],
    ["turn-begun", atStart],
    ['"type":"call"', atStart],
  ] as const) {
    const { resumed, notices } = await crashed(work, damaged(part, damage));
    expect([part, brief(resumed.recovered), notices.length]).toEqual([part, [["a", "unknown"]], 2]);
    expect(notices.some((notice) => /^Skipped (?:1 line|line \d+) of /.test(notice))).toBe(true);
    expect(checkHistory(resumed.messages)).toEqual([]);
  }
});

test("a lost message of a completed turn is rebuilt from the turn's own entries", async () => {
  const { session, all, notices } = await recordedSession();
  const whole = await readFile(session.path, "utf8");
  const lines = whole.split("\n");
  const { messages } = await load(session.path, () => {});
  const places = [...lines.keys()].filter((at) =>
    lines[at]?.startsWith('{"type":"message","message":{"role"'),
  );
  for (const at of places.slice(1, 5)) {
    await writeFile(session.path, lines.map((line, index) => (index === at ? "{broken" : line)).join("\n"));
    notices.length = 0;
    const resumed = await all.resume(session.id);
    await resumed.close();
    expect(resumed.messages).toEqual(messages);
    expect(notices).toEqual([
      `Skipped 1 line of ${session.path} that cannot be read. The file was not changed.`,
    ]);
  }
});

test("E07, V9: torn, corrupt, NUL, ill-formed and foreign lines lose only themselves, and stay in the file", async () => {
  const { session, all, notices } = await recordedSession();
  const { messages } = await load(session.path, () => {});
  const bad = Buffer.concat([
    Buffer.from('{"type":"turn-end\n\n{"type":"message","message":{"role":"nobody","content":1}}\n[1]\n7\n'),
    Buffer.alloc(5_000),
    Buffer.from("\n"),
    Buffer.from([
      ...Buffer.from('{"type":"message","message":{"role":"user","content":"'),
      0xc3,
      0x28,
      0x22,
      0x7d,
      0x7d,
    ]),
    Buffer.from('\n{"type":"from-the-future","content":1}\n{"type":"mess'),
  ]);
  await appendFile(session.path, bad);
  const resumed = await all.resume(session.id);
  resumed.append({ type: "message", message: prompt("on") });
  await resumed.close();
  expect(resumed.messages).toEqual(messages);
  expect(notices).toEqual([
    `Skipped 7 lines of ${session.path} that cannot be read (the last line is cut off). The file was not changed.`,
  ]);
  const after = await readFile(session.path);
  expect(after.includes(bad)).toBe(true);
  expect((await load(session.path, () => {})).messages).toEqual([...messages, prompt("on")]);
});

test("E07: a prompt whose message has blocks of no shape is read", async () => {
  const { resumed } = await crashed((session) => {
    const message = { role: "user", content: [null, "x", { type: "text", text: "on" }] };
    session.append({ type: "message", message: message as unknown as HistoryMessage });
    session.append({ type: "prompt", back: 1, number: 9, context: {} });
  });
  expect(resumed.prompts.at(-1)?.number).toBe(9);
});

test("E07: a history whose lines do not fit together is repaired, and a notice says so", async () => {
  const { resumed, notices } = await crashed((session) => {
    session.append({ type: "message", message: { role: "assistant", content: [callOf("a", "Read")] } });
    session.append({ type: "message", message: prompt("on") });
  });
  expect(checkHistory(resumed.messages)).toEqual([]);
  expect(notices).toEqual([`The history in ${resumed.path} was incomplete. Repaired it in 1 place.`]);
});

test("E07, G12: an oversized line, such as zeros after a crash, loses only itself and is not buffered", async () => {
  const { session, all, notices } = await recordedSession();
  const { messages } = await load(session.path, () => {});
  await truncate(session.path, 150_000_000);
  await appendFile(session.path, `\n${JSON.stringify({ type: "message", message: prompt("on") })}\n`);
  const before = process.memoryUsage().rss;
  const resumed = await all.resume(session.id);
  expect(process.memoryUsage().rss - before).toBeLessThan(120_000_000);
  await resumed.close();
  expect([resumed.messages, notices.length]).toEqual([[...messages, prompt("on")], 1]);
});

test("an empty file, and one without a header, can be resumed", async () => {
  const { all, session, notices } = await recordedSession();
  await truncate(session.path, 0);
  const empty = await all.resume(session.id);
  empty.append({ type: "message", message: prompt("on") });
  await empty.close();
  expect([empty.messages, notices]).toEqual([[], []]);
  expect((await readFile(session.path, "utf8")).split("\n")[0]).toMatch(/^\{"type":"session","version":1,/);
  await writeFile(session.path, `${JSON.stringify({ type: "message", message: prompt("x") })}\n`);
  const headless = await all.resume(session.id);
  await headless.close();
  expect([headless.messages, notices]).toEqual([
    [prompt("x")],
    [`The header of ${session.path} cannot be read.`],
  ]);
  expect(await all.list()).toMatchObject([{ id: session.id, cwd: session.cwd, firstPrompt: "x" }]);
});

test("G04: a journal of a newer major version is refused and left alone; a newer minor one is read", async () => {
  const { all, session } = await recordedSession();
  const text = await readFile(session.path, "utf8");
  await writeFile(session.path, text.replace('"version":1', '"version":"1.7","more":{"a":1}'));
  const minor = await all.resume(session.id);
  await minor.close();
  expect(minor.messages).toHaveLength(6);
  const newer = text.replace('"version":1', '"version":2');
  await writeFile(session.path, newer);
  await expect(all.resume(session.id)).rejects.toThrow(
    `${session.path} was written by a newer version of Runahead (format 2; this version supports 1). The file was not changed. Update Runahead to resume this session.`,
  );
  await expect(all.fork(session.id)).rejects.toThrow("was written by a newer version of Runahead");
  expect(await readFile(session.path, "utf8")).toBe(newer);
  expect(await all.list()).toMatchObject([{ isLocked: false }]);
});
