import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeReport, type PermissionCase, parseCorpus, runCorpus } from "../../src/verdict/corpus.ts";

const FOLDER = new URL("./tables/", import.meta.url);
const FILES = readdirSync(FOLDER).toSorted();

function byTitle(cases: readonly PermissionCase[]): (readonly [title: string, cases: PermissionCase[]])[] {
  const titles = [...new Set(cases.map(({ category }) => category))];
  return titles.map((title) => [title, cases.filter(({ category }) => category === title)]);
}

describe.each(FILES)("%s", (name) => {
  const cases = parseCorpus(readFileSync(new URL(name, FOLDER), "utf8"));
  test.each(byTitle(cases))("%s", (_, part) => {
    const report = runCorpus(part);
    expect([report.passed, describeReport(report)]).toEqual([part.length, describeReport(report)]);
  });
});
