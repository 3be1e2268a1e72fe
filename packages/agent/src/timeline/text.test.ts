import { expect, test } from "vitest";
import { arrived, everything, many, played, started } from "../../test/support/timeline.ts";
import { textTimeline } from "./text.ts";
import { duration, fit } from "./words.ts";

const PICTURE = `  Prompt                                   │|                                         │
  Retry 1 overloaded                       │~~~                                       │ 700 ms
  Turn 1 claude-opus-4                     │  ░░▒▒▒▒▒▒                                │ 6.10 s
✓   Read src/parse.ts                      │     █                                    │ 85 ms
✓   Grep parseHeader in "src"              │     -██                                  │ 755 ms
✗   Bash npm test -- parse                 │      ··███████                           │ 2.30 s
✓   Agent explore: find callers of parseH… │       -████████████                      │ 3.89 s *
      explore, turn 1 claude-haiku-4       │        ░░▒▒                              │ 1.70 s
✓       Grep parseHeader(                  │          ██                              │ 298 ms
✓       Read src/request.ts                │           █                              │ 59 ms
✓       Read src/response.ts               │           -█                             │ 89 ms
      explore, turn 2 claude-haiku-4       │             ░░▒▒▒▒                       │ 2.05 s
■   WebFetch https://example.com/spec      │        -███                              │ 1.00 s
  Compacted summarised, 180,000 → 21,000 … │                    |                     │
  Turn 2 claude-opus-4                     │                    ░░░▒▒▒                │ 5.20 s
✓   Edit src/parse.ts                      │                       --???█             │ 60 ms *
⊘   Bash rm -rf build                      │                         ···???·          │
✓   Bash npm test                          │                          ··███████       │ 2.33 s *
  Turn 3 claude-opus-4                     │                                   ░▒▒▒   │ 2.20 s
–   Write CHANGELOG.md                     │                                       -··│
14.6 s: 3 turns, 12 calls, 6.40 s in the model, 10.4 s in tools.
Saved by running ahead: 880 ms vs. calls after the response, 5.02 s vs. one call at a time.
░ request ▒ stream - input : judge · wait ? ask █ run ~ pause * critical path ← waited for`;

test("a session is drawn as lines: what streamed, what waited, who was asked, what ran", () => {
  expect(textTimeline(everything(), 100)).toBe(PICTURE);
});

test("in a wide terminal, a call that waited shows for which one", () => {
  const lines = textTimeline(everything(), 120).split("\n");
  expect(lines.find((line) => line.includes("Bash npm test  "))).toMatch(
    /│ 2\.33 s \* +← Edit src\/parse\.ts$/,
  );
  expect(lines.find((line) => line.includes("Bash npm test --"))).toMatch(/│ 2\.30 s +← Grep parseHeader …$/);
  expect(Math.max(...lines.map((line) => Array.from(line).length))).toBeLessThanOrEqual(120);
});

test("I05: no line is wider than the terminal, however narrow, also with wide characters", () => {
  const wide = played([
    [0, arrived("a", "Read", "文書を読む👍 e\u0301".repeat(5))],
    [1, started("a", "Read")],
  ]);
  const columnsOf = (line: string): number =>
    Array.from(line.normalize("NFC")).reduce(
      (sum, letter) => sum + (/[\u3041-\u9fff👍]/u.test(letter) ? 2 : 1),
      0,
    );
  for (let width = 1; width <= 130; width++)
    for (const timeline of [everything(), wide])
      for (const line of textTimeline(timeline, width).split("\n"))
        expect([width, line, columnsOf(line) <= width]).toEqual([width, line, true]);
  expect(textTimeline(wide, Number.NaN)).toBe(textTimeline(wide, 80));
});

test("an empty session has no rows, and its sums are 0", () => {
  expect(textTimeline(played([]), 200).split("\n")[0]).toBe(
    "0 ms: 0 turns, 0 calls, 0 ms in the model, 0 ms in tools.",
  );
});

test("500 rows are drawn, and the others counted", () => {
  const lines = textTimeline(many(1000), 100).split("\n");
  expect(lines[500]).toBe("… and 601 more rows. The HTML page shows all rows.");
  expect(lines).toHaveLength(504);
});

test("durations are short and switch to the next unit when they round up to it", () => {
  const shown = [0, 0.4, 12.6, 999.4, 1000, 9994, 9996, 59_940, 59_960, 3_599_400, 3_600_000].map(duration);
  expect(shown).toEqual([
    "0 ms",
    "<1 ms",
    "13 ms",
    "999 ms",
    "1.00 s",
    "9.99 s",
    "10.0 s",
    "59.9 s",
    "1 min 0 s",
    "59 min 59 s",
    "1 h 0 min",
  ]);
});

test("text is cut between characters, and filled to its width", () => {
  expect([fit("abc", 5), fit("abcdef", 4), fit("文書文書", 4), fit("abc", 1), fit("abc", 0)]).toEqual([
    "abc  ",
    "abc…",
    "文… ",
    "…",
    "",
  ]);
});
