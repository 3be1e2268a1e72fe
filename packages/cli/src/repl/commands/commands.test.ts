import type { CodingAgent, Message } from "@runahead/harness";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { clipboardSequence, copyPrograms } from "./clipboard.ts";
import { contextLines } from "./context.ts";
import { codeBlocks, lastAnswer } from "./copy.ts";
import { modelChoices, refusalOf } from "./models.ts";
import { excerpt, linesWith } from "./search.ts";
import type { Counts } from "../screen/counts.ts";

const MESSAGES: readonly Message[] = [
  { role: "user", content: "where is the greeting?" },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Looking for the Greeting." },
      { type: "tool_use", id: "1", name: "Grep", input: { pattern: "greeting" } },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "a.txt:1: greeting" }] },
  { role: "assistant", content: [{ type: "text", text: "Here:\n\n```js\nlet a;\n```\n\n~~~\nb\n~~~" }] },
];

test("a model that no server lists is refused with the nearest one", () => {
  const list = { provider: "anthropic", models: ["claude-sonnet-5", "my-model"], problem: undefined };
  expect(refusalOf("claude-sonet-5", [list])).toBe(
    "Unknown model claude-sonet-5. Did you mean claude-sonnet-5?",
  );
  expect(refusalOf("zzz", [list])).toBe("Unknown model zzz. Type /model for a list.");
  expect(refusalOf("two words", [list])).toContain("has no spaces");
  for (const name of ["my-model", "sonnet", "opus[1m]", "claude-opus-5-20261101"])
    expect(refusalOf(name, [list])).toBeUndefined();
  const unlisted = { provider: "openai", models: [], problem: "status 404" };
  expect(refusalOf("llama-99b", [unlisted])).toBeUndefined();
  expect(refusalOf("gpt-5.4-mni", [unlisted])).toContain("Did you mean gpt-5.4-mini?");
});

test("models have their context size and price; without a list of the server, the known ones are offered", () => {
  const [first, second] = modelChoices(
    [{ provider: "anthropic", models: [], problem: "404" }],
    "claude-sonnet-5",
  );
  expect(first?.description).toBe("current · 1M context · $2 in, $10 out per 1M tokens");
  expect(second?.value).toMatch(/^claude-/);
});

test("the last answer and its code blocks are found", () => {
  expect(lastAnswer(MESSAGES)).toMatch(/^Here:/);
  expect(codeBlocks(lastAnswer(MESSAGES) ?? "")).toEqual(["let a;", "b"]);
  expect(lastAnswer(MESSAGES.slice(0, 1))).toBeUndefined();
});

test("the clipboard is set through the terminal, also inside tmux, unless the text is too long", () => {
  expect(clipboardSequence("hi", {})).toBe("\u001b]52;c;aGk=\u0007");
  expect(clipboardSequence("hi", { TMUX: "x" })).toBe("\u001bPtmux;\u001b\u001b]52;c;aGk=\u0007\u001b\\");
  expect(clipboardSequence("x".repeat(100_000), {})).toBeUndefined();
  expect(copyPrograms({ WAYLAND_DISPLAY: "w", DISPLAY: ":0" }, "linux").map(([name]) => name)).toEqual([
    "wl-copy",
    "xclip",
    "xsel",
  ]);
  expect([copyPrograms({}, "linux"), copyPrograms({}, "darwin")]).toEqual([[], [["pbcopy"]]]);
});

test("a search finds lines of prompts, answers, calls and results, the newest first", () => {
  expect(linesWith(MESSAGES, "GREETING").map(({ who, line }) => [who, line.trim()])).toEqual([
    ["result", "a.txt:1: greeting"],
    ["call", '"pattern": "greeting"'],
    ["runahead", "Looking for the Greeting."],
    ["you", "where is the greeting?"],
  ]);
  expect(linesWith(MESSAGES, "nothing")).toEqual([]);
  expect(excerpt("short, with a greeting", "GREETING")).toBe("short, with a greeting");
  expect(excerpt(`${"x".repeat(200)} a greeting`, "greeting")).toBe(`…${"x".repeat(17)} a greeting`);
});

test.each([40, 80, 200])(
  "the bar of the context has a part per category and fits into %i columns",
  (width) => {
    const made = {
      prompt: () => ({
        system: "s".repeat(4000),
        opening: "o".repeat(400),
        tools: [
          { name: "Read", text: "r".repeat(2000) },
          { name: "mcp__a__b", text: "m".repeat(800) },
        ],
      }),
      agent: { messages: MESSAGES },
    } as unknown as CodingAgent;
    const counts = { contextTokens: 20_000, windowTokens: 100_000, contextShare: 0.2 } as Counts;
    const lines = contextLines(made, counts, width).map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, "")); // oxlint-disable-line no-control-regex -- styles
    expect(lines.slice(1).filter((line) => visibleWidth(line) > width)).toEqual([]);
    expect(lines[0]).toBe("Context: 20.0k tokens, 20 % of 100.0k, as of the last turn.");
    expect(lines[1]).toMatch(/^█+▓+▒+░+▚+█+·+$/);
    expect(lines.slice(2).map((line) => line.replace(/^. (.+?) {2,}.*$/, "$1"))).toEqual([
      "system prompt",
      "tools",
      "MCP tools",
      "instructions",
      "prompts and answers",
      "calls and results",
      "free",
    ]);
  },
);
