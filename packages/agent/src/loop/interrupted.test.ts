import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineTool } from "@runahead/engine";
import { checkHistory } from "@runahead/engine/history";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { Model, ModelEvent } from "../model/event.ts";
import { type Sessions, sessions } from "../session/sessions.ts";
import { createAgent } from "./agent.ts";
import { UnfinishedBlocks, withoutLastThinking } from "./unfinished.ts";

let home = "";
let store: Sessions;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "runahead-interrupted-"));
  store = sessions({ home, cwd: home });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Sends these events and then nothing until it is aborted. */
function hangingAfter(...events: readonly ModelEvent[]): Model {
  return {
    name: "hanging",
    async *stream(_request, signal) {
      yield { type: "message-started", id: "m", model: "hanging" };
      yield* events;
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
}

const work = defineTool({
  name: "Work",
  description: "Works",
  inputSchema: z.object({}),
  call: () => "done",
});

const CALL = { id: "a", name: "Work", input: {} };
const NOTE = "[The user interrupted the response.]";
const NOTE_CALLS = "[The user interrupted while tools were running. Each call's result says how far it got.]";

/** Interrupts the agent once it has shown this. */
async function interruptedAt(shown: "text" | "thinking" | "call-settled", events: readonly ModelEvent[]) {
  const session = await store.create();
  let seen = (): void => {};
  const isShown = new Promise<void>((resolve) => (seen = resolve));
  const agent = createAgent({
    model: hangingAfter(...events),
    tools: [work],
    session,
    onEvent: ({ type }) => void (type === shown && seen()),
  });
  void agent.send("go");
  await isShown;
  await agent.interrupt();
  const { messages } = agent;
  await agent.close();
  const resumed = await store.resume(session.id);
  expect(resumed.messages).toEqual(messages);
  expect(checkHistory(messages)).toEqual([]);
  await resumed.close();
  return { messages: messages.slice(1), journal: readFileSync(session.path, "utf8") };
}

test("after an interrupt, the text that was shown is in the history and the journal, and the note follows it", async () => {
  const { messages, journal } = await interruptedAt("text", [{ type: "text", text: "The cause is " }]);
  expect(messages).toEqual([
    { role: "assistant", content: [{ type: "text", text: "The cause is " }] },
    { role: "user", content: NOTE },
  ]);
  expect(journal).toContain("The cause is ");
});

test("a call that was not complete is not part of it", async () => {
  const { messages } = await interruptedAt("text", [
    { type: "call-begun", id: "b", name: "Work" },
    { type: "call-delta", id: "b", name: "Work", delta: "{", preview: () => ({}) },
    { type: "text", text: "Half a" },
  ]);
  expect(messages[0]?.content).toEqual([{ type: "text", text: "Half a" }]);
});

test("text before and after a call keeps its order, also if the server sends no blocks before the end", async () => {
  const { messages } = await interruptedAt("call-settled", [
    { type: "text", text: "First. " },
    { type: "call-complete", call: CALL },
    { type: "text", text: "Then" },
  ]);
  expect(messages).toMatchObject([
    {
      role: "assistant",
      content: [
        { type: "text", text: "First. " },
        { type: "tool_use", id: "a" },
        { type: "text", text: "Then" },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "done" }] },
    { role: "user", content: NOTE_CALLS },
  ]);
});

test("thinking alone is dropped, because the API refuses a message that ends with it", async () => {
  const thought = { type: "thinking", thinking: "hm", signature: "s" };
  const { messages } = await interruptedAt("thinking", [
    { type: "block", block: thought },
    { type: "thinking", text: "hm" },
  ]);
  expect(messages).toEqual([{ role: "user", content: NOTE }]);
  expect(withoutLastThinking([{ type: "text", text: "a" }, thought])).toEqual([{ type: "text", text: "a" }]);
});

test("blocks that came are not repeated", () => {
  const unfinished = new UnfinishedBlocks();
  unfinished.text("one");
  unfinished.block({ type: "text", text: "one" });
  unfinished.call({ type: "tool_use", id: "a" });
  unfinished.block({ type: "tool_use", id: "a" });
  unfinished.text(" \n");
  expect(unfinished.take()).toEqual([]);
  unfinished.text("before ");
  unfinished.call({ type: "tool_use", id: "b" });
  unfinished.text("after");
  unfinished.block({ type: "text", text: "before after" });
  expect(unfinished.take()).toEqual([{ type: "tool_use", id: "b" }]);
});
