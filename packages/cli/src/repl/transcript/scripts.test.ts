import type { AgentEvent } from "@runahead/harness";
import { beforeEach, expect, test } from "vitest";
import {
  arrived,
  madeBy,
  ofAgent,
  queued,
  scriptEvents,
  settled,
  started,
} from "../../../../agent/test/support/timeline.ts";
import { strip } from "../../shared/safe-text.ts";
import { Hearing } from "./hearing.ts";
import { Transcript } from "./transcript.ts";

let transcript: Transcript;
let hearing: Hearing;
beforeEach(() => {
  transcript = new Transcript();
  hearing = new Hearing(transcript);
});

const hear = (...events: readonly AgentEvent[]): void => {
  for (const event of events) hearing.hear(event);
};
const inScript = (id: string, ...events: readonly AgentEvent[]): void =>
  hear(madeBy("a", arrived(id, "Price", `Price ${id}`)), ...events.map((event) => madeBy("a", event)));

/** What is printed and what is live, without colours and times. */
function shown(): string[] {
  const { above, live } = transcript.frame(60, 30);
  return [...above, ...live].map((line) =>
    strip(line)
      .replaceAll(/ \d+\.\d s/g, "")
      .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "~"),
  );
}

test("the calls of a script that run are drawn below the script, and their number stays", () => {
  hear(...scriptEvents(2, [2]));
  expect(shown()).toEqual(["~ Run a script · running · 2 calls · 1 failed"]);
  inScript("a.3", queued("a.3", "waiting", "Price"));
  inScript("a.4", started("a.4", "Price"));
  inScript("a.5", queued("a.5", "asking", "Price"));
  expect(shown()).toEqual([
    "~ Run a script · running · 5 calls · 1 failed",
    "  └ Price a.5 · waiting for approval",
    "    Price a.4 · running",
    "    Price a.3 · queued",
  ]);
  hear(...["a.3", "a.4", "a.5"].map((id) => madeBy("a", settled(id, "Price"))), settled("a", "Code"));
  expect(shown().slice(0, 2)).toEqual(["✓ Run a script · done", "  └ 5 calls · 1 failed"]);
  const whole = (hearing.latestCalls[0]?.whole() ?? []).map(strip);
  expect(whole.filter((line) => line.startsWith("Price"))).toHaveLength(5);
  expect(whole.find((line) => line.includes("failed"))).toMatch(/^Price 2 · failed/);
  expect(hearing.latestCalls).toHaveLength(1);
});

test("a thousand calls of one script take a few lines, while they run and afterwards", () => {
  hear(...scriptEvents(0));
  for (let at = 1; at <= 1_000; at++) inScript(`a.${at}`, started(`a.${at}`, "Price"));
  const live = shown();
  expect(live).toHaveLength(7);
  expect(live.at(-1)).toBe("    … 995 more");
  for (let at = 1; at <= 1_000; at++) hear(madeBy("a", settled(`a.${at}`, "Price")));
  hear(settled("a", "Code"));
  expect(shown().length).toBeLessThan(6);
});

test("a sub-agent that a script starts is drawn below its call, and its log is that of the script", () => {
  hear(...scriptEvents(0));
  inScript("a.1", started("a.1", "Price"));
  const working = {
    ...ofAgent("a.1", arrived("x", "Bash", "List files"), "one"),
    parentId: "a",
  } as AgentEvent;
  hear(working);
  expect(shown()).toEqual([
    "~ Run a script · running · 1 call",
    "  └ Price a.1 · running",
    "      List files · queued",
  ]);
  hear({ ...ofAgent("a.1", settled("x", "Bash"), "one"), parentId: "a" } as AgentEvent);
  expect(hearing.latestCalls[0]?.log?.lines.map(strip).join("\n")).toContain("List files");
});
