/** Finds the sessions of other agents. */

import { aString, checkOptions, oneOf } from "@runahead/base";
import { checkSurroundings } from "../home.ts";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Surroundings } from "../surroundings.ts";
import { claudeTitle } from "./claude.ts";
import { codexFacts, codexTitle } from "./codex.ts";
import { type ForeignAgent, type ForeignSession, readEnds, textIn } from "./foreign.ts";

const END_BYTES = 131_072;
const AT_A_TIME = 8;

/** What to look for. */
export interface ForeignSearch {
  /** Only sessions of this program. Default: both. */
  readonly from?: ForeignAgent;
  /** Only sessions of this folder. Default: all folders. */
  readonly cwd?: string;
}

/**
 * Lists the sessions of Claude Code and Codex, newest first. Reads only the beginning and the end of each file.
 *
 * @example
 * ```ts
 * const found = await foreignSessions({ cwd, home, env }, { from: "codex" });
 * ```
 */
export async function foreignSessions(
  world: Surroundings,
  search: ForeignSearch = {},
): Promise<ForeignSession[]> {
  checkSurroundings(world, "foreignSessions");
  checkOptions(search, { from: AGENT, cwd: aString }, "foreignSessions");
  const paths = [
    ...(search.from === "codex" ? [] : await claudeFiles(world)),
    ...(search.from === "claude" ? [] : await codexFiles(world)),
  ];
  const found: ForeignSession[] = [];
  const next = paths.values();
  const work = async (): Promise<void> => {
    for (const { from, path } of next) {
      const session = await describe(from, path).catch(() => undefined);
      if (session !== undefined) found.push(session);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const wanted = search.cwd === undefined ? undefined : await realPath(search.cwd);
  const here = wanted === undefined ? found : await ofFolder(found, wanted);
  return here.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
}

/** The agents whose sessions can be read. */
export const AGENT = oneOf("claude", "codex");

async function ofFolder(sessions: readonly ForeignSession[], wanted: string): Promise<ForeignSession[]> {
  const isHere = await Promise.all(sessions.map(async ({ cwd }) => (await realPath(cwd)) === wanted));
  return sessions.filter((_session, at) => isHere[at]);
}

/** Describes the session in a file. `from` is recognised by the content if it is not given. */
export async function describe(
  from: ForeignAgent | undefined,
  path: string,
): Promise<ForeignSession | undefined> {
  const { size, mtime } = await stat(path);
  const facts = await readEnds(path, END_BYTES);
  const kind = from ?? kindOf(facts);
  if (facts.length === 0 || kind === undefined) return undefined;
  const common = { from: kind, path, updatedAt: mtime.toISOString(), sizeBytes: size };
  if (kind === "codex") {
    const { id, cwd, createdAt } = codexFacts(facts);
    return { ...common, id: id || idIn(path), cwd, title: codexTitle(facts), createdAt };
  }
  const first = (key: string): string => textIn(facts.find((fact) => textIn(fact[key]) !== "")?.[key]);
  // A file of a sub-agent is not a session.
  if (!facts.some(({ type, isSidechain }) => type === "user" && isSidechain !== true)) return undefined;
  return {
    ...common,
    id: idIn(path),
    cwd: first("cwd"),
    title: claudeTitle(facts),
    createdAt: first("timestamp"),
  };
}

function kindOf(facts: readonly Readonly<Record<string, unknown>>[]): ForeignAgent | undefined {
  if (facts.some(({ type }) => type === "session_meta" || type === "response_item")) return "codex";
  if (facts.some(({ uuid, message }) => typeof uuid === "string" && message !== undefined)) return "claude";
  return facts.some(({ type, role }) => type === "message" && role !== undefined) ? "codex" : undefined;
}

function idIn(path: string): string {
  const name = basename(path, ".jsonl");
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.exec(name)?.[0] ?? name;
}

interface Found {
  readonly from: ForeignAgent;
  readonly path: string;
}

async function claudeFiles({ home, env }: Surroundings): Promise<Found[]> {
  const root = join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "projects");
  const folders = await names(root);
  const files = await Promise.all(folders.map(async (name) => filesIn(join(root, name))));
  return files.flat().map((path) => ({ from: "claude", path }));
}

async function codexFiles({ home, env }: Surroundings): Promise<Found[]> {
  let folders = [join(env["CODEX_HOME"] || join(home, ".codex"), "sessions")];
  const files = await filesIn(folders[0] as string);
  for (let level = 0; level < 3; level++) {
    const below = await Promise.all(
      folders.map(async (folder) => (await names(folder)).map((name) => join(folder, name))),
    );
    folders = below.flat();
    files.push(...(await Promise.all(folders.map(filesIn))).flat());
  }
  return files
    .filter((path) => basename(path).startsWith("rollout-"))
    .map((path) => ({ from: "codex", path }));
}

async function names(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map(({ name }) => join(folder, name));
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
