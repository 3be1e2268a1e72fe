/** Checks what many sessions have left: lines, histories and writers. */

import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { checkHistory } from "@runahead/engine/history";
import { type Message, sessions } from "@runahead/agent";
import { postgres } from "@runahead/postgres";
import type { PostgresServer } from "../../../postgres/test/support/postgres-server.ts";

export interface Written {
  readonly database: PostgresServer;
  readonly file: string;
  readonly ids: readonly string[];
  /** How many lines each session writes. Default: unknown; then the history of a session says which lines there must be. */
  readonly turns?: number;
}

export interface Findings {
  /** What is wrong; empty if every promise was kept. */
  readonly problems: readonly string[];
  readonly lines: number;
  readonly unknown: number;
  /** By what the model read: how many calls did not run. */
  readonly notRun: Readonly<Record<string, number>>;
}

export interface Checked extends Omit<Findings, "problems"> {
  readonly problems: string[];
  readonly histories: ReadonlyMap<string, readonly Message[]>;
}

export async function checkWritten(written: Written): Promise<Findings> {
  const { histories: _histories, ...findings } = await checkLines(written);
  return findings;
}

export async function checkLines({ database, file, ids, turns = 0 }: Written): Promise<Checked> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  const problems: string[] = [];
  let unknown = 0;
  const notRun: Record<string, number> = {};
  const histories = new Map<string, readonly Message[]>();
  const store = postgres(database.url, { patienceMs: 60_000 });
  for (const id of ids) {
    const messages = await historyOf(store, id);
    histories.set(id, messages);
    const broken = checkHistory(messages);
    if (broken.length > 0) problems.push(`${id}: invalid history: ${JSON.stringify(broken[0])}`);
    const fates = fatesOf(messages);
    unknown += [...fates.values()].filter(({ fate }) => fate === "unknown").length;
    for (const { fate, result } of fates.values())
      if (fate === "not run") notRun[result] = (notRun[result] ?? 0) + 1;
    problems.push(...notTaken(id, fates));
    const expected = Array.from({ length: turns }, (_, turn) => `${id}#${turn}`);
    const written = [...counts.keys()].filter((line) => line.startsWith(`${id}#`));
    for (const line of new Set([...expected, ...written, ...fates.keys()]))
      problems.push(...wrongLine(line, fates, counts));
  }
  problems.push(...(await writers(database)));
  await store.close();
  return { problems, lines: lines.length, unknown, notRun, histories };
}

async function historyOf(store: ReturnType<typeof postgres>, id: string): Promise<readonly Message[]> {
  for (;;) {
    try {
      const session = await sessions({ store }).resume(id);
      await session.close();
      return session.messages;
    } catch (error) {
      // A worker that was killed still holds it for a moment.
      if ((error as Error).name !== "SessionLocked") throw error;
      await pause(100);
    }
  }
}

interface Fate {
  readonly fate: "done" | "unknown" | "not run";
  /** What the model read. */
  readonly result: string;
}

/** What the history says about each line. */
function fatesOf(messages: readonly Message[]): Map<string, Fate> {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const results = new Map(blocks.map((block) => [block["tool_use_id"], JSON.stringify(block["content"])]));
  const fates = new Map<string, Fate>();
  for (const block of blocks) {
    if (block.type !== "tool_use") continue;
    const { line } = block["input"] as { line: string };
    const result = results.get(block["id"]) ?? "";
    const fate = result === '"appended"' ? "done" : /may have|unknown/i.test(result) ? "unknown" : "not run";
    fates.set(line, { fate, result });
  }
  return fates;
}

/** Some tool workers always work, so a call that waits for a minute has met a process that does not recover. */
function notTaken(id: string, fates: ReadonlyMap<string, Fate>): string[] {
  const results = [...fates.values()].map(({ result }) => result);
  return results
    .filter((result) => /never reached the queue|no worker took it|cannot connect/.test(result))
    .map((result) => `${id}: nobody took a call: ${result}`);
}

function wrongLine(
  line: string,
  fates: ReadonlyMap<string, Fate>,
  counts: ReadonlyMap<string, number>,
): string[] {
  const fate = fates.get(line)?.fate;
  const count = counts.get(line) ?? 0;
  if (count > 1) return [`${line} was written ${count} times`];
  if (fate === undefined) return [`${line} is not in the history, and was written ${count} times`];
  if (fate === "done" && count !== 1) return [`${line} was reported as written, and is missing`];
  if (fate === "not run" && count !== 0) return [`${line} was written, and reported as not run`];
  return [];
}

/** A later line of a journal must never come from an earlier lease, and no position is left out. */
async function writers(database: PostgresServer): Promise<string[]> {
  const [mixed] = await database.query(
    `SELECT count(*) AS wrong FROM (SELECT fence < lag(fence) OVER w AS back, seq <> row_number() OVER w - 1 AS gap
       FROM runahead.entries WINDOW w AS (PARTITION BY tenant, key, journal ORDER BY seq)) AS lines
     WHERE back OR gap`,
  );
  return Number(mixed?.["wrong"]) === 0 ? [] : [`${String(mixed?.["wrong"])} lines of two writers are mixed`];
}
