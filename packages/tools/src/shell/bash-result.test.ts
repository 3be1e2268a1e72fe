import { expect, test } from "vitest";
import { ToolError, runTools, defineTool } from "@runahead/engine";
import { z } from "zod";
import { CommandFailed, showBytes } from "./bash-result.ts";

const KEPT = { where: "The full output is in /tmp/a.out.", advice: "Read it with offset and limit." };

function shown(text: string) {
  const head = Buffer.from(text);
  return showBytes({ head, tail: new Uint8Array(), bytes: head.length, droppedBytes: 0 }, KEPT);
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
}

test("short output is shown whole", () => {
  expect(shown("one\ntwo\n")).toEqual({ text: "one\ntwo", isWhole: true });
});

test("long output is cut in the middle, and the note names the missing lines and the file", () => {
  const { text, isWhole } = shown(numbered(20_001));
  expect(isWhole).toBe(false);
  const note = /\n\[… lines ([\d,]+)–([\d,]+) of 20,001 left out\. (.*)\]\n/.exec(text);
  expect(note?.[3]).toBe("The full output is in /tmp/a.out. Read it with offset and limit.");
  const [first = 0, last = 0] = [note?.[1], note?.[2]].map((part) => Number(part?.replaceAll(",", "")));
  // The first and the last missing line may be shown in part; those next to them are shown whole.
  expect(text).toContain(`\nline ${first - 1}\n`);
  expect(text).toContain(`\nline ${last + 1}\n`);
  expect(text).not.toContain(`\nline ${first + 1}\n`);
  expect(text).not.toContain(`\nline ${last - 1}\n`);
  expect(text.startsWith("line 1\n")).toBe(true);
  expect(text.endsWith("\nline 20001")).toBe(true);
});

/** Each has no U+FFFD, and no part of one may stand alone. */
const CHARACTERS = {
  emoji: "😀",
  umlaut: "ü",
  kanji: "語",
  combining: "e\u0301",
  family: "👩\u200D👩\u200D👧",
  skin: "👍🏽",
  flagged: "❤\uFE0F",
};

test.each(Object.entries(CHARACTERS))(
  "no cut splits a character: %s, at every byte offset",
  (_name, character) => {
    const units = [...Array.from({ length: 12 }, (__, at) => "x".repeat(at))];
    const isWhole = (text: string): boolean =>
      text
        .replaceAll(character, "")
        .replaceAll("x", "")
        .replace(/\n\[… .*\]\n/, "") === "";
    for (const before of units) {
      const long = before + character.repeat(40_000);
      expect(isWhole(shown(long).text)).toBe(true);
      const bytes = Buffer.from(long);
      const [head, tail] = [bytes.subarray(0, 32_768), bytes.subarray(-32_768)];
      const droppedBytes = bytes.length - head.length - tail.length;
      const { text } = showBytes({ head, tail, bytes: bytes.length, droppedBytes }, KEPT);
      expect(text).not.toContain("\uFFFD");
      expect(isWhole(text)).toBe(true);
    }
  },
);

test("a run of combining characters that never ends is cut all the same", () => {
  const { text } = shown(`e${"\u0301".repeat(30_000)}`);
  expect(text.length).toBeLessThan(13_000);
  expect(text).not.toContain("\uFFFD");
});

test("one very long line is cut by characters", () => {
  const { text } = shown("x".repeat(100_000));
  expect(text).toContain(
    "\n[… about 88,000 of 100,000 characters left out. The full output is in /tmp/a.out.",
  );
});

test("output whose middle was never in memory is counted in bytes", () => {
  const end = Buffer.from(`${"y".repeat(9_000)}\n`);
  const { text } = showBytes({ head: end, tail: end, bytes: 1_000_000, droppedBytes: 981_998 }, KEPT);
  expect(text).toMatch(
    /\n\[… about [\d,]+ of 1,000,000 bytes left out\. The full output is in \/tmp\/a\.out\. Read it/,
  );
});

test("if the lines were counted, the note names them even though the middle was never in memory", () => {
  const all = `${numbered(20_001)}\n`;
  const [head, tail] = [Buffer.from(all.slice(0, 32_768)), Buffer.from(all.slice(-32_768))];
  const dropped = all.length - head.length - tail.length;
  const { text } = showBytes(
    { head, tail, bytes: all.length, droppedBytes: dropped, newlines: 20_001 },
    KEPT,
  );
  expect(text).toBe(shown(all).text);
});

test("the model reads the exit code of a failed command without a prefix", async () => {
  expect(new CommandFailed("Exit code 1")).toBeInstanceOf(ToolError);
  const failing = defineTool({
    name: "Fails",
    description: "",
    inputSchema: z.object({}),
    call: (): string => {
      throw new CommandFailed("Exit code 1\nno such target");
    },
  });
  for await (const update of runTools([{ id: "1", name: "Fails", input: {} }], {
    tools: [failing],
    context: { cwd: "/" },
  }))
    if (update.type === "result")
      expect(update.result).toMatchObject({ content: "Exit code 1\nno such target", is_error: true });
});
