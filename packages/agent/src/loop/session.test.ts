import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { SessionLocked, type Sessions, sessions } from "../session/sessions.ts";
import { createAgent } from "./agent.ts";
import type { QueryOptions } from "./options.ts";
import { query } from "./query.ts";

let home = "";
let store: Sessions;
const notices: string[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-loop-"));
  notices.length = 0;
  store = sessions({ home, cwd: home, onNotice: (message) => notices.push(message) });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const text = (said: string): Block => ({ type: "text", text: said });
const work = (id: string): Block => ({ type: "tool_use", id, name: "Work", input: {} });

function tool(call: (callId: string) => string | Promise<string>) {
  return defineTool({
    name: "Work",
    description: "Works",
    inputSchema: z.object({}),
    call: (_input, { callId }) => call(callId),
  });
}

/** A model that also notes what it was asked. */
function noting(turns: readonly ScriptedTurn[]) {
  const requests: ModelRequest[] = [];
  const all = turns.map((turn) => (request: ModelRequest) => {
    requests.push(request);
    return typeof turn === "function" ? turn(request) : turn;
  });
  return { model: scripted(all), requests };
}

const finish = async (options: QueryOptions) => (await runQuery(options)).result;

test("a resumed session continues where it was, including changes of the context", async () => {
  const session = await store.create();
  const moving = defineTool({
    name: "Work",
    description: "Moves",
    inputSchema: z.object({}),
    call: (_input, { change }) => {
      change((context) => ({ ...context, cwd: "/elsewhere" }));
      return "moved";
    },
  });
  await finish({
    prompt: "go",
    model: scripted([[work("1")], [text("Done.")]]),
    tools: [moving],
    session,
  });
  await session.close();

  const again = await store.resume(session.id);
  const where = defineTool({
    name: "Work",
    description: "Reports",
    inputSchema: z.object({}),
    call: (_input, { cwd }) => cwd,
  });
  const { model, requests } = noting([[work("2")], [text("There.")]]);
  const result = await finish({ prompt: "where?", model, tools: [where], session: again });
  expect(requests[0]?.messages).toHaveLength(5);
  expect(result.messages.at(-2)?.content).toMatchObject([{ content: "/elsewhere" }]);
  await again.close();
});

test("a call that writes starts after its record is on disk, and so does the delivery of its result", async () => {
  const session = await store.create();
  const seen: boolean[] = [];
  const looks = tool((callId) => {
    const journal = readFileSync(session.path, "utf8");
    seen.push(journal.includes(`"type":"call-arrived","id":"${callId}"`));
    return "worked";
  });
  const { model } = noting([
    [work("1"), work("2")],
    () => {
      const journal = readFileSync(session.path, "utf8");
      seen.push(journal.includes('"type":"call-finished","id":"2"'));
      return [text("Done.")];
    },
  ]);
  await finish({ prompt: "go", model, tools: [looks], session });
  await session.close();
  expect(seen).toEqual([true, true, true]);
});

test("a large result is a file of the session that only its owner can read", async () => {
  const session = await store.create();
  const { model, requests } = noting([[work("1")], [text("Done.")]]);
  await finish({ prompt: "go", model, tools: [tool(() => "line\n".repeat(50_000))], session });
  const [, path = ""] =
    /The full result is stored in (\S+)\. /.exec(JSON.stringify(requests[1]?.messages)) ?? [];
  expect(readFileSync(path, "utf8")).toBe("line\n".repeat(50_000));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await session.close();
});

test("G09, G01: a fork in the middle of calls is complete and continues on its own", async () => {
  const session = await store.create();
  const parts: { copied?: Promise<string> } = {};
  const copying = tool(async (callId) => {
    if (callId === "1") return "first";
    parts.copied ??= store.fork(session.id).then(async (fork) => {
      await fork.close();
      return fork.id;
    });
    await parts.copied;
    return "second";
  });
  const model = scripted([[text("Two things."), work("1"), work("2")], [text("Done.")]]);
  const result = await finish({ prompt: "go", model, tools: [copying], session });
  expect(result.text).toBe("Done.");
  await session.close();

  const copy = await store.resume((await parts.copied) ?? "");
  expect(checkHistory(copy.messages)).toEqual([]);
  expect(copy.messages[2]?.content).toMatchObject([
    { tool_use_id: "1", content: "first" },
    { tool_use_id: "2", content: expect.stringContaining("unknown") as string },
  ]);
  const { model: another, requests } = noting([[text("I see.")]]);
  const agent = createAgent({ model: another, tools: [copying], session: copy });
  expect((await agent.resume()).text).toBe("I see.");
  expect(checkHistory([...(requests[0]?.messages ?? [])])).toEqual([]);
  await agent.close();
});

test("a compacted session is resumed compacted", async () => {
  const long = text("At length. ".repeat(3_000));
  const { model } = noting([[long], [text("We talked.")], [text("Yes.")]]);
  const session = await store.create();
  const agent = createAgent({ model, tools: [], session });
  await agent.send("first");
  expect(await agent.compact()).toBe(true);
  await agent.send("second");
  await agent.close();
  const again = await store.continue();
  expect(JSON.stringify(again?.messages)).not.toContain("At length.");
  expect(JSON.stringify(again?.messages[0])).toContain("We talked.");
  expect(again?.messages.at(-1)?.content).toEqual([text("Yes.")]);
  await again?.close();
});

test("E02, E05: a session whose folder was deleted continues and is not reported as saved", async () => {
  const session = await store.create();
  const breaking = tool(() => {
    rmSync(join(home, "projects"), { recursive: true, force: true });
    writeFileSync(join(home, "projects"), "not a folder");
    return "gone";
  });
  const { model } = noting([[work("1")], [work("2")], [text("Done.")]]);
  const result = await finish({ prompt: "go", model, tools: [breaking], session });
  expect([result.reason, result.text]).toEqual(["completed", "Done."]);
  expect([session.isSaved, notices.length > 0]).toEqual([false, true]);
  await session.close();
});

test("G11: the permissions of a resumed session are decided again, not read from its journal", async () => {
  const session = await store.create();
  await finish({
    prompt: "go",
    model: scripted([[work("1")], [text("Done.")]]),
    tools: [tool(() => "worked")],
    canUseTool: () => ({ behavior: "allow" }),
    session,
  });
  await session.close();
  const again = await store.resume(session.id);
  const result = await finish({
    prompt: "again",
    model: scripted([[work("2")], [text("Done.")]]),
    tools: [tool(() => "worked")],
    canUseTool: () => ({ behavior: "deny", reason: "not today" }),
    session: again,
  });
  expect(JSON.stringify(result.messages.at(-2))).toContain("not today");
  await again.close();
});

test("a session that was rewound is resumed rewound, and the removed part stays in its file", async () => {
  const { model } = noting([[work("1")], [text("One.")], [text("Two.")], [text("Three.")]]);
  const moving = defineTool({
    name: "Work",
    description: "Moves",
    inputSchema: z.object({}),
    call: (_input, { change }) => change((context) => ({ ...context, cwd: "/elsewhere" })),
  });
  const session = await store.create();
  const agent = createAgent({ model, tools: [moving], session });
  await agent.send("first", { snapshot: "s1" });
  await agent.send("second", { snapshot: "s2" });
  await agent.rewind(4);
  await agent.send("third", { snapshot: "s3" });
  const { messages, prompts } = agent;
  await agent.close();
  expect(prompts.map(({ snapshot }) => snapshot)).toEqual(["s1", "s3"]);

  const again = await store.resume(session.id);
  const where = defineTool({
    name: "Work",
    description: "Reports",
    inputSchema: z.object({}),
    call: (_input, { cwd }) => cwd,
  });
  const telling = noting([[work("2")], [text("Here.")]]);
  const resumed = createAgent({ model: telling.model, tools: [where], session: again });
  expect([resumed.messages, resumed.prompts]).toEqual([messages, prompts]);
  expect(readFileSync(session.path, "utf8")).toContain("Two.");
  expect(again.context).toMatchObject({ cwd: "/elsewhere" });
  // Where it began, it was somewhere else.
  await resumed.rewind(0);
  await resumed.send("where?");
  expect(telling.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: home }]);
  await resumed.rewind(0);
  await resumed.close();
  const back = await store.resume(session.id);
  expect([back.messages, back.prompts, back.context]).toEqual([[], [], { cwd: home }]);
  expect(notices).toEqual([]);
  await back.close();
});

test("tokens and cost stay counted in a session that was rewound", async () => {
  const session = await store.create();
  const usage = { inputTokens: 5, outputTokens: 4, cacheReadTokens: 3, cacheWriteTokens: 2 };
  session.append({ type: "message", message: { role: "user", content: "go" } });
  session.append({ type: "prompt", number: 1, back: 1, context: { cwd: "/one" } });
  session.append({ type: "turn-ended", turn: 1, usage, context: { cwd: "/two" } });
  session.append({ type: "rewound", number: 1, context: { cwd: "/one" } });
  expect([session.usage, session.context]).toEqual([usage, { cwd: "/one" }]);
  await session.close();
  const again = await store.resume(session.id);
  expect([again.messages, again.usage, again.context]).toEqual([[], usage, { cwd: "/one" }]);
  await again.close();
});

test("G09: a session that was compacted, rewound and forked has the same history in each copy", async () => {
  const long = text("At length. ".repeat(3_000));
  const { model } = noting([[long], [text("Yes.")], [text("We talked.")], [text("No.")]]);
  const session = await store.create();
  const agent = createAgent({ model, tools: [], session });
  await agent.send("first");
  await agent.send("second", { snapshot: "s2" });
  await agent.compact();
  await agent.send("third");
  await agent.rewind(agent.prompts[1]?.messages ?? -1);
  const { messages, prompts } = agent;
  expect(prompts).toEqual([{ messages: 1, text: "second", snapshot: "s2" }]);
  const fork = await store.fork(session.id);
  expect([fork.messages, fork.prompts]).toMatchObject([
    messages,
    prompts.map(({ messages: before, snapshot }) => ({ messages: before, snapshot })),
  ]);
  const other = createAgent({ model, tools: [], session: fork });
  await expect(other.rewind(0)).rejects.toThrow("summarised");
  await other.close();
  await agent.close();
});

test("E07: a lost line does not move a prompt to another position", async () => {
  const { model } = noting([[text("One.")], [text("Two.")], [text("Three.")]]);
  const session = await store.create();
  const agent = createAgent({ model, tools: [], session });
  await agent.send("first");
  await agent.send("second");
  await agent.send("third");
  await agent.rewind(4);
  await agent.close();
  const lines = readFileSync(session.path, "utf8").split("\n");
  const lost = lines.findIndex((line) => line.startsWith('{"type":"message"') && line.includes("One."));
  writeFileSync(session.path, lines.with(lost, "{").join("\n"));
  const again = await store.resume(session.id);
  expect(again.messages.map(({ content }) => content)).toEqual(["first", "second", [text("Two.")]]);
  expect(again.prompts.map(({ messages }) => messages)).toEqual([0, 1]);
  await again.close();
});

test("a journal that cannot be read is reported, and the conversation stays complete", async () => {
  const { model } = noting([[text("One.")], [text("Two.")]]);
  const session = await store.create();
  const agent = createAgent({ model, tools: [], session });
  await agent.send("first");
  await agent.send("second");
  await agent.close();
  const more = ['{"type":"rewound","number":7}', '{"type":"prompt","number":3,"back":1,"context":{}}'];
  writeFileSync(session.path, `${readFileSync(session.path, "utf8")}${more.join("\n")}\n`);
  const again = await store.resume(session.id);
  expect([again.messages.length, again.prompts.length]).toEqual([4, 2]);
  expect(notices).toEqual([expect.stringContaining("Skipped 2 lines of ")]);
  await again.close();
});

test("a session that is used by an agent of this process cannot be used by another until the first is closed", async () => {
  const session = await store.create("alice");
  const options = { model: scripted([[text("Done.")]]), tools: [], session };
  const first = createAgent(options);
  expect(() => createAgent(options)).toThrow(SessionLocked);
  expect(() => query({ ...options, prompt: "go" })).toThrow(
    `Session alice is in use by an agent of this process (${process.pid}). Close it first, or fork the session.`,
  );
  await first.send("hello");
  await first.close();
  const again = await store.resume("alice");
  const second = createAgent({ ...options, session: again });
  expect(second.messages).toHaveLength(2);
  await second.close();
});

test("a query holds its session from its first event to its end, also if its reader leaves", async () => {
  const session = await store.create();
  const made = () => query({ model: scripted([[text("Done.")]]), tools: [], session, prompt: "go" });
  const [first, second] = [made(), made()];
  await first.next();
  await expect(second.next()).rejects.toThrow(/is in use by a query of this process/);
  expect(() => createAgent({ model: scripted([]), tools: [], session })).toThrow(SessionLocked);
  await first.return(undefined as never);
  const agent = createAgent({ model: scripted([]), tools: [], session });
  await agent.close();
});

test("an agent that could not be created does not hold the session", async () => {
  const session = await store.create();
  const broken = {
    model: scripted([]),
    session,
    tools: [],
    moreTools: () => {
      throw new Error("broken");
    },
  };
  expect(() => createAgent(broken)).toThrow("broken");
  await createAgent({ model: scripted([]), session, tools: [] }).close();
});

test("B06: a server that counts its calls from 0 in every response: each call has an id of its own, and nothing is repaired", async () => {
  const session = await store.create();
  const ran: string[] = [];
  const twice = [work("call_0"), work("call_1")];
  const { model, requests } = noting([twice, [work("call_0"), text("So.")], twice, [text("Done.")]]);
  const { events, result } = await runQuery({
    prompt: "go",
    model,
    tools: [tool((callId) => ran.push(callId).toString())],
    session,
  });
  await session.close();
  const ids = ["call_0", "call_1", "call_0_2", "call_0_3", "call_1_2"];
  expect(ran).toEqual(ids);
  expect(events.filter(({ type }) => type === "notice")).toEqual([]);
  const arrived = events.flatMap((event) => (event.type === "call-arrived" ? [event.callId] : []));
  const settled = events.flatMap((event) => (event.type === "call-settled" ? [event.callId] : []));
  expect([arrived, settled.toSorted()]).toEqual([ids, ids.toSorted()]);
  expect(checkHistory(result.messages)).toEqual([]);
  expect(requests.at(-1)?.messages).toEqual(result.messages.slice(0, -1));
  // A repair would write the whole history again, in every turn.
  expect(readFileSync(session.path, "utf8")).not.toContain('"compacted"');
  const resumed = await store.resume(session.id);
  expect([resumed.messages, notices]).toEqual([result.messages, []]);
  await resumed.close();
});
