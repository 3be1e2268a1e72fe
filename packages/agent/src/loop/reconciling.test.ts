import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, type Reconciled, defineTool } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { runQuery } from "../../test/support/run-query.ts";
import { until } from "../../test/support/until.ts";
import type { Block, Message, ModelRequest } from "../model/message.ts";
import { scripted } from "../model/scripted.ts";
import { type Sessions, sessions } from "../session/sessions.ts";

let home = "";
let store: Sessions;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-reconcile-"));
  store = sessions({ home, cwd: home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const call: Block = { type: "tool_use", id: "call_0", name: "Charge", input: { order: "7" } };

function charging(parts: {
  readonly run?: (key: string) => string | Promise<string>;
  readonly says?: (key: string, input: unknown) => Reconciled<string>;
}): AnyTool {
  const { run = () => "charged", says = () => ({ fate: "unknown" }) } = parts;
  return defineTool({
    name: "Charge",
    description: "Charges.",
    inputSchema: z.object({ order: z.string() }),
    call: (_input, { idempotencyKey }) => run(idempotencyKey),
    reconcile: (key, input) => says(key, input),
  });
}

/** Leaves a session whose only call was running when the program ended. Returns its id and the key of the call. */
async function crashed(): Promise<{ readonly id: string; readonly key: string }> {
  const session = await store.create();
  const stop = new AbortController();
  let key = "";
  const tool = charging({
    run: (given) => {
      key = given;
      return new Promise<string>((_resolve, reject) => {
        stop.signal.addEventListener("abort", () => reject(new Error("stopped")));
      });
    },
  });
  const running = runQuery({
    prompt: "go",
    model: scripted([[call]]),
    tools: [tool],
    session,
    signal: stop.signal,
  }).catch(() => {});
  await until(() => key !== "");
  await session.sync();
  const text = readFileSync(session.path, "utf8");
  stop.abort();
  await running;
  await session.close();
  writeFileSync(session.path, text);
  return { id: session.id, key };
}

async function resumed(id: string, tool: AnyTool) {
  const session = await store.resume(id);
  const requests: ModelRequest[] = [];
  const model = scripted([
    (request) => {
      requests.push(request);
      return [{ type: "text", text: "Done." }];
    },
  ]);
  const { events } = await runQuery({ prompt: "continue", model, tools: [tool], session });
  await session.close();
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.message] : []));
  return { notices, read: resultIn(requests[0]?.messages ?? []) };
}

function resultIn(messages: readonly Message[]): unknown {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  return blocks.find(({ type }) => type === "tool_result")?.["content"];
}

test("after a crash, the tool says that the call happened, and the model reads its output", async () => {
  const { id, key } = await crashed();
  const asked: unknown[] = [];
  const says = (...about: unknown[]): Reconciled<string> => {
    asked.push(about);
    return { fate: "finished", output: "receipt 1" };
  };
  const { read, notices } = await resumed(id, charging({ says }));
  expect(read).toBe("receipt 1");
  expect(asked).toEqual([[key, { order: "7" }]]);
  expect(key).toBe(`${id}/1/call_0`);
  expect(notices).toEqual(["The call of Charge that was interrupted had finished."]);
  // What the tool said is on disk: nobody is asked again.
  const again = await store.resume(id);
  expect([resultIn(again.messages as readonly Message[]), again.unreconciled]).toEqual(["receipt 1", []]);
  await again.close();
});

test("after a crash, the tool says that the call did not happen, and the model reads that it was not run", async () => {
  const { id } = await crashed();
  const { read } = await resumed(id, charging({ says: () => ({ fate: "never-started" }) }));
  expect(read).toBe("Not run: the program ended before this call started.");
});

test("a tool that fails leaves the outcome unknown, with a notice", async () => {
  const { id } = await crashed();
  const says = (): never => {
    throw new Error("no connection");
  };
  const { read, notices } = await resumed(id, charging({ says }));
  expect(read).toContain("Outcome unknown");
  expect(notices).toEqual(["Cannot determine whether the call of Charge happened: no connection"]);
});

test("a program that is killed again before the tool was asked asks it the next time", async () => {
  const { id } = await crashed();
  // Resuming writes what the crash left, without asking.
  await (await store.resume(id)).close();
  const { read } = await resumed(id, charging({ says: () => ({ fate: "finished", output: "receipt 2" }) }));
  expect(read).toBe("receipt 2");
});

test("a program that is killed at any line of its recovery asks the tool the next time", async () => {
  const { id } = await crashed();
  const session = await store.resume(id);
  await session.close();
  const lines = readFileSync(session.path, "utf8").trimEnd().split("\n");
  const made = lines.findIndex((line) => line.startsWith('{"type":"message"') && line.includes("tool_use"));
  expect(made).toBeGreaterThan(0);
  for (let count = made; count <= lines.length; count++) {
    writeFileSync(session.path, `${lines.slice(0, count).join("\n")}\n`);
    const again = await store.resume(id);
    expect([count, again.unreconciled?.map(({ callId }) => callId)]).toEqual([count, ["call_0"]]);
    await again.close();
  }
});

test("once the model has answered, the tool is not asked any more", async () => {
  const { id } = await crashed();
  await resumed(id, charging({}));
  let count = 0;
  const says = (): Reconciled<string> => {
    count++;
    return { fate: "unknown" };
  };
  await resumed(id, charging({ says }));
  expect(count).toBe(0);
});

test("the turn after a crash has another number, so calls with the same id have other keys", async () => {
  const { id, key } = await crashed();
  const keys: string[] = [];
  const session = await store.resume(id);
  const tool = charging({
    run: (given) => {
      keys.push(given);
      return "charged";
    },
  });
  const model = scripted([[call], [{ type: "text", text: "Done." }]]);
  await runQuery({ prompt: "again", model, tools: [tool], session });
  await session.close();
  expect(keys).toEqual([`${id}/2/call_0_2`]);
  expect(keys).not.toContain(key);
});

test("a copy of a session asks with the key of the original", async () => {
  const { id, key } = await crashed();
  const copy = await store.fork(id);
  expect(copy.unreconciled?.map(({ idempotencyKey }) => idempotencyKey)).toEqual([key]);
  await copy.close();
});
