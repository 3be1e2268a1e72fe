import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeReport, parseCorpus, runCorpus } from "../../src/verdict/corpus.ts";

test("what the fuzzer found stays fixed, and similar harmless commands stay allowed", () => {
  const report = runCorpus(parseCorpus(readFileSync(new URL("fuzzed.jsonl", import.meta.url), "utf8")));
  expect([report.passed, describeReport(report)]).toEqual([report.total, describeReport(report)]);
});
