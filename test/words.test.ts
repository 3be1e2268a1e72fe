import { expect, test } from "vitest";
import { filesOf, textOf } from "./source.ts";

/**
 * Words that make a text hard to read, and what to write instead. Checked in everything that a person or a model reads: docs,
 * help, messages, comments.
 */
const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(?:told|tells)\b/i, "is reported, says, logs"],
  [/\bwhere (?:it is |they are )?absent\b/i, "default: …"],
  [/\bbehind\b/i, "after, beneath, waiting for"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix, repair"],
  [/\bwhoever\b/i, "name the thing"],
  [/\b(?:is|are|was|were) no\b(?! longer| more| doubt| less| need)/i, "is not a, there is no, has no"],
];

/** Phrases in which such a word is right. */
const RIGHT = [
  /\bthere (?:is|are|was|were) no\b/gi,
  /\bahead-behind\b/g,
  /\bbehind (?:a|the) (?:proxy|firewall|load balancer|flag)\b/gi,
  /\b(?:left|leaves?|leaving|lags?|falls?) behind\b/gi,
];

/** Texts of other projects, and this list itself. */
const SKIPPED = [/^bench\/peers\//, /^test\/words\.test\.ts$/, /\/dist\//, /\/node_modules\//];

const FILES = [".md", ".ts", ".mjs", ".mts"]
  .flatMap((ending) => filesOf(ending, "."))
  .filter((file) => !SKIPPED.some((skipped) => skipped.test(file)));

test("docs, messages and comments avoid words that read as if translated", () => {
  expect(FILES.length).toBeGreaterThan(500);
  const found = FILES.flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line, at) => {
        const checked = RIGHT.reduce((text, right) => text.replaceAll(right, ""), line);
        return WORDS.filter(([word]) => word.test(checked)).map(
          ([word, instead]) => `${file}:${at + 1} ${word.exec(checked)?.[0]} (${instead})`,
        );
      }),
  );
  expect(found).toEqual([]);
});
