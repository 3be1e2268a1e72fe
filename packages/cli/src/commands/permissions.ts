/** `runahead permissions`: explains the verdict on a call and runs files of permission cases. */

import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type RuleChoice, confinesReadsHere, createPermissions } from "@runahead/harness";
import {
  CorpusError,
  type CorpusReport,
  FixtureError,
  parseCorpus,
  runCorpus,
} from "@runahead/harness/internal";
import { UsageError } from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { wordsOf } from "../shared/failure.ts";
import type { World } from "../shared/world.ts";
import { type SettingsFlags, asJson, complainOf, load, objectOf } from "./load.ts";

interface CheckFlags extends SettingsFlags {
  readonly tool?: string;
  readonly input?: string;
  readonly mode?: string;
}

export async function checkPermission(world: World, flags: CheckFlags): Promise<number> {
  const { tool = "", mode } = flags;
  const input = objectOf(flags.input ?? "", "--input");
  const loaded = await load(world, flags);
  const settings = { mode: mode ?? loaded.mode, sources: loaded.sources };
  const confinesReads = await confinesReadsHere(world, loaded);
  const permissions = createPermissions({
    settings,
    trusted: loaded.isTrusted,
    cwd: world.cwd,
    home: world.home,
    confinesReads: () => confinesReads,
  });
  const verdict = permissions.decide(tool, input);
  const choices = verdict.behavior === "ask" ? permissions.choices(tool, input) : [];
  if (flags.json === true) world.print(asJson({ ...verdict, choices }));
  else world.print([verdict.behavior, verdict.reason, ...choices.flatMap(inLines)].join("\n"));
  for (const warning of permissions.warnings) world.complain(`warning: ${warning}`);
  complainOf(loaded, world);
  return EXIT.done;
}

function inLines({ label, rules }: RuleChoice): string[] {
  return ["", `${label}:`, ...rules.map((rule) => `  ${rule}`)];
}

export async function testPermissions(
  world: World,
  files: readonly string[],
  { json = false, confined = false }: { json?: boolean; confined?: boolean },
): Promise<number> {
  const cases = [];
  for (const file of files) cases.push(...casesOf(await textOf(resolve(world.cwd, file), file), file));
  const report = reportOf(cases, confined);
  world.print(json ? asJson(report) : inWords(report));
  const isSafe = report.falseAllows.length === 0 && report.weakenedDenies.length === 0;
  return isSafe ? EXIT.done : EXIT.error;
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    // Reading a pipe or a device could block forever.
    if (!(await stat(path)).isFile())
      throw new Error("it is not a regular file. Pass a .jsonl or .json file.");
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${shown}: ${wordsOf(error)}`);
  }
}

function casesOf(text: string, shown: string): ReturnType<typeof parseCorpus> {
  try {
    return parseCorpus(text);
  } catch (error) {
    if (error instanceof CorpusError) throw new UsageError(`${shown}: ${error.message}`);
    throw error;
  }
}

function reportOf(cases: Parameters<typeof runCorpus>[0], confined: boolean): CorpusReport {
  try {
    return runCorpus(cases, { confined });
  } catch (error) {
    if (error instanceof FixtureError) throw new UsageError(error.message);
    throw error;
  }
}

function inWords(report: CorpusReport): string {
  const { total, passed, skipped, falseAllows, weakenedDenies, overBlocks, others, score } = report;
  const list = (title: string, cases: CorpusReport["falseAllows"]): string[] => [
    `${title}: ${cases.length}`,
    ...cases.map(({ id, expect, got, reason }) => `  ${id}: ${got}, expected ${expect}: ${reason}`),
  ];
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return [
    ...categoryTable(report),
    ...list("false allows", falseAllows),
    ...list("weakened denies", weakenedDenies),
    ...list("over-blocks", overBlocks),
    ...list("denied instead of asked", others),
    `${passed} of ${total - skipped.length} cases correct${skipped.length === 0 ? "" : ` (${skipped.length} for other platforms skipped)`}`,
    `over-blocks: ${percent(report.overBlockRate)}`,
    `score: ${percent(score)}`,
  ].join("\n");
}

function categoryTable({ categories }: CorpusReport): string[] {
  const rows = Object.entries(categories).map(([name, one]) => [
    name === "" ? "(no category)" : name,
    `${one.passed}/${one.total}`,
    String(one.falseAllows),
    String(one.weakenedDenies),
    String(one.overBlocks),
  ]);
  const all = [["category", "correct", "false allows", "weakened denies", "over-blocks"], ...rows];
  const widths = (all[0] ?? []).map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return [
    ...all.map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    ),
    "",
  ];
}
