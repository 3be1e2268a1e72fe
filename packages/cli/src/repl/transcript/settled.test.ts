import { expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import { Hearing } from "./hearing.ts";
import { Transcript } from "./transcript.ts";

const WORDS =
  "the quick **brown fox** jumps over `a lazy dog` and _looks_ for [the docs](https://example.org/a)";
const LONG = Array.from({ length: 8 }, (_, at) => `${WORDS} ${at}`).join(" ");
const TEXTS: Readonly<Record<string, string>> = {
  "a long paragraph": LONG,
  "two paragraphs": `${LONG}.\n\nAnd ${LONG}`,
  "emphasis over many rows": `before **${"bold words ".repeat(30).trim()}** after ${"plain words ".repeat(30)}`,
  "a marker that is never closed": `2 * 3 is ${"six and so on ".repeat(30)}`,
  "a list": Array.from({ length: 20 }, (_, at) => `- item ${at}: ${WORDS}`).join("\n"),
  "a numbered list": Array.from({ length: 20 }, (_, at) => `${at + 1}. item: ${WORDS}`).join("\n"),
  "a list of ones": Array.from({ length: 9 }, (_, at) => `1. item ${at}: ${WORDS}`).join("\n"),
  "a nested list": Array.from({ length: 9 }, (_, at) => `- item ${at}\n  - below: ${WORDS}\n  - more`).join(
    "\n",
  ),
  "a list with code": "- one\n  ```sh\n  - not an item\n  ```\n- two\n- three",
  "a list after text": `Here it is, ${LONG}:\n- one\n- two\n- three`,
  "a table": `| a | b |\n|---|---|\n${"| one | two |\n".repeat(9)}`,
  code: `\`\`\`ts\n${"const a = 1; // one\n".repeat(30)}\`\`\`\n\nDone.`,
  "numbers at the start of rows":
    "In the year 1. or 2024. there was - so to say - much # to * do > here. ".repeat(12),
  "no spaces": "https://example.org/".padEnd(300, "x"),
  "wide characters": "漢字 ".repeat(150),
};

/** What is printed if the text arrives in pieces of so many characters, and how many rows were live at most. */
function streamed(text: string, width: number, size: number): { printed: string[]; most: number } {
  const transcript = new Transcript();
  const hearing = new Hearing(transcript);
  hearing.note("before it");
  const printed: string[] = [];
  let most = 0;
  const draw = (): void => {
    const { above, live } = transcript.frame(width, Number.POSITIVE_INFINITY);
    printed.push(...above.map((line) => strip(line).trimEnd()));
    most = Math.max(most, live.length);
  };
  for (let at = 0; at < text.length; at += size) {
    hearing.hear({ type: "text", text: text.slice(at, at + size) });
    draw();
  }
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const timings = { firstContentMs: 1, responseMs: 1, totalMs: 1 };
  hearing.hear({ type: "turn-ended", turn: 1, stop: "end_turn", usage, timings });
  draw();
  return { printed, most };
}

test.each(Object.entries(TEXTS))("%s: what is printed does not depend on how it arrives", (_, text) => {
  for (const width of [20, 80])
    for (const size of [3, 50])
      expect(streamed(text, width, size).printed).toEqual(streamed(text, width, text.length).printed);
});

test.each(["a long paragraph", "two paragraphs", "a list", "a numbered list"])(
  "%s leaves only its last rows to be drawn again",
  (name) => {
    expect(streamed(TEXTS[name] ?? "", 80, 7).most).toBeLessThanOrEqual(5);
  },
);
