import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  arrived,
  began,
  ofAgent,
  prompt,
  queued,
  settled,
  started,
  turnEnded,
} from "../../test/support/timeline.ts";
import { createTimelineKeeper, type TimelineKeeper } from "./keep.ts";
import { createTimelineRecorder } from "./recorder.ts";
import { readTimeline, timelinePath } from "./stored.ts";

let folder = "";
let path = "";
const notices: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-keep-"));
  path = timelinePath(join(folder, "session.jsonl"));
});
afterEach(() => {
  notices.splice(0);
  rmSync(folder, { recursive: true, force: true });
});

function keeper(mostBytes?: number): TimelineKeeper {
  const session = { path: join(folder, "session.jsonl") };
  const onNotice = (message: string): void => void notices.push(message);
  return createTimelineKeeper({ session, onNotice, ...(mostBytes === undefined ? {} : { mostBytes }) });
}

function hearTurn(kept: TimelineKeeper, turn: number): void {
  const events = [
    prompt,
    began(turn),
    arrived("a", "Agent", `look ${turn}`),
    queued("a", "waiting"),
    started("a", "Agent"),
    ofAgent("a", began(1, "small")),
    ofAgent("a", started("b", "Read")),
    ofAgent("a", settled("b", "Read")),
    ofAgent("a", turnEnded(1, [0, 0, 0])),
    settled("a", "Agent"),
    turnEnded(turn, [0, 0, 0]),
  ];
  for (const event of events) kept.hear(event);
}

test("several runs of a session are joined, each with its agents, turns and calls", async () => {
  for (const run of [1, 2]) {
    const kept = keeper();
    hearTurn(kept, run);
    hearTurn(kept, run + 10);
    await kept.close();
  }
  const read = await readTimeline(path);
  if (read.type !== "read") throw new Error(read.message);
  const { agents, turns, calls, marks, endMs } = read.timeline;
  expect(agents.map(({ agentType, call }) => [agentType, call])).toEqual([
    ["", undefined],
    ["explore", 0],
    ["explore", 2],
    ["explore", 4],
    ["explore", 6],
  ]);
  expect(turns.map(({ agent, number }) => [agent, number])).toEqual([
    [0, 1],
    [1, 1],
    [0, 11],
    [2, 1],
    [0, 2],
    [3, 1],
    [0, 12],
    [4, 1],
  ]);
  expect(calls.map(({ turn, description }) => [turn, description])).toEqual([
    [0, "look 1"],
    [1, ""],
    [2, "look 11"],
    [3, ""],
    [4, "look 2"],
    [5, ""],
    [6, "look 12"],
    [7, ""],
  ]);
  expect(calls[0]?.content).toEqual({ input: '{\n  "secret": "secret input"\n}', output: "secret output" });
  expect(marks.map(({ type }) => type)).toEqual(["prompt", "prompt", "resumed", "prompt", "prompt"]);
  const times = calls.map(({ arrivedMs }) => arrivedMs);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(endMs).toBeGreaterThanOrEqual(times.at(-1) ?? 0);
});

test("E11: only the owner can read the file and its folder, and links are not followed", async () => {
  const kept = keeper();
  hearTurn(kept, 1);
  await kept.close();
  expect([statSync(path).mode & 0o777, statSync(join(path, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  rmSync(path);
  writeFileSync(join(folder, "other"), "mine");
  symlinkSync(join(folder, "other"), path);
  const again = keeper();
  hearTurn(again, 2);
  await again.close();
  expect(readFileSync(join(folder, "other"), "utf8")).toBe("mine");
  expect(notices.length).toBe(1);
});

test("C07: recording stops before the file becomes too large, and this is reported once", async () => {
  const kept = keeper(3000);
  for (let turn = 1; turn < 10; turn++) hearTurn(kept, turn);
  await kept.close();
  expect(statSync(path).size).toBeLessThanOrEqual(3000);
  expect(notices).toEqual([`Timeline recording stopped: ${path} reached the limit of 0.003 MB`]);
  // What was written can still be read.
  expect((await kept.timeline()).turns.filter(({ agent }) => agent === 0)).toHaveLength(3);
});

test("a missing, damaged or newer file gets a message of its own; a torn line loses only itself", async () => {
  expect(await readTimeline(path)).toMatchObject({
    message: expect.stringContaining("no turn has ended") as string,
  });
  const kept = keeper();
  hearTurn(kept, 1);
  await kept.close();
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, `${whole}{"type":"part","calls":[{"tur`);
  expect(await readTimeline(path)).toMatchObject({
    type: "read",
    brokenLines: 1,
    timeline: { calls: [{}, {}] },
  });
  writeFileSync(path, "\u0000\u0001 nothing\n[]\n5\n");
  expect(await readTimeline(path)).toEqual({
    type: "failed",
    message: `${path} is damaged: no line of it can be read.`,
  });
  writeFileSync(path, whole.replace('"version":1', '"version":9'));
  expect(await readTimeline(path)).toMatchObject({ message: expect.stringContaining("newer") as string });
  writeFileSync(
    path,
    `{"type":"run","version":1}\n{"type":"part","calls":[null,{"turn":"x","queue":5,"outcome":"odd"}],"turns":{}}\n`,
  );
  expect(await readTimeline(path)).toMatchObject({
    timeline: { calls: [{ turn: 0, outcome: "unfinished", queue: [], toolName: "" }], turns: [] },
  });
});

test("if nothing can be written, the session continues, and one notice says so", async () => {
  writeFileSync(join(folder, "session"), "a file where the folder should be");
  const kept = keeper();
  hearTurn(kept, 1);
  hearTurn(kept, 2);
  await kept.close();
  expect(notices).toHaveLength(1);
});

test("what is on disk does not stay in memory, and later items still refer to the right turns", () => {
  const recorder = createTimelineRecorder();
  const turn = (number: number): void => {
    recorder.hear({ type: "message-started", turn: number, model: "m" }, number * 10);
    const call = { callId: `${number}`, toolName: "Read" };
    recorder.hear({ type: "call-arrived", ...call, input: {}, description: "" }, number * 10 + 1);
    recorder.hear(
      { type: "call-settled", ...call, outcome: { type: "succeeded", content: "" }, output: "" },
      number * 10 + 2,
    );
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const timings = { firstContentMs: 1, responseMs: 2, totalMs: 3 };
    recorder.hear({ type: "turn-ended", turn: number, stop: "end_turn", usage, timings }, number * 10 + 3);
  };
  for (let number = 1; number <= 3; number++) {
    turn(number);
    const part = recorder.take();
    expect([part.turns.length, part.calls.map((call) => call.turn)]).toEqual([1, [number - 1]]);
    recorder.dropTaken();
  }
  turn(4);
  const { turns, calls } = recorder.timeline();
  expect([turns.map(({ number }) => number), calls.map((call) => call.turn)]).toEqual([[4], [0]]);
});
