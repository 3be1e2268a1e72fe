/** `runahead import`: lists and takes over sessions of Claude Code and Codex. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  type ForeignAgent,
  type ForeignSession,
  type ImportedSession,
  UsageError,
  foreignSessions,
  importSession,
} from "@runahead/harness";
import { EXIT } from "../shared/exit.ts";
import { reveal } from "../shared/safe-text.ts";
import { amount, localMinute, oneLine, plural } from "../shared/words.ts";
import type { World } from "../shared/world.ts";
import { asJson } from "./load.ts";

export interface ImportFlags {
  readonly list?: boolean;
  readonly from?: ForeignAgent;
  readonly all?: boolean;
  readonly cwd?: string;
  readonly again?: boolean;
  readonly json?: boolean;
}

const SHOWN_NOTES = 10;

export async function importSessions(
  world: World,
  wanted: string | undefined,
  flags: ImportFlags,
): Promise<number> {
  const from = flags.from === undefined ? {} : { from: flags.from };
  if (wanted === undefined && (flags.list === true || flags.all !== true)) return list(world, flags, from);
  const paths =
    wanted === undefined
      ? (await foreignSessions(world, { ...from, cwd: world.cwd })).map(({ path }) => path)
      : [await pathOf(world, wanted, from)];
  const cwd = flags.cwd === undefined ? {} : { cwd: folderOf(world, flags.cwd) };
  const again = flags.again === true;
  const imported: ImportedSession[] = [];
  const failed: { readonly source: string; readonly error: string }[] = [];
  for (const path of paths) {
    try {
      imported.push(await importSession(world, path, { ...from, ...cwd, again, onNotice: world.complain }));
    } catch (error) {
      // One session that cannot be imported does not keep the others from being imported.
      if (wanted !== undefined) throw error;
      failed.push({ source: path, error: error instanceof Error ? error.message : String(error) });
    }
  }
  if (flags.json === true) world.print(asJson({ imported, failed }));
  else printImported(world, imported, failed);
  return failed.length === 0 ? EXIT.done : EXIT.error;
}

async function list(world: World, flags: ImportFlags, from: { from?: ForeignAgent }): Promise<number> {
  const isEverywhere = flags.all === true;
  const cwd = flags.cwd === undefined ? world.cwd : folderOf(world, flags.cwd);
  const found = await foreignSessions(world, { ...from, ...(isEverywhere ? {} : { cwd }) });
  if (flags.json === true) world.print(asJson(found));
  else if (found.length === 0) world.print(`No sessions of Claude Code or Codex ${whereWords(isEverywhere)}`);
  else world.print([...found.map(lineOf), "", "Import one with `runahead import ID`."].join("\n"));
  return EXIT.done;
}

function whereWords(isEverywhere: boolean): string {
  return isEverywhere ? "were found." : "in this folder. To list all folders: runahead import --list --all";
}

function lineOf({ from, id, updatedAt, sizeBytes, title, cwd }: ForeignSession): string {
  const size = `${amount(Math.ceil(sizeBytes / 1_000))} KB`;
  const when = localMinute(updatedAt);
  return `${oneLine(id)}  ${from.padEnd(6)}  ${when}  ${size.padStart(8)}  ${oneLine(title).slice(0, 80)}  ${reveal(cwd)}`;
}

/** The folder comes from the file, and the user copies the line into a shell. */
function inShell(path: string): string {
  const text = reveal(path);
  return /^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function printImported(
  world: World,
  imported: readonly ImportedSession[],
  failed: readonly { readonly source: string; readonly error: string }[],
): void {
  const lines = imported.flatMap(
    ({ id, cwd, title, messages, prompts, tasks, costUsd, skipped, notes, isKnown }) => {
      const what = `${id}: ${oneLine(title).slice(0, 80)}`;
      if (isKnown) return [`Already imported: ${what}. To import it once more, use --again.`];
      const remarks = [
        ...skipped.map(({ line, why }) => `line ${line} was skipped: ${why}`),
        ...notes.map((note) => note),
      ];
      const more = remarks.length - SHOWN_NOTES;
      const parts = [
        plural(messages, "message"),
        plural(prompts, "prompt"),
        ...(tasks === 0 ? [] : [plural(tasks, "task")]),
        ...(costUsd === undefined || costUsd === 0 ? [] : [`$${costUsd.toFixed(2)}`]),
      ];
      return [
        `Imported ${what} (${parts.join(", ")})`,
        ...remarks.slice(0, SHOWN_NOTES).map((remark) => `  ${oneLine(remark)}`),
        ...(more > 0 ? [`  and ${more} more (see --json)`] : []),
        `  Continue it: cd ${inShell(cwd)} && runahead --resume ${id}`,
      ];
    },
  );
  const bad = failed.map(({ source, error }) => `Not imported: ${reveal(source)}: ${oneLine(error)}`);
  world.print([...lines, ...bad].join("\n") || "There is nothing to import in this folder.");
}

/** A path, or the beginning of the id of a session in any folder. */
async function pathOf(world: World, wanted: string, from: { from?: ForeignAgent }): Promise<string> {
  const path = resolve(world.cwd, wanted);
  if (existsSync(path)) return path;
  const all = await foreignSessions(world, from);
  const found = all.filter(({ id }) => id === wanted);
  const matching = found.length > 0 ? found : all.filter(({ id }) => id.startsWith(wanted));
  const [one] = matching;
  if (one !== undefined && matching.length === 1) return one.path;
  throw new UsageError(
    one === undefined
      ? `there is no session ${wanted}. To list them, run \`runahead import --list --all\``
      : `several sessions start with ${wanted}: ${matching
          .slice(0, 3)
          .map(({ id }) => id)
          .join(", ")}`,
  );
}

function folderOf(world: World, folder: string): string {
  const path = resolve(world.cwd, folder);
  if (!existsSync(path)) throw new UsageError(`--cwd: ${folder} does not exist`);
  return path;
}
