import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type Ask, type CanUseTool, defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { NoSuchQuestion, type Session, type Sessions, sessions } from "../session/sessions.ts";
import { type AgentOptions, createAgent } from "./agent.ts";

let home = "";
let store: Sessions;
let ran: string[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-defer-"));
  store = sessions({ home, cwd: home });
  ran = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const use = (id: string, name: string, path: string): Block => ({
  type: "tool_use",
  id,
  name,
  input: { path },
});
const DONE: Block[] = [{ type: "text", text: "Done." }];

const tools: AnyTool[] = ["Read", "Edit"].map((name) =>
  defineTool({
    name,
    description: name,
    inputSchema: z.object({ path: z.string() }),
    isReadOnly: () => name === "Read",
    access: ({ path }) => [{ mode: name === "Read" ? "read" : "write", place: `mem:/${path}` }],
    call: ({ path }, { idempotencyKey }) => {
      ran.push(`${name} ${path}`);
      return `${name} ${path} ${idempotencyKey.split("/").slice(1).join("/")}`;
    },
  }),
);
const canUseTool: CanUseTool = ({ name }) =>
  name === "Edit" ? { behavior: "ask", reason: "edits need an answer" } : { behavior: "allow" };
const later: Ask = () => ({ behavior: "defer" });

const CALLS = [use("call_0", "Read", "b"), use("call_1", "Edit", "a"), use("call_2", "Read", "a")];

const agentOf = (session: Session, given: Partial<AgentOptions> = {}) =>
  createAgent({ model: scripted([DONE]), tools, canUseTool, ask: later, session, ...given });

/** A session whose turn waits for an answer about `call_1`, closed as if its process had ended. */
async function parked(): Promise<string> {
  const session = await store.create();
  const agent = agentOf(session, { model: scripted([CALLS]) });
  const { reason, detail } = await agent.send("go");
  expect([reason, detail]).toEqual(["deferred", "1 question is open"]);
  expect(session.questions).toMatchObject([QUESTION]);
  await agent.close();
  return session.id;
}

const QUESTION = {
  id: "1-call_1",
  callId: "call_1",
  toolName: "Edit",
  input: { path: "a" },
  reason: "edits need an answer",
};

const resultsIn = ({ messages }: { messages: readonly { content: unknown }[] }): unknown =>
  messages.flatMap(({ content }) =>
    (Array.isArray(content) ? (content as Block[]) : []).flatMap(({ type, content: text }) =>
      type === "tool_result" ? [text] : [],
    ),
  );

test("a turn parks, the process ends, and another one answers and continues", async () => {
  const id = await parked();
  expect(ran).toEqual(["Read b"]);
  const session = await store.resume(id);
  expect(session.questions).toEqual([QUESTION]);
  await session.answer("1-call_1", { behavior: "allow" });
  expect(session.questions).toEqual([]);
  await session.close();

  const again = await store.resume(id);
  const requests: ModelRequest[] = [];
  const model = scripted([
    (request) => {
      requests.push(request);
      return DONE;
    },
  ]);
  const agent = agentOf(again, { model });
  const result = await agent.resume();
  await agent.close();
  expect([result.reason, result.text]).toEqual(["completed", "Done."]);
  expect(ran).toEqual(["Read b", "Edit a", "Read a"]);
  expect(resultsIn(result)).toEqual(["Read b 1/call_0", "Edit a 1/call_1", "Read a 1/call_2"]);
  expect(checkHistory(requests[0]?.messages ?? [])).toEqual([]);
  const last = await store.resume(id);
  expect([last.questions, last.parked, last.messages.length]).toEqual([[], undefined, 4]);
  await last.close();
});

test("a query parks too, and a query without a prompt continues", async () => {
  const first = await store.create();
  await runQuery({ prompt: "go", model: scripted([CALLS]), tools, canUseTool, ask: later, session: first });
  await first.close();
  const session = await store.resume(first.id);
  await session.answer("1-call_1", { behavior: "deny", message: "not this one" });
  const { result } = await runQuery({ model: scripted([DONE]), tools, canUseTool, ask: later, session });
  expect(result.reason).toBe("completed");
  expect(resultsIn(result)).toEqual([
    "Read b 1/call_0",
    "Not run: the user denied this call and said: not this one",
    "Read a 1/call_2",
  ]);
  await session.close();
});

test("a question is answered once: a second and a late answer are refused and change nothing", async () => {
  const id = await parked();
  const session = await store.resume(id);
  await session.answer("1-call_1", { behavior: "allow" });
  await expect(session.answer("1-call_1", { behavior: "deny" })).rejects.toThrow(/answered before/);
  await expect(session.answer("7-call_1", { behavior: "allow" })).rejects.toThrow(NoSuchQuestion);
  await expect(session.answer("1-call_1", { behavior: "defer" })).rejects.toThrow(TypeError);
  const agent = agentOf(session);
  await agent.resume();
  await expect(session.answer("1-call_1", { behavior: "allow" })).rejects.toThrow(/not open any more/);
  await agent.close();
  expect(ran).toEqual(["Read b", "Edit a", "Read a"]);
});

test("a malformed answer is refused, and the question stays open", async () => {
  const session = await store.resume(await parked());
  const wrong = [undefined, {}, "allow", { behavior: "yes" }, { behavior: "defer" }];
  const malformed = [...wrong, { behavior: "allow", input: "a" }, { behavior: "deny", message: 5 }];
  for (const answer of malformed)
    await expect(session.answer("1-call_1", answer as never)).rejects.toThrow(TypeError);
  expect(session.questions).toMatchObject([QUESTION]);
  await session.close();
});

test("rules that have changed since decide: a deny wins over a yes, and an allow needs no answer", async () => {
  const denied = await store.resume(await parked());
  await denied.answer("1-call_1", { behavior: "allow" });
  const deny: CanUseTool = ({ name }) =>
    name === "Edit" ? { behavior: "deny", reason: "no more edits" } : { behavior: "allow" };
  const first = agentOf(denied, { canUseTool: deny });
  expect(resultsIn(await first.resume())).toMatchObject([
    "Read b 1/call_0",
    expect.stringContaining("no more edits"),
    "Read a 1/call_2",
  ]);
  await first.close();
  ran = [];
  const allowed = await store.resume(await parked());
  const second = agentOf(allowed, { canUseTool: () => ({ behavior: "allow" }) });
  expect((await second.resume()).reason).toBe("completed");
  await second.close();
  expect(ran).toEqual(["Read b", "Edit a", "Read a"]);
});

test("without an answer, the turn parks again with the same question", async () => {
  const id = await parked();
  for (let times = 0; times < 2; times++) {
    const session = await store.resume(id);
    const agent = agentOf(session);
    expect((await agent.resume()).reason).toBe("deferred");
    expect(session.questions).toEqual([QUESTION]);
    await agent.close();
  }
  expect(ran).toEqual(["Read b"]);
});

test("a new prompt gives the turn up, and a late answer is refused", async () => {
  const id = await parked();
  const session = await store.resume(id);
  const agent = agentOf(session);
  const result = await agent.send("never mind");
  expect(result.reason).toBe("completed");
  expect(checkHistory(result.messages)).toEqual([]);
  expect(resultsIn(result)).toMatchObject([
    "Read b 1/call_0",
    expect.stringContaining("a new message"),
    expect.stringContaining("a new message"),
  ]);
  await expect(session.answer("1-call_1", { behavior: "allow" })).rejects.toThrow(NoSuchQuestion);
  await agent.close();
  expect(ran).toEqual(["Read b"]);
});

test("a program that is killed at any line of the journal keeps the question and runs nothing twice", async () => {
  const id = await parked();
  const session = await store.resume(id);
  await session.answer("1-call_1", { behavior: "allow" });
  const agent = agentOf(session);
  await agent.resume();
  await agent.close();
  const whole = readFileSync(session.path, "utf8").trimEnd().split("\n");
  const kept = `${session.path}.kept`;
  copyFileSync(session.path, kept);
  const parkedAt = whole.findIndex(
    (line) => line.startsWith('{"type":"event"') && line.includes("call-deferred"),
  );
  expect(parkedAt).toBeGreaterThan(0);
  for (let lines = parkedAt + 1; lines < whole.length; lines++) {
    writeFileSync(session.path, `${whole.slice(0, lines).join("\n")}\n`);
    const launched = whole.slice(0, lines).filter((line) => line.includes("call-launched")).length;
    ran = [];
    const resumed = await store.resume(id);
    for (const { id: question } of resumed.questions) await resumed.answer(question, { behavior: "allow" });
    const continued = agentOf(resumed);
    const result = await continued.resume();
    expect([lines, result.reason, checkHistory(result.messages)]).toEqual([lines, "completed", []]);
    // What had been launched is not run again; what had not been is run, or is reported as not run.
    expect(ran.length).toBeLessThanOrEqual(3 - launched);
    await continued.close();
  }
  copyFileSync(kept, session.path);
});

test("a program that is killed while it asks the question again keeps it open", async () => {
  const id = await parked();
  const session = await store.resume(id);
  let asked = (): void => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const asking: Ask = () => {
    asked();
    return new Promise(() => {});
  };
  const agent = agentOf(session, { ask: asking });
  void agent.resume();
  await isAsked;
  await session.sync();
  const killed = readFileSync(session.path, "utf8");
  expect(killed).toContain('"continues":true');
  await agent.interrupt();
  await agent.close();
  writeFileSync(session.path, killed);
  const resumed = await store.resume(id);
  expect(resumed.questions).toMatchObject([{ id: "1-call_1", toolName: "Edit" }]);
  await resumed.answer("1-call_1", { behavior: "allow" });
  const continued = agentOf(resumed);
  expect((await continued.resume()).reason).toBe("completed");
  expect(ran).toEqual(["Read b", "Edit a", "Read a"]);
  await continued.close();
});

test("a hook that defers parks the turn", async () => {
  const session = await store.create();
  const hooks = {
    preToolUse: ({ tool }: { tool: AnyTool }) =>
      tool.name === "Edit" ? ({ decision: "defer", reason: "ask the lead" } as const) : undefined,
  };
  const given = { hooks, canUseTool: () => ({ behavior: "allow" }) as const };
  const agent = agentOf(session, { ...given, model: scripted([CALLS, DONE]) });
  expect((await agent.send("go")).reason).toBe("deferred");
  expect(session.questions).toMatchObject([{ id: "1-call_1", reason: "ask the lead" }]);
  await session.answer("1-call_1", { behavior: "allow" });
  expect((await agent.resume()).reason).toBe("completed");
  await agent.close();
});

test("without a session, nobody can answer later, so the call is denied", async () => {
  const { result } = await runQuery({
    prompt: "go",
    model: scripted([CALLS, DONE]),
    tools,
    canUseTool,
    ask: later,
  });
  expect(result.reason).toBe("completed");
  expect(resultsIn(result)).toMatchObject([
    expect.anything(),
    expect.stringContaining("cannot be answered later"),
    expect.anything(),
  ]);
});

test("a compaction keeps the question", async () => {
  const id = await parked();
  const session = await store.resume(id);
  session.append({ type: "compacted", messages: session.messages });
  await session.close();
  const again = await store.resume(id);
  expect(again.questions).toEqual([QUESTION]);
  await again.close();
});

test("a prompt that is sent when a resumed run has just ended is answered", async () => {
  const id = await parked();
  const session = await store.resume(id);
  await session.answer("1-call_1", { behavior: "allow" });
  let sent: Promise<{ text: string }> | undefined;
  const agent = agentOf(session, {
    model: scripted([DONE, [{ type: "text", text: "Also done." }]]),
    onEvent: ({ type }) => {
      if (type === "ended") sent ??= agent.send("one more thing");
    },
  });
  await agent.resume();
  expect((await sent)?.text).toBe("Also done.");
  await agent.close();
});
