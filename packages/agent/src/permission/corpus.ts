/** Runs a file of permission cases, one JSON object per line, and counts what is wrong. */

import { posix } from "node:path";
import { createPermissions } from "./permissions.ts";
import { shapeOf } from "../system/shape.ts";
import type { PermissionSettings } from "./settings.ts";

type Behavior = "allow" | "ask" | "deny";

export interface PermissionCase {
  readonly id: string;
  readonly category: string;
  readonly settings: PermissionSettings;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: Behavior;
  /** Every verdict that passes. */
  readonly accept: readonly Behavior[];
  readonly requires: readonly string[];
  readonly links: Readonly<Record<string, string>>;
}

export interface CaseResult {
  readonly id: string;
  readonly expect: Behavior;
  readonly got: Behavior;
  readonly reason: string;
}

export interface CorpusReport {
  readonly total: number;
  readonly passed: number;
  /** Cases of other systems. */
  readonly skipped: readonly string[];
  readonly falseAllows: readonly CaseResult[];
  readonly weakenedDenies: readonly CaseResult[];
  readonly overBlocks: readonly CaseResult[];
  /** Neither of these: a deny where a question is expected. */
  readonly others: readonly CaseResult[];
  /** Passed of those that were run, from 0 to 1. */
  readonly score: number;
  /** Over-blocks of those that must be allowed. */
  readonly overBlockRate: number;
}

/** A line that is no case. */
export class CorpusError extends Error {
  override readonly name = "CorpusError";
  readonly line: number;

  constructor(line: number, why: string) {
    super(`Line ${line}: ${why}.`);
    this.line = line;
  }
}

const CWD = "/home/u/proj";
const HOME = "/home/u";

export function parseCorpus(text: string): PermissionCase[] {
  return text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [parseCase(line, at + 1)]));
}

function parseCase(line: string, number: number): PermissionCase {
  const entry = shapeOf(parseJson(line, number));
  const text = (key: string): string => {
    const value = entry[key];
    if (typeof value === "string") return value;
    throw new CorpusError(number, `${key} is missing or not a text`);
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
    links: shapeOf(shapeOf(entry["fixture"])["symlinks"]) as Record<string, string>,
  };
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new CorpusError(number, "it is not JSON");
  }
}

function behaviorOf(value: unknown, number: number): Behavior {
  if (value === "allow" || value === "ask" || value === "deny") return value;
  throw new CorpusError(number, "expect and accept are allow, ask or deny");
}

export function runCorpus(cases: readonly PermissionCase[]): CorpusReport {
  const run = cases.filter(({ requires }) => !requires.includes("windows"));
  const results = run.map((one) => ({ one, result: runCase(one) }));
  const wrong = results
    .filter(({ one, result }) => !one.accept.includes(result.got))
    .map(({ result }) => result);
  const falseAllows = wrong.filter(({ got }) => got === "allow");
  const overBlocks = wrong.filter(({ expect }) => expect === "allow");
  const weakenedDenies = wrong.filter(({ expect, got }) => expect === "deny" && got !== "deny");
  const allowed = run.filter(({ expect }) => expect === "allow").length;
  return {
    total: cases.length,
    passed: run.length - wrong.length,
    skipped: cases.filter((one) => !run.includes(one)).map(({ id }) => id),
    falseAllows,
    weakenedDenies,
    overBlocks,
    others: wrong.filter((one) => ![...falseAllows, ...overBlocks, ...weakenedDenies].includes(one)),
    score: run.length === 0 ? 1 : (run.length - wrong.length) / run.length,
    overBlockRate: allowed === 0 ? 0 : overBlocks.length / allowed,
  };
}

function runCase({ id, settings, tool, input, expect, requires, links }: PermissionCase): CaseResult {
  const { cwd } = shapeOf(settings);
  const permissions = createPermissions({
    settings,
    cwd: typeof cwd === "string" ? cwd : CWD,
    home: HOME,
    realpath: (path) => follow(path, links),
    ignoresCase: requires.some((need) => need.endsWith("-insensitive-fs")),
  });
  const { behavior, reason } = permissions.decide(tool, input);
  return { id, expect, got: behavior, reason };
}

/** The links of a case are all that its file system has. */
function follow(path: string, links: Readonly<Record<string, string>>): string {
  for (let at = 0, now = path; at < 40; at++) {
    const found = Object.entries(links).find(([link]) => now === link || now.startsWith(`${link}/`));
    if (found === undefined) return now;
    const [link, target] = found;
    now = posix.resolve(posix.dirname(link), target) + now.slice(link.length);
  }
  return path;
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
