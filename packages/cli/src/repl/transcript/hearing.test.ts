import type { AgentEvent } from "@runahead/harness";
import { beforeEach, expect, test } from "vitest";
import { Hearing } from "./hearing.ts";
import { strip } from "../../shared/safe-text.ts";
import { Transcript } from "./transcript.ts";

let transcript: Transcript;
let hearing: Hearing;
beforeEach(() => {
  transcript = new Transcript();
  hearing = new Hearing(transcript);
});

/** What is printed and what is live, as text without its colours and times. */
function frame(room = 20): { above: string[]; live: string[] } {
  const { above, live } = transcript.frame(40, room);
  const plain = (lines: readonly string[]): string[] =>
    lines.map((line) =>
      strip(line)
        .replaceAll(/ \d+\.\d s/g, "")
        .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "~"),
    );
  return { above: plain(above), live: plain(live) };
}

const say = (text: string): void => hearing.hear({ type: "text", text });
const arrive = (callId: string, command: string): void =>
  hearing.hear({ type: "call-arriving", callId, toolName: "Bash", preview: () => ({ command }) });
const arrived = (callId: string, command: string): void =>
  hearing.hear({ type: "call-arrived", callId, toolName: "Bash", input: { command }, description: command });
const queued = (callId: string, state: "judging" | "asking" | "waiting"): void =>
  hearing.hear({ type: "call-queued", callId, toolName: "Bash", state });
const started = (callId: string): void => hearing.hear({ type: "call-started", callId, toolName: "Bash" });
const settled = (callId: string, content: string): void =>
  hearing.hear({
    type: "call-settled",
    callId,
    toolName: "Bash",
    outcome: { type: "succeeded", content },
    output: undefined,
  });

test("a paragraph is printed when the next one begins; a block of code when it is closed", () => {
  say("One\ntwo.\n");
  expect(frame()).toEqual({ above: [], live: ["One", "two."] });
  say("\nThree\n\n```\na\n\n");
  expect(frame()).toEqual({ above: ["One", "two.", "", "Three"], live: ["", "```", "  a", "```"] });
  say("b\n```\n\n");
  expect(frame()).toEqual({ above: ["", "```", "  a", "", "  b", "```"], live: [] });
});

test("of 10,000 lines in one code block few are redrawn, and none is lost", () => {
  say("```\n");
  const above: string[] = [];
  for (let at = 0; at < 10_000; at++) {
    say(`line ${at}\n`);
    if (at % 50 > 0) continue;
    const { above: printed, live } = frame();
    above.push(...printed);
    expect(live.length).toBeLessThanOrEqual(20);
  }
  say("```\n\n");
  above.push(...frame().above);
  const numbers = above.flatMap((line) => /line (\d+)/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, at) => String(at)));
});

test("a call is shown from its name to its end, and is printed in the model's order", () => {
  arrive("1", "sleep 1");
  expect(frame()).toEqual({ above: [], live: ["· $ sleep 1 · arriving"] });
  arrived("1", "sleep 1");
  arrive("2", "sleep 2");
  started("2");
  queued("1", "asking");
  expect(frame().live).toEqual(["? $ sleep 1 · waiting for approval", "~ $ sleep 2 · running"]);
  queued("1", "waiting");
  for (const content of ["a\nb\n", "c\nd\n"])
    hearing.hear({ type: "call-progress", callId: "2", toolName: "Bash", data: { type: "output", content } });
  expect(frame().live).toEqual(["· $ sleep 1 · queued", "~ $ sleep 2 · running", "  └ b", "    c", "    d"]);
  settled("2", "a\nb\nc\nd\ne\nf\n");
  const done = [
    "✓ $ sleep 2 · done",
    "  └ … 2 earlier lines (Ctrl+O to open)",
    "    c",
    "    d",
    "    e",
    "    f",
  ];
  expect(frame()).toEqual({ above: [], live: ["· $ sleep 1 · queued", ...done] });
  started("1");
  settled("1", "");
  expect(frame()).toEqual({ above: ["✓ $ sleep 1 · done", ...done], live: [] });
});

test("an edit shows its change while its input streams, and a long one its end", () => {
  const edit = (input: object): void =>
    hearing.hear({ type: "call-arriving", callId: "1", toolName: "Edit", preview: () => input });
  edit({ file_path: "a.ts" });
  expect(frame().live).toEqual(["· Edit a.ts · arriving"]);
  edit({ file_path: "a.ts", old_string: "one\ntwo", new_string: "thr" });
  expect(frame().live).toEqual(["· Edit a.ts · arriving", "  └ - one", "    - two", "    + thr"]);
  const many = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
  edit({ file_path: "a.ts", old_string: "one\ntwo", new_string: `${many}\u001b[2J` });
  expect(frame().live).toEqual([
    "· Edit a.ts · arriving",
    "  └ … 14 earlier lines",
    ...Array.from({ length: 8 }, (_, at) => `    + line ${at + 12}`),
  ]);
  transcript.frame(40, 20).live.forEach((line) => expect(line).not.toContain("[2J"));
});

test("a sub-agent shows what it is doing, its tokens, and its own sub-agents", () => {
  const agent = { type: "agent-event", toolName: "Agent", agentType: "explore" } as const;
  const subEvent = (event: AgentEvent): void => hearing.hear({ ...agent, callId: "1", agentId: "a", event });
  hearing.hear({
    type: "call-arrived",
    callId: "1",
    toolName: "Agent",
    input: {},
    description: "explore: look around",
  });
  hearing.hear({ type: "call-started", callId: "1", toolName: "Agent" });
  const usage = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const timings = { firstContentMs: 1, responseMs: 2, totalMs: 3 };
  const call = { callId: "x", toolName: "Agent" };
  subEvent({ type: "turn-ended", turn: 1, stop: "tool_use", usage, timings });
  subEvent({ type: "call-arrived", ...call, input: {}, description: "deeper: and further" });
  subEvent({ type: "call-started", ...call });
  const deeper: AgentEvent = { type: "call-started", callId: "y", toolName: "Read" };
  subEvent({ ...agent, callId: "x", agentId: "b", event: deeper });
  subEvent({ type: "call-queued", callId: "z", toolName: "Bash", state: "asking" });
  expect(
    transcript.frame(60, 20).live.map((line) =>
      strip(line)
        .slice(2)
        .replaceAll(/ \d+\.\d s/g, ""),
    ),
  ).toEqual([
    "explore: look around · running · 1.2k tokens",
    "└ deeper: and further · running",
    "    Read · running",
    "  Bash · waiting for approval",
  ]);
  subEvent({ type: "call-settled", ...call, outcome: { type: "succeeded", content: "" }, output: "" });
  hearing.hear({
    type: "call-settled",
    callId: "1",
    toolName: "Agent",
    outcome: { type: "succeeded", content: "All is there." },
    output: "All is there.",
  });
  expect(frame().above).toEqual([
    "✓ explore: look around · done",
    "  └ 1 call · 1.2k tokens",
    "    All is there.",
  ]);
});

test("everything that a sub-agent wrote and called can be read afterwards", () => {
  const call = { callId: "1", toolName: "Agent" };
  const subEvent = (event: AgentEvent): void =>
    hearing.hear({ type: "agent-event", ...call, agentId: "agent-1", agentType: "explore", event });
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const timings = { firstContentMs: 1, responseMs: 2, totalMs: 3 };
  const grep = { callId: "g", toolName: "Grep" };
  hearing.hear({ type: "call-arrived", ...call, input: {}, description: "explore: look" });
  hearing.hear({ type: "call-started", ...call });
  subEvent({ type: "agent-started", description: "look", isBackground: false });
  subEvent({ type: "text", text: "I look." });
  subEvent({ type: "call-arrived", ...grep, input: {}, description: "Grep router" });
  subEvent({ type: "call-started", ...grep });
  subEvent({ type: "call-settled", ...grep, outcome: { type: "succeeded", content: "a\nb" }, output: "" });
  subEvent({ type: "turn-ended", turn: 1, stop: "tool_use", usage, timings });
  const whole = (): string[] =>
    (hearing.latestCalls.at(-1)?.whole() ?? []).map((line) => strip(line).replaceAll(/ \d+\.\d s/g, ""));
  const log = ["agent-1 explore: look", "I look.", "Grep router · succeeded", "    2 lines", ""];
  expect(whole().slice(0, 5)).toEqual(log);
  // The view of one sub-agent has its name as a title.
  const alone = hearing.agentLogs.linesOf("agent-1", 0).map((line) => strip(line).replace(/ \d+\.\d s/, ""));
  expect(alone).toEqual(log.slice(1, 4));
  hearing.hear({
    type: "call-settled",
    ...call,
    outcome: { type: "succeeded", content: "Found." },
    output: "",
  });
  expect(whole()).toEqual([...log, "Found."]);
});

test("when the screen is full, finished entries are printed before unfinished ones", () => {
  arrive("1", "one");
  arrive("2", "two");
  started("1");
  started("2");
  settled("2", "x");
  expect(frame(1)).toEqual({ above: ["✓ $ two · done", "  └ x"], live: ["~ $ one · running"] });
});

test("finished entries stay in order: while an earlier one runs, those that would not fit are only named", () => {
  for (const [id, command] of [
    ["1", "one"],
    ["2", "two"],
    ["3", "three"],
  ] as const) {
    arrive(id, command);
    started(id);
  }
  settled("3", "x\ny");
  settled("2", "z");
  expect(frame(3)).toEqual({
    above: [],
    live: ["~ $ one · running", "✓ $ two · done", "✓ $ three · done"],
  });
  settled("1", "a");
  expect(frame(3).above).toEqual([
    "✓ $ one · done",
    "  └ a",
    "✓ $ two · done",
    "  └ z",
    "✓ $ three · done",
    "  └ x",
    "    y",
  ]);
});

test("other endings are shown: failed, denied, stopped, not run", () => {
  const outcomes: Extract<AgentEvent, { type: "call-settled" }>["outcome"][] = [
    { type: "failed", fault: "exception", message: "no such file" },
    { type: "denied", by: "a person", reason: "Not now." },
    {
      type: "aborted",
      cause: { kind: "user-interrupted", reason: "interrupted" },
      effect: "unknown",
      ranMs: 2000,
      output: "half",
      abandoned: false,
    },
    {
      type: "aborted",
      cause: { kind: "crashed" },
      effect: "none",
      ranMs: 0,
      output: "",
      abandoned: false,
    },
  ];
  outcomes.forEach((outcome, at) => {
    arrive(String(at), "x");
    hearing.hear({ type: "call-settled", callId: String(at), toolName: "Bash", outcome, output: undefined });
  });
  expect(frame().above).toEqual([
    "✗ $ x · failed",
    "  └ no such file",
    "⊘ $ x · denied",
    "  └ denied by a person: Not now.",
    "■ $ x · stopped",
    "  └ stopped after",
    "    half",
    "■ $ x · stopped",
    "  └ not run",
  ]);
});
