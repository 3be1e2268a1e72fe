import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkHistory, defineTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import type { Block, ModelRequest } from "../model/message.ts";
import { type ScriptedTurn, scripted } from "../model/scripted.ts";
import { type Sessions, sessions } from "../session/sessions.ts";
import { createAgent } from "./agent.ts";
import type { QueryOptions } from "./options.ts";

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

test("a session goes on where it was, also with what its calls have changed", async () => {
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
    description: "Tells",
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
  const [, path = ""] = /The whole is in (\S+)\. /.exec(JSON.stringify(requests[1]?.messages)) ?? [];
  expect(readFileSync(path, "utf8")).toBe("line\n".repeat(50_000));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await session.close();
});

test("G09, G01: a copy of a session in the middle of its calls is whole, and goes on by itself", async () => {
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

test("a compacted session is resumed as it was compacted", async () => {
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

test("E02, E05: a session whose folder is gone goes on, and nobody pretends that it is saved", async () => {
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

test("G11: what a resumed session may do is decided anew, not read from its journal", async () => {
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
