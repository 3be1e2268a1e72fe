import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { deferred } from "../shared/deferred.ts";
import { textContent } from "./call.ts";
import { Outbox } from "./outbox.ts";

const said = (text: string): SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});
const live = (toolCallId: string, text: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  content: [textContent(text)],
});
const done = (toolCallId: string): SessionUpdate => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "completed",
});

test("while the client does not read, text is joined and live output replaced, and the order stays the same", async () => {
  const sent: SessionUpdate[] = [];
  const reads = deferred<void>();
  const outbox = new Outbox(async (update) => {
    sent.push(update);
    await reads.promise;
  });
  for (const update of [
    said("a"),
    said("b"),
    said("c"),
    live("1", "one"),
    live("2", "two"),
    live("1", "one more"),
    done("1"),
    said("d"),
  ])
    outbox.add(update);
  reads.resolve();
  await outbox.drained();
  expect(sent).toEqual([
    said("a"),
    said("bc"),
    live("1", "one more"),
    live("2", "two"),
    done("1"),
    said("d"),
  ]);
});

test("a text does not grow without end, and other kinds are not joined", async () => {
  const sent: SessionUpdate[] = [];
  const outbox = new Outbox(async (update) => void sent.push(update));
  const long = "x".repeat(70_000);
  outbox.add(said("first"));
  outbox.add(said(long));
  outbox.add(said(long));
  outbox.add({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } });
  await outbox.drained();
  expect(sent.length).toBe(4);
});

test("if the client disconnects, waiting ends and queued updates are dropped", async () => {
  let tries = 0;
  const outbox = new Outbox(async () => {
    tries++;
    throw new Error("gone");
  });
  outbox.add(said("a"));
  outbox.add(done("1"));
  await outbox.drained();
  expect(tries).toBe(1);
});
