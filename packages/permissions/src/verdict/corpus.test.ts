import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { FixtureError } from "./corpus-fixture.ts";
import { describeReport, parseCorpus, runCorpus } from "./corpus.ts";

const corpus = (name: string): ReturnType<typeof parseCorpus> =>
  parseCorpus(readFileSync(new URL(`../../test/corpus/${name}.jsonl`, import.meta.url), "utf8"));

test.each([
  ["permissions", 300],
  ["attacks", 120],
])(
  "D11: the corpus %s: no false allow, no weakened deny, at most two percent over-blocks",
  (name, atLeast) => {
    const report = runCorpus(corpus(name));
    console.log(describeReport(report));
    expect(report.total).toBeGreaterThanOrEqual(atLeast);
    expect(report.falseAllows).toEqual([]);
    expect(report.weakenedDenies).toEqual([]);
    expect(report.overBlockRate).toBeLessThanOrEqual(0.02);
  },
);

test("in the read-only sandbox, only reads of hidden files are allowed in addition", () => {
  const { falseAllows, weakenedDenies, overBlockRate } = runCorpus(corpus("attacks"), { confined: true });
  const isHidden = ({ id }: { id: string }): boolean => id.startsWith("kept-files");
  expect({ falseAllows: falseAllows.filter((one) => !isHidden(one)), weakenedDenies }).toEqual({
    falseAllows: [],
    weakenedDenies: [],
  });
  expect(overBlockRate).toBeLessThanOrEqual(0.02);
});

test("at most two percent of ordinary commands are asked about", () => {
  const text = readFileSync(new URL("../../test/corpus/ordinary.json", import.meta.url), "utf8");
  const report = runCorpus(parseCorpus(text));
  console.log(describeReport(report));
  expect(report.total).toBeGreaterThanOrEqual(200);
  expect(report.overBlockRate).toBeLessThanOrEqual(0.02);
});

const LINE = {
  id: "x",
  category: "c",
  settings: { allow: ["Bash(ls:*)"], deny: ["Bash(rm:*)"] },
  tool: "Bash",
  input: { command: "rm a" },
};

test("a report distinguishes the kinds of mistakes", () => {
  const lines = [
    { ...LINE, id: "right", expect: "deny" },
    { ...LINE, id: "accepted", expect: "ask", accept: ["deny"] },
    { ...LINE, id: "over", expect: "allow" },
    { ...LINE, id: "other", expect: "ask" },
    { ...LINE, id: "false", expect: "ask", input: { command: "ls" } },
    { ...LINE, id: "weak", expect: "deny", input: { command: "ls" } },
    { ...LINE, id: "skipped", expect: "ask", requires: ["windows"] },
  ];
  const report = runCorpus(parseCorpus(lines.map((line) => JSON.stringify(line)).join("\n\n")));
  const ids = (results: readonly { id: string }[]): string[] => results.map(({ id }) => id);
  expect({
    total: report.total,
    passed: report.passed,
    skipped: report.skipped,
    falseAllows: ids(report.falseAllows),
    weakenedDenies: ids(report.weakenedDenies),
    overBlocks: ids(report.overBlocks),
    others: ids(report.others),
    categories: report.categories,
  }).toEqual({
    total: 7,
    passed: 2,
    skipped: ["skipped"],
    falseAllows: ["false", "weak"],
    weakenedDenies: ["weak"],
    overBlocks: ["over"],
    others: ["other"],
    categories: { c: { total: 6, passed: 2, falseAllows: 2, weakenedDenies: 1, overBlocks: 1 } },
  });
  expect(describeReport(report)).toContain("score: 2 of 6 (33.3 %), skipped 1, over-blocks 100.0 %");
});

test("a malformed line is an error that names its number", () => {
  const good = JSON.stringify({ ...LINE, expect: "ask" });
  const message = (text: string): string => {
    try {
      parseCorpus(text);
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(
    [
      `${good}\n{`,
      `${good}\n\n[]`,
      JSON.stringify({ ...LINE, expect: "no" }),
      JSON.stringify({ ...LINE, expect: "ask", settings: 5 }),
      good,
    ].map(message),
  ).toEqual([
    "Line 2: not valid JSON.",
    "Line 3: expect is missing or not a string.",
    "Line 1: expect and accept must be allow, ask or deny.",
    "Line 1: settings is missing.",
    "none",
  ]);
});

test("the fixture of a case creates nothing outside its folder, whatever its links are", () => {
  const outside = mkdtempSync(join(tmpdir(), "outside-"));
  const up = `l1/../${basename(outside)}`;
  const fixtures = [
    { symlinks: { "/a/l1": "/", "/a/b/l1": "/", "/a/b/l2": up, "/a/b/l2/made": "/x" } },
    { symlinks: { "/l2": `/..${outside}`, "/l3": `/../..${outside}`, "/l3/made": "x" } },
    { symlinks: { "/a/l1": "/", "/a/b/l1": "/", "/a/b/l2": up }, files: { "/a/b/l2/made": "x" } },
    { symlinks: { "/a/b/l1": "/", "/a/b/l2": up }, hardlinks: { "/a/b/l2/made": "/etc/passwd" } },
  ];
  try {
    for (const fixture of fixtures) {
      const one = { id: "a", settings: {}, tool: "Bash", input: { command: "ls" }, expect: "allow", fixture };
      try {
        runCorpus(parseCorpus(JSON.stringify(one)));
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "";
        expect(error instanceof FixtureError || code === "ENOENT").toBe(true);
      }
      expect(readdirSync(outside)).toEqual([]);
    }
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("a table judges each of its calls by each of its settings, on one fixture", () => {
  const table = {
    title: "t",
    settings: [{ deny: ["Bash(rm:*)"] }, { mode: "dontAsk" }],
    fixture: "links",
    confined: true,
    cases: { allow: ["git status"], "ask|deny": ["cat out", ["Read", { file_path: "/etc/passwd" }]] },
  };
  const fixtures = { links: { symlinks: { "/home/u/proj/out": "/etc/passwd" } } };
  const report = runCorpus(parseCorpus(JSON.stringify({ fixtures, tables: [table] }, undefined, 2)));
  expect([report.total, report.passed, describeReport(report)]).toEqual([6, 6, describeReport(report)]);
});

test("a table that cannot be read is an error that names it", () => {
  const message = (table: object): string => {
    try {
      parseCorpus(
        JSON.stringify({ tables: [{ title: "t", settings: {}, cases: {}, ...table }] }, undefined, 2),
      );
      return "none";
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(
    [
      { case: {} },
      { settings: [] },
      { cases: { alow: [] } },
      { cases: { ask: [5] } },
      { fixture: "x" },
      {},
    ].map(message),
  ).toEqual([
    'Line 1: the table "t": unknown option "case". Did you mean "cases"?',
    'Line 1: the table "t" has no settings.',
    'Line 1: the table "t": "alow" must be allow, ask or deny (or several, joined by |) with a list of calls.',
    'Line 1: the table "t": 5 is neither a command nor [tool, input].',
    'Line 1: the table "t" uses the fixture "x", which the file does not define.',
    "none",
  ]);
});
