import type { AgentEvent } from "@runahead/harness";
import { beforeEach, expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { setLinks } from "../screen/links.ts";
import { setTheme } from "../screen/style.ts";
import { Hearing } from "./hearing.ts";
import { Transcript } from "./transcript.ts";

const FOLDER = "/home/me/shop";
let transcript: Transcript;
let hearing: Hearing;
let count: number;
beforeEach(() => {
  transcript = new Transcript();
  hearing = new Hearing(transcript, FOLDER);
  count = 0;
});

const hear = (...events: readonly AgentEvent[]): void => events.forEach((event) => hearing.hear(event));

/** A call that runs. */
function begin(toolName: string, input: object, description: string): string {
  const callId = String(++count);
  hear(
    { type: "call-arrived", callId, toolName, input, description },
    { type: "call-started", callId, toolName },
  );
  return callId;
}

function end(callId: string, toolName: string, content = "x"): void {
  const outcome = { type: "succeeded", content } as const;
  hear({ type: "call-settled", callId, toolName, outcome, output: undefined });
}

function fail(callId: string, toolName: string): void {
  const outcome = { type: "failed", message: "It is not there.", reason: "exception" } as never;
  hear({ type: "call-settled", callId, toolName, outcome, output: undefined });
}

const read = (name: string): string =>
  begin("Read", { file_path: `${FOLDER}/${name}` }, `Read ${FOLDER}/${name}`);
const grep = (pattern: string): string => begin("Grep", { pattern }, `Grep ${pattern}`);

/** What is on the screen, without colours and times. */
function shown(width: number): string[] {
  const { above, live } = transcript.frame(width, 50);
  return [...above, ...live].map((line) =>
    strip(line)
      .replaceAll(/\d+\.\d s/g, "0 s")
      .replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "~"),
  );
}

test("the marks of calls have the colours of the theme", () => {
  const marks = (): (string | undefined)[] =>
    transcript.frame(80, 50).above.map((line) => /\[(\d+)m[✓✗]/.exec(line)?.[1]);
  try {
    setTheme("colour-blind");
    end(begin("Bash", { command: "true" }, "true"), "Bash", "");
    fail(begin("Bash", { command: "false" }, "false"), "Bash");
    expect(marks().filter((code) => code !== undefined)).toEqual(["94", "93"]);
  } finally {
    setTheme("ansi");
  }
});

test.each([40, 80, 200])(
  "reads and searches in a row are one line, or two if it does not fit, with %i columns",
  (width) => {
    const calls = [read("a.ts"), read("src/b.ts"), grep("one")];
    expect(shown(width)).toEqual([
      ...(width === 40
        ? ["~ Reading 2 files, searching 1 pattern", "  running 0 s"]
        : ["~ Reading 2 files, searching 1 pattern · running 0 s"]),
      "  └ Grep one",
    ]);
    for (const [at, id] of calls.entries()) end(id, at === 2 ? "Grep" : "Read");
    hear({ type: "text", text: "Now I know.\n\n" });
    expect(shown(width)).toEqual([
      ...(width === 40
        ? ["✓ Read 2 files, searched 1 pattern", "  done 0 s (Ctrl+O to open)"]
        : ["✓ Read 2 files, searched 1 pattern · done 0 s (Ctrl+O to open)"]),
      "",
      "Now I know.",
    ]);
  },
);

test("a single read keeps its line, and calls that failed are shown by themselves", () => {
  end(read("a.ts"), "Read", "one\ntwo");
  hear({ type: "text", text: "Then.\n\n" });
  expect(shown(80)).toEqual(["✓ Read a.ts · done 0 s", "  └ 2 lines", "", "Then."]);
  const [first, second, third] = [read("a.ts"), read("b.ts"), read("c.ts")];
  end(first, "Read");
  fail(second, "Read");
  end(third, "Read");
  // A line break of the model between calls does not end the row.
  hear({ type: "text", text: "\n\n" });
  end(grep("x"), "Grep");
  hear({ type: "text", text: "Then.\n\n" });
  expect(shown(80)).toEqual([
    "",
    "✓ Read 2 files, searched 1 pattern · done 0 s (Ctrl+O to open)",
    "✗ Read b.ts · failed 0 s",
    "  └ It is not there.",
    "",
    "Then.",
  ]);
  expect(hearing.latestCalls).toHaveLength(5);
});

test.each([40, 80, 200])("the state of a call is never cut off, with %i columns", (width) => {
  const name = `${"deep/".repeat(60)}file.ts`;
  end(read(name), "Read");
  begin("Write", { file_path: `${FOLDER}/${name}`, content: "x" }, `Write ${FOLDER}/${name}`);
  const titles = shown(width).filter((line) => /^[✓~]/.test(line));
  expect(titles.map((line) => line.slice(line.lastIndexOf("… ·")))).toEqual([
    "… · done 0 s",
    "… · running 0 s",
  ]);
  for (const line of shown(width)) expect(line.length).toBeLessThanOrEqual(width);
});

test("paths are relative to the folder, and linked to their file where the terminal can", () => {
  setLinks(true);
  end(read("src/a.ts"), "Read");
  hear({ type: "text", text: "Then.\n\n" });
  const [title = ""] = transcript.frame(80, 50).above;
  setLinks(undefined);
  expect(title).toContain(`\u001b]8;;file://${FOLDER}/src/a.ts\u001b\\src/a.ts\u001b]8;;\u001b\\`);
  expect(strip(title)).toMatch(/^✓ Read src\/a\.ts · done/);
});

test("Ctrl+O says what a call waited for, and what ran while the response was streaming", () => {
  const at = (ms: number, event: AgentEvent): void => hearing.hear(event, ms);
  const write = (callId: string, name: string): AgentEvent => ({
    type: "call-arrived",
    callId,
    toolName: "Write",
    input: { file_path: name },
    description: `Write ${name}`,
  });
  const queued = (callId: string, state: "asking" | "waiting"): AgentEvent => ({
    type: "call-queued",
    callId,
    toolName: "Write",
    state,
  });
  const started = (callId: string): AgentEvent => ({ type: "call-started", callId, toolName: "Write" });
  const settled = (callId: string): AgentEvent => ({
    type: "call-settled",
    callId,
    toolName: "Write",
    outcome: { type: "succeeded", content: "" },
    output: undefined,
  });
  at(0, { type: "message-started", turn: 1, model: "m" });
  at(100, write("1", "one.txt"));
  at(100, started("1"));
  at(200, write("2", "two.txt"));
  at(200, queued("2", "asking"));
  at(1_200, queued("2", "waiting"));
  at(2_100, settled("1"));
  at(2_100, started("2"));
  at(4_100, settled("2"));
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const timings = { firstContentMs: 50, responseMs: 3_100, totalMs: 4_100 };
  at(4_100, { type: "turn-ended", turn: 1, stop: "tool_use", usage, timings });
  const [one, two] = hearing.latestCalls;
  expect(one?.why).toBe("Did not wait. Ran 2.0 s, 2.0 s of it while the response was still streaming.");
  expect(two?.why).toBe(
    "Waited 1.0 s for your answer, 0.9 s for Write one.txt. " +
      "Ran 2.0 s, 1.0 s of it while the response was still streaming.",
  );
  expect(shown(80)).toContain("✓ Write two.txt · done 0 s after waiting 0 s");
});

test.each([40, 80, 200])(
  "a line that would fill the screen is cut, and Ctrl+O has all of it, with %i columns",
  (width) => {
    const minified = "y".repeat(20_000);
    const id = begin("Bash", { command: "cat bundle.js" }, "cat bundle.js");
    end(id, "Bash", `${minified}\nend`);
    const all = shown(width);
    const lines = all.slice(all.findIndex((line) => line.includes("└")));
    const more = Math.ceil(20_000 / (width - 4)) - 9;
    expect(lines.slice(0, 9)).toEqual([
      `  └ ${"y".repeat(width - 4)}`,
      ...Array.from({ length: 8 }, () => `    ${"y".repeat(width - 4)}`),
    ]);
    const rest = lines.slice(9).join(" ").replaceAll(/\s+/g, " ");
    expect(rest.trim()).toBe(`… ${more} more rows (Ctrl+O to open) end`);
    const [call] = hearing.latestCalls;
    expect([call?.isFolded, call?.whole()]).toEqual([true, [minified, "end"]]);
  },
);
