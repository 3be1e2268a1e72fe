import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Model, Usage } from "../model/event.ts";
import { createAgent } from "../loop/agent.ts";
import { type Session, type SessionState, sessions } from "./sessions.ts";
import { changedState, stateChange } from "./state.ts";

let home = "";
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), "runahead-state-"))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const USAGE: Usage = { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const model: Model = {
  name: "m",
  async *stream({ messages }) {
    const isLong = messages.at(-1)?.content === "explain at length";
    yield { type: "block", block: { type: "text", text: isLong ? "Yes. ".repeat(4_000) : "Yes." } };
    yield { type: "usage", usage: USAGE };
    yield { type: "stopped", reason: "end_turn", detail: "" };
  },
};
const PRICE = { input: 2_000, output: 0, cacheRead: 0, cacheWrite: 0 };

function part(state: unknown): SessionState & { state: unknown } {
  const self = { state, save: () => self.state, restore: (data: unknown) => void (self.state = data) };
  return self;
}

const opened = (session: Session, state: Readonly<Record<string, SessionState>>) =>
  createAgent({ model, tools: [], session, state, price: PRICE });

test("the states of all parts, the cost and the number of turns come back when a session is resumed", async () => {
  const store = sessions({ home, cwd: home });
  const session = await store.create("s");
  const files = part({ "/a": { size: 1 } });
  const agent = opened(session, { files, mode: part("plan") });
  await agent.send("go");
  files.state = { "/a": { size: 1 }, "/b": { size: 2 } };
  await agent.send("on");
  await agent.close();
  expect([session.turns, session.costUsd, session.usage.inputTokens]).toEqual([2, 4, 2_000]);

  const again = await store.resume("s");
  expect([again.turns, again.costUsd, again.usage.inputTokens]).toEqual([2, 4, 2_000]);
  const [restoredFiles, restoredMode, other] = [part({}), part("default"), part("mine")];
  const resumed = opened(again, { files: restoredFiles, mode: restoredMode, other });
  expect(restoredFiles.state).toEqual({ "/a": { size: 1 }, "/b": { size: 2 } });
  expect([restoredMode.state, other.state]).toEqual(["plan", "mine"]);
  await resumed.close();
});

test("they survive a compaction, which is where loading begins", async () => {
  const store = sessions({ home, cwd: home });
  const session = await store.create("s");
  const agent = opened(session, { mode: part("plan") });
  await agent.send("go");
  await agent.send("explain at length");
  await agent.send("further");
  expect(await agent.compact()).toBe(true);
  await agent.close();
  expect(readFileSync(session.path, "utf8")).toContain('{"type":"compacted"');
  const again = await store.resume("s");
  await again.close();
  // The summary is counted too.
  expect([again.state, again.turns, again.costUsd]).toEqual([{ mode: "plan" }, 3, 8]);
});

test("only what changed is written", async () => {
  const session = await sessions({ home, cwd: home }).create("s");
  const files = part(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`/file-${at}`, { at }])));
  const agent = opened(session, { files });
  await agent.send("go");
  await session.sync();
  const before = readFileSync(session.path, "utf8").length;
  files.state = { ...(files.state as object), "/file-7": { at: -7 } };
  await agent.send("on");
  await agent.close();
  expect(readFileSync(session.path, "utf8").slice(before)).toContain(
    '"set":{"/file-7":{"at":-7}},"unset":[]',
  );
  expect(readFileSync(session.path, "utf8").length - before).toBeLessThan(2_000);
});

test("a part that throws loses only its own state", async () => {
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", listen);
  const store = sessions({ home, cwd: home });
  const bad = {
    save: () => Object.assign(() => {}).missing.member,
    restore: () => {},
  } as unknown as SessionState;
  const agent = opened(await store.create("s"), { bad, good: part(1) });
  expect((await agent.send("go")).reason).toBe("completed");
  await agent.close();
  const again = await store.resume("s");
  await again.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(again.state).toEqual({ good: 1 });
  expect(warnings.some((message) => message.includes('The state "bad" of the session was not saved'))).toBe(
    true,
  );
});

test("a change leads from one state to the next, and the latest members come last", () => {
  const cases: [unknown, unknown][] = [
    [undefined, { a: 1 }],
    [{ a: 1, b: 2 }, { b: 2 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 3 },
    ],
    [{ a: 1 }, [1]],
    [[1], null],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
  ];
  for (const [before, after] of cases) {
    const change = JSON.parse(JSON.stringify(stateChange(before, after))) as Record<string, unknown>;
    expect(JSON.stringify(changedState(before, change))).toBe(JSON.stringify(after));
  }
  expect(stateChange({ a: { b: 1 } }, { a: { b: 1 } })).toBeUndefined();
});

test("an agent can be closed again, also if a state has changed since", async () => {
  const store = sessions({ home, cwd: home });
  const mode = part("plan");
  const agent = opened(await store.create("s"), { mode });
  await agent.send("go");
  await Promise.all([agent.close(), agent.close()]);
  mode.state = "default";
  await agent.close();

  const again = await store.resume("s");
  const restored = part("mine");
  await opened(again, { mode: restored }).close();
  expect(restored.state).toBe("plan");
});
