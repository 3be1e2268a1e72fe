/** Compares the reader and bash on the same text. `SHELL_WORDS=100000` sets how many words and scripts are compared. */

import { afterAll, expect, test } from "vitest";
import { Random } from "../../../engine/test/simulation/random.ts";
import { readShell } from "../../src/bash/walk.ts";
import { claimOf, HOME, makeBash } from "./compare.ts";
import { FORMS, generateWord, ordinaryWord } from "./generate.ts";
import { generateScript, generateShape } from "./generate-script.ts";

const WORDS = Number(process.env["SHELL_WORDS"] ?? 3000);
const SCRIPTS = Math.ceil(WORDS / 10);
const TIMEOUT = { timeout: 120_000 + WORDS * 20 };
const SEED = Number(process.env["SHELL_SEED"] ?? 1);

const locales = ["C.UTF-8", "C"].map((locale) => makeBash(locale));
afterAll(() => {
  for (const bash of locales) bash.remove();
});

test("class 2: a word is what bash reads, or is marked dynamic", TIMEOUT, () => {
  for (const bash of locales) {
    const random = new Random(SEED);
    const covered = new Set<string>();
    const sources: string[] = [];
    const claims: (readonly string[])[] = [];
    for (let at = 0; at < WORDS; at++) {
      const words = [generateWord(random), ...(random.chance(0.3) ? [generateWord(random)] : [])];
      const source = `argv ${words.map(({ text }) => text).join(" ")}`;
      const claim = claimOf(source, bash.cwd);
      for (const form of words.flatMap(({ forms }) => forms)) covered.add(form);
      if (claim.type === "doubtful") continue;
      sources.push(source);
      claims.push(claim.argv);
    }
    const argv = bash.run(sources);
    const wrong = sources.flatMap((source, at) =>
      JSON.stringify(argv[at]) === JSON.stringify(claims[at]) ? [] : [[source, claims[at], argv[at]]],
    );
    expect(wrong).toEqual([]);
    expect([...covered].sort()).toEqual(Object.keys(FORMS).sort());
    // Most words are odd; about half of them must still be certain.
    expect(sources.length / WORDS).toBeGreaterThan(0.4);
  }
});

test("class 2: ordinary words are certain", () => {
  const random = new Random(SEED);
  const bash = locales[0] as (typeof locales)[number];
  const words = Array.from({ length: 2000 }, () => ordinaryWord(random));
  const doubtful = words.filter((word) => claimOf(`argv ${word}`, bash.cwd).type === "doubtful");
  console.log(`ordinary words that are called dynamic: ${doubtful.length} of ${words.length}`);
  expect([...new Set(doubtful)]).toEqual([]);
});

test("class 2: a pattern matches what it matches in bash, or the word is marked dynamic", TIMEOUT, () => {
  const random = new Random(SEED + 1);
  const bash = locales[0] as (typeof locales)[number];
  const names = ["a", "b", "-", "*", "[a]", "a-c", "x.txt", "]", "\\a", "a\\", "[", "c", "!", "*a", "[a-c]b"];
  const pairs: [string, string][] = [];
  for (let at = 0; at < WORDS / 5; at++) {
    const { text, forms } = generateWord(random);
    const claim = forms.includes("braces") ? undefined : claimOf(`argv ${text}`, bash.cwd);
    const pattern = claim?.type === "words" && claim.argv.length === 1 ? claim.patterns[0] : undefined;
    if (pattern === undefined) continue;
    const quoted = `'${pattern.replaceAll("'", "'\\''")}'`;
    for (const name of [...names, pattern]) {
      const given = `'${name.replaceAll("'", "'\\''")}'`;
      pairs.push([
        `case ${given} in ${text}) argv yes;; *) argv no;; esac`,
        `p=${quoted}; case ${given} in $p) argv yes;; *) argv no;; esac`,
      ]);
    }
  }
  const written = bash.run(pairs.map(([one]) => one));
  const claimed = bash.run(pairs.map(([, other]) => other));
  expect(pairs.flatMap(([one], at) => (written[at]?.[0] === claimed[at]?.[0] ? [] : [one]))).toEqual([]);
  expect(pairs.length).toBeGreaterThan(WORDS / 20);
});

test("a script runs no command that the reader did not find", TIMEOUT, () => {
  const random = new Random(SEED + 2);
  const bash = locales[0] as (typeof locales)[number];
  const scripts: string[] = [];
  const seen: Set<string>[] = [];
  for (let at = 0; at < SCRIPTS; at++) {
    const script = random.chance(0.5) ? generateScript(random) : generateShape(random);
    const { commands, isOpaque, isUnreadable } = readShell(script, { cwd: bash.cwd, home: HOME });
    if (isOpaque || isUnreadable) continue;
    scripts.push(script);
    seen.push(new Set(commands.map(({ words }) => words[0]?.value ?? "")));
  }
  const ran = bash.commands(scripts);
  const missed = scripts.flatMap((script, at) => {
    const names = [...(ran[at] ?? [])].filter((name) => seen[at]?.has(name) !== true);
    return names.length === 0 ? [] : [[script, names]];
  });
  expect(missed).toEqual([]);
  expect(ran.filter((names) => names.size > 0).length).toBeGreaterThan(SCRIPTS / 5);
});
