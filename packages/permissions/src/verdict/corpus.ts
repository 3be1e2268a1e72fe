/** Runs permission cases, one JSON object per line, on files created for each case, and counts the wrong verdicts. */

import { type Fixture, readFixture, withFixture } from "./corpus-fixture.ts";
import { casesOfTables } from "./corpus-tables.ts";
import { permissionsFrom } from "./permissions.ts";
import { isShape, messageOf, shapeOf } from "@runahead/base";
import type { Action } from "../rules/rule.ts";
import type { PermissionSettings } from "../rules/settings.ts";

export interface PermissionCase {
  readonly id: string;
  readonly category: string;
  readonly settings: PermissionSettings;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: Action;
  /** All accepted verdicts. */
  readonly accept: readonly Action[];
  readonly requires: readonly string[];
  readonly fixture: Fixture;
  /** Judges as if the read-only sandbox were available. Default: the option of the run. */
  readonly confined?: boolean;
}

interface CaseResult {
  readonly id: string;
  readonly expect: Action;
  readonly got: Action;
  readonly reason: string;
}

/** The results of one category. */
interface CategoryReport {
  readonly total: number;
  readonly passed: number;
  readonly falseAllows: number;
  readonly weakenedDenies: number;
  readonly overBlocks: number;
}

export interface CorpusOptions {
  /** Judges as if the read-only sandbox were available. Default: false. */
  readonly confined?: boolean;
}

export interface CorpusReport {
  readonly total: number;
  readonly passed: number;
  /** Cases for other operating systems. */
  readonly skipped: readonly string[];
  readonly falseAllows: readonly CaseResult[];
  readonly weakenedDenies: readonly CaseResult[];
  readonly overBlocks: readonly CaseResult[];
  /** Other wrong verdicts: a deny instead of an ask. */
  readonly others: readonly CaseResult[];
  /** The share of passed cases among those that ran, from 0 to 1. */
  readonly score: number;
  /** The share of over-blocks among the cases that must be allowed. */
  readonly overBlockRate: number;
  readonly categories: Readonly<Record<string, CategoryReport>>;
}

/** Thrown for a line that is not a valid case. */
export class CorpusError extends Error {
  override readonly name = "CorpusError";
  readonly line: number;

  constructor(line: number, why: string) {
    super(`Line ${line}: ${why.replace(/(?<![.?])$/, ".")}`);
    this.line = line;
  }
}

const CWD = "/home/u/proj";
const HOME = "/home/u";

export function parseCorpus(text: string): PermissionCase[] {
  const tables = tablesIn(text);
  if (tables !== undefined) return tables;
  return text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [parseCase(line, at + 1)]));
}

/** Undefined if each line is a case. */
function tablesIn(text: string): PermissionCase[] | undefined {
  // A case is one line; a file of tables has many.
  if (!/^\s*\{\s*\n/.test(text)) return undefined;
  try {
    const file: unknown = JSON.parse(text);
    return isShape(file) && "tables" in file ? casesOfTables(file) : undefined;
  } catch (error) {
    throw new CorpusError(1, messageOf(error));
  }
}

function parseCase(line: string, number: number): PermissionCase {
  const entry = shapeOf(parseJson(line, number));
  const text = (key: string): string => {
    const value = entry[key];
    if (typeof value === "string") return value;
    throw new CorpusError(number, `${key} is missing or not a string`);
  };
  const expect = behaviorOf(text("expect"), number);
  const accept = Array.isArray(entry["accept"]) ? entry["accept"].map((one) => behaviorOf(one, number)) : [];
  if (typeof entry["settings"] !== "object" || entry["settings"] === null)
    throw new CorpusError(number, "settings is missing");
  return {
    id: text("id"),
    category: typeof entry["category"] === "string" ? entry["category"] : "",
    settings: entry["settings"],
    tool: text("tool"),
    input: entry["input"],
    expect,
    accept: [expect, ...accept],
    requires: Array.isArray(entry["requires"]) ? entry["requires"].map(String) : [],
    fixture: readFixture(entry["fixture"]),
  };
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CorpusError(number, "not valid JSON");
  }
}

function behaviorOf(value: unknown, number: number): Action {
  if (value === "allow" || value === "ask" || value === "deny") return value;
  throw new CorpusError(number, "expect and accept must be allow, ask or deny");
}

/** Judges every case and reports the wrong verdicts. */
export function runCorpus(
  cases: readonly PermissionCase[],
  { confined = false }: CorpusOptions = {},
): CorpusReport {
  const run = cases.filter(({ requires }) => !requires.includes("windows"));
  const judged = alike(run).flatMap((part) => runCases(part, part[0].confined ?? confined));
  const all = count(judged);
  const names = [...new Set(run.map(({ category }) => category))].sort();
  const categories = names.map((name): [string, CategoryReport] => {
    const part = count(judged.filter(({ one }) => one.category === name));
    return [
      name,
      {
        total: part.total,
        passed: part.passed,
        falseAllows: part.falseAllows.length,
        weakenedDenies: part.weakenedDenies.length,
        overBlocks: part.overBlocks.length,
      },
    ];
  });
  const allowed = run.filter(({ expect }) => expect === "allow").length;
  return {
    ...all,
    total: cases.length,
    skipped: cases.filter((one) => !run.includes(one)).map(({ id }) => id),
    score: run.length === 0 ? 1 : all.passed / run.length,
    overBlockRate: allowed === 0 ? 0 : all.overBlocks.length / allowed,
    categories: Object.fromEntries(categories),
  };
}

interface Judged {
  readonly one: PermissionCase;
  readonly result: CaseResult;
}

type Counted = Pick<
  CorpusReport,
  "total" | "passed" | "falseAllows" | "weakenedDenies" | "overBlocks" | "others"
>;

function count(judged: readonly Judged[]): Counted {
  const wrong = judged
    .filter(({ one, result }) => !one.accept.includes(result.got))
    .map(({ result }) => result);
  const falseAllows = wrong.filter(({ got }) => got === "allow");
  const overBlocks = wrong.filter(({ expect }) => expect === "allow");
  const weakenedDenies = wrong.filter(({ expect, got }) => expect === "deny" && got !== "deny");
  return {
    total: judged.length,
    passed: judged.length - wrong.length,
    falseAllows,
    weakenedDenies,
    overBlocks,
    others: wrong.filter((one) => ![...falseAllows, ...overBlocks, ...weakenedDenies].includes(one)),
  };
}

type Alike = readonly [PermissionCase, ...PermissionCase[]];

/** Groups adjacent cases that have the same settings and files. */
function alike(cases: readonly PermissionCase[]): Alike[] {
  const parts: [PermissionCase, ...PermissionCase[]][] = [];
  for (const one of cases) {
    const last = parts.at(-1);
    if (last?.[0].settings === one.settings && last[0].fixture === one.fixture) last.push(one);
    else parts.push([one]);
  }
  return parts;
}

function runCases(cases: Alike, confined: boolean): Judged[] {
  const [{ settings, requires, fixture }] = cases;
  const given = shapeOf(settings)["cwd"];
  const cwd = typeof given === "string" ? given : CWD;
  return withFixture(fixture, [HOME, cwd], (disk) => {
    const permissions = permissionsFrom({
      ...disk,
      settings,
      cwd,
      home: HOME,
      ignoresCase: requires.some((need) => need.endsWith("-insensitive-fs")),
      confinesReads: () => confined,
    });
    return cases.map((one): Judged => {
      const { behavior, reason } = permissions.decide(one.tool, one.input);
      return { one, result: { id: one.id, expect: one.expect, got: behavior, reason } };
    });
  });
}

export function describeReport(report: CorpusReport): string {
  const list = (name: string, results: readonly CaseResult[]): string[] => [
    `${name}: ${results.length}`,
    ...results.map(({ id, expect, got, reason }) => `  ${id}: expected ${expect}, got ${got}. ${reason}`),
  ];
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return [
    ...list("false allows", report.falseAllows),
    ...list("weakened denies", report.weakenedDenies),
    ...list("over-blocks", report.overBlocks),
    ...list("others", report.others),
    `score: ${report.passed} of ${report.total - report.skipped.length} (${percent(report.score)}), skipped ${report.skipped.length}, over-blocks ${percent(report.overBlockRate)}`,
  ].join("\n");
}
