import type { AgentEvent } from "@runahead/agent";
import { beforeEach, expect, test } from "vitest";
import { Hearing } from "./hearing.ts";
import { strip } from "./safe-text.ts";
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

test("of 10,000 lines in one block of code little is drawn anew, and none is lost", () => {
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
  expect(frame()).toEqual({ above: [], live: ["· Bash sleep 1 · arriving"] });
  arrive("2", "sleep 2");
  started("2");
  hearing.asks("1", true);
  expect(frame().live).toEqual(["? Bash sleep 1 · asks", "~ Bash sleep 2 · running"]);
  hearing.asks("1", false);
  for (const content of ["a\nb\n", "c\nd\n"])
    hearing.hear({ type: "call-progress", callId: "2", toolName: "Bash", data: { type: "output", content } });
  expect(frame().live).toEqual([
    "· Bash sleep 1 · queued",
    "~ Bash sleep 2 · running",
    "  └ b",
    "    c",
    "    d",
  ]);
  settled("2", "a\nb\nc\nd\ne\nf\n");
  const done = ["✓ Bash sleep 2 · done", "  └ … 2 lines before", "    c", "    d", "    e", "    f"];
  expect(frame()).toEqual({ above: [], live: ["· Bash sleep 1 · queued", ...done] });
  started("1");
  settled("1", "");
  expect(frame()).toEqual({ above: ["✓ Bash sleep 1 · done", ...done], live: [] });
});

test("where there is no room, what is finished is printed before what is not", () => {
  arrive("1", "one");
  arrive("2", "two");
  started("1");
  started("2");
  settled("2", "x");
  expect(frame(2)).toEqual({ above: ["✓ Bash two · done", "  └ x"], live: ["~ Bash one · running"] });
});

test("how calls end otherwise is said: failed, denied, stopped, never run", () => {
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
    "✗ Bash x · failed",
    "  └ no such file",
    "⊘ Bash x · denied",
    "  └ denied by a person. Not now.",
    "■ Bash x · stopped",
    "  └ stopped after",
    "    half",
    "■ Bash x · stopped",
    "  └ not run",
  ]);
});
