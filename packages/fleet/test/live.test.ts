import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Model, fileStore } from "@runahead/agent";
import {
  type AgentQueue,
  type AgentWorker,
  type FollowOptions,
  type SessionEvent,
  createAgentQueue,
  serveAgents,
  startAgentWorker,
} from "../src/index.ts";

let home: string;
let queue: AgentQueue;
let worker: AgentWorker;
let gates: Record<"first" | "second", () => void>;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "fleet-live-"));
  queue = createAgentQueue({ store: fileStore({ home }) });
  const open = { first: (): void => {}, second: (): void => {} };
  const first = new Promise<void>((resolve) => (open.first = resolve));
  const second = new Promise<void>((resolve) => (open.second = resolve));
  gates = open;
  const model: Model = {
    name: "slow",
    async *stream() {
      yield { type: "message-started", id: "m1", model: "slow" };
      yield { type: "text", text: "Hello " };
      await first;
      yield { type: "text", text: "big " };
      await second;
      yield { type: "text", text: "world." };
      yield { type: "block", block: { type: "text", text: "Hello big world." } };
      yield { type: "stopped", reason: "end_turn", detail: "" };
    },
  };
  worker = await startAgentWorker({ queue, agent: () => ({ model, tools: [] }) });
});
afterEach(async () => {
  for (const open of Object.values(gates)) open();
  await worker.drain();
  await queue.close();
  await rm(home, { recursive: true, force: true });
});

const isDelta = ({ entry }: SessionEvent): boolean => entry.type === "text-delta";
const textOf = (events: readonly SessionEvent[]): string =>
  events
    .filter(isDelta)
    .map(({ entry }) => String(entry["text"]))
    .join("");
const hasEnded = ({ entry }: SessionEvent): boolean => entry.type === "turn-ended";

/** Reads until an event is wanted. */
async function read(options: FollowOptions, isLast: (events: readonly SessionEvent[]) => boolean) {
  const events: SessionEvent[] = [];
  for await (const event of queue.events("live", { deltas: true, ...options })) {
    events.push(event);
    if (isLast(events)) break;
  }
  return events;
}

test("texts are read while they arrive, by readers that come early, late or again from any position", async () => {
  const early = read({}, (events) => events.some(hasEnded));
  await queue.start("live", "Hi");
  const begun = await read({}, (events) => textOf(events) === "Hello ");
  const { position } = begun.at(-1) as SessionEvent;
  gates.first();
  // Leaves in the middle of the text, and continues from its last position.
  await read({ from: position }, (events) => textOf(events) === "Hello big ");
  const again = read({ from: position }, (events) => events.some(hasEnded));
  await read({ from: position }, (events) => textOf(events) === "Hello big ");
  gates.second();
  for (const events of [await early, await again]) {
    expect(textOf(events)).toBe("Hello big world.");
    expect(events.findLastIndex(isDelta)).toBeLessThan(
      events.findIndex(({ entry }) => entry.type === "block"),
    );
  }
  const entries = (await early).filter((event) => !isDelta(event));
  const stored: SessionEvent[] = [];
  for await (const event of queue.events("live", { isFinite: true })) stored.push(event);
  expect(stored.slice(0, entries.length)).toEqual(entries);
});

test("parts of a text have the number of their turn in the session, also in a later run", async () => {
  for (const open of Object.values(gates)) open();
  await queue.start("live", "Hi");
  const { position } = (await read({}, (events) => events.some(hasEnded))).at(-1) as SessionEvent;
  const second = read({ from: position }, (events) => events.some(hasEnded));
  await queue.send("live", "Hi again");
  const events = await second;
  expect(events.find(({ entry }) => entry.type === "turn-begun")?.entry["turn"]).toBe(2);
  const turns = events.filter(isDelta).map(({ entry }) => entry["turn"]);
  expect([turns.length > 0, new Set(turns)]).toEqual([true, new Set([2])]);
});

test("server-sent events have the parts of a text, without an id", async () => {
  const token = "a-token-that-is-long-enough";
  const server = await serveAgents({ queue, tokens: [{ token }] });
  await queue.start("live", "Hi");
  const address = `${server.url}/v1/sessions/live/events?deltas=true`;
  const { body } = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('"text":"Hello "')) gates.first();
    if (text.includes('"text":"big "')) gates.second();
    if (text.includes("event: turn-ended")) break;
  }
  const deltas = text.split("\n\n").filter((event) => event.includes("event: text-delta"));
  expect(deltas.length).toBeGreaterThan(2);
  expect(deltas.some((event) => event.includes("id: "))).toBe(false);
  await server.close();
});
