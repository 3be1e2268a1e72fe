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

test("a call that a hook deferred is asked about in the editor after an empty message, and runs", async () => {
  const asked: RequestPermissionRequest[] = [];
  const updates: SessionUpdate[] = [];
  const client: Client = {
    hasNotices: false,
    update: async (_id, update) => void updates.push(update),
    ask: async (request) => {
      asked.push(request);
      return { outcome: { outcome: "selected", optionId: "once" } };
    },
    files: () => ({}),
    terminals: () => undefined,
    elicit: undefined,
  };
  const { cwd, home, env, id } = parked;
  const world = { cwd, home, env, print: () => {}, complain: () => {} };
  // The hook still defers: here it asks, because somebody is there.
  const session = await AcpSession.open(world, { resume: id, trust: true, settings: DEFERRING }, client);
  await session.sendHistory();
  expect(JSON.stringify(updates)).toContain("1 call waits for an answer. Send an empty message");
  const { signal } = new AbortController();
  expect(await session.prompt([{ type: "text", text: "" }], signal)).toEqual({ stopReason: "end_turn" });
  await session.close();
  expect(asked.map(({ toolCall }) => toolCall.toolCallId)).toHaveLength(1);
  expect(existsSync(join(cwd, "later.txt"))).toBe(true);
  expect(JSON.stringify(updates)).toContain("Written.");
});
