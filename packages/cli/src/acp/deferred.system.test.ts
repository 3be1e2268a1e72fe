import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DEFERRING, type Parked, parkedSession } from "../../test/support/parked.ts";
import { AcpSession, type Client } from "./session.ts";

let parked: Parked;
beforeEach(async () => {
  parked = await parkedSession();
});
afterEach(() => parked.remove());

const ONCE = { outcome: { outcome: "selected", optionId: "once" } } as const;

/** An editor that allows everything, and keeps what it was sent and asked. */
function editor() {
  const asked: RequestPermissionRequest[] = [];
  const updates: SessionUpdate[] = [];
  const client: Client = {
    hasNotices: false,
    update: async (_id, update) => void updates.push(update),
    ask: async (request) => {
      asked.push(request);
      return ONCE;
    },
    files: () => ({}),
    terminals: () => undefined,
    showsForms: false,
    opensPages: false,
    elicit: () => Promise.reject(new Error("no forms")),
  };
  return { asked, updates, client };
}

const opened = (settings: string, client: Client): Promise<AcpSession> => {
  const { cwd, home, env, id } = parked;
  const world = { cwd, home, env, print: () => {}, complain: () => {} };
  return AcpSession.open(world, { resume: id, trust: true, settings }, client);
};

const empty = (session: AcpSession) =>
  session.prompt([{ type: "text", text: "" }], new AbortController().signal);

test("a call that a hook deferred is asked about in the editor after an empty message, once, and runs", async () => {
  const { asked, updates, client } = editor();
  // The hook still defers: here it asks, because somebody is there.
  const session = await opened(DEFERRING, client);
  await session.sendHistory();
  expect(JSON.stringify(updates)).toContain("1 call waits for an answer. Send an empty message");
  expect(await empty(session)).toEqual({ stopReason: "end_turn" });
  // Nothing waits any more.
  await expect(empty(session)).rejects.toThrow("the prompt is empty");
  await session.close();
  expect(asked.map(({ toolCall }) => toolCall.toolCallId)).toHaveLength(1);
  expect(existsSync(join(parked.cwd, "later.txt"))).toBe(true);
  expect(JSON.stringify(updates)).toContain("Written.");
});

test("rules that have changed since decide in the editor too: a denied call is not asked about and does not run", async () => {
  const { asked, client } = editor();
  const session = await opened(JSON.stringify({ permissions: { deny: ["Write"] } }), client);
  expect(await empty(session)).toEqual({ stopReason: "end_turn" });
  await session.close();
  expect([asked.length, existsSync(join(parked.cwd, "later.txt"))]).toEqual([0, false]);
});
