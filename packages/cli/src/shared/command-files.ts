/** Custom slash commands: one markdown file each, whose text is sent as the prompt. */

import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "./world.ts";
import type { Named } from "../repl/input/completion.ts";
import { wordsOf } from "./failure.ts";
import { runaheadHome } from "@runahead/harness";
import { strip } from "./safe-text.ts";
import { oneLine } from "./words.ts";

export interface CommandFile extends Named {
  readonly path: string;
  readonly text: string;
}

export interface CommandFiles {
  /** The first of a name wins: the project's before the user's, `.runahead` before `.claude`. */
  readonly commands: readonly CommandFile[];
  readonly problems: readonly string[];
}

interface Found {
  readonly name: string;
  readonly path: string;
}

const MOST_BYTES = 100_000;
const MOST_FILES = 500;
const DEEPEST = 5;

export interface CommandPlaces extends Pick<World, "env" | "home"> {
  /** The project's root. */
  readonly root: string;
  readonly isTrusted: boolean;
}

/** Skips the commands of an untrusted folder: their text would be sent in the user's name. */
export async function commandFiles({ root, isTrusted, ...world }: CommandPlaces): Promise<CommandFiles> {
  const own = [join(runaheadHome(world), "commands"), join(world.home, ".claude", "commands")];
  const folders = isTrusted ? [...projectFolders(root), ...own] : own;
  const found = (await Promise.all(folders.map((folder) => filesIn(folder, "")))).flat();
  const first = new Map<string, Found>();
  for (const file of found.slice(0, MOST_FILES)) if (!first.has(file.name)) first.set(file.name, file);
  const read = await Promise.all([...first.values()].map(readCommand));
  const isLong = found.length > MOST_FILES;
  return {
    commands: read.flatMap((one) => (typeof one === "string" ? [] : [one])),
    problems: [
      ...read.flatMap((one) => (typeof one === "string" ? [one] : [])),
      ...(isLong ? [`Found ${found.length} command files; only the first ${MOST_FILES} are used.`] : []),
    ],
  };
}

export function projectFolders(root: string): string[] {
  return [".runahead", ".claude"].map((name) => join(root, name, "commands"));
}

/** Prefixes names with their folder: `git/fix.md` is `/git:fix`. */
export async function filesIn(folder: string, before: string): Promise<Found[]> {
  if (before.split(":").length > DEEPEST) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(async (entry): Promise<Found[]> => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path, `${before}${entry.name}:`);
      const name = `${before}${entry.name.replace(/\.md$/, "")}`;
      return entry.name.endsWith(".md") && /^[\w:.-]+$/.test(name) ? [{ name, path }] : [];
    });
  return (await Promise.all(found)).flat();
}

/** Returns the command, or why it is skipped. */
async function readCommand({ name, path }: Found): Promise<CommandFile | string> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > MOST_BYTES) return `Command skipped: ${path} has ${size} bytes (limit ${MOST_BYTES}).`;
      const whole = await file.readFile("utf8");
      const [, head = "", body = whole] = /^---\r?\n([^]*?)\r?\n---\r?\n?([^]*)$/.exec(whole) ?? [];
      const field = (wanted: string): string => fieldIn(head, wanted);
      const hint = field("argument-hint");
      const about = field("description") || body.trim().split("\n", 1)[0] || "";
      const help = oneLine(strip(hint === "" ? about : `${hint} ${about}`));
      return { name, path, text: body.trim(), help };
    } finally {
      await file.close();
    }
  } catch (error) {
    return `Command skipped: cannot read ${path}: ${wordsOf(error)}`;
  }
}

function fieldIn(head: string, name: string): string {
  const line = head.split(/\r?\n/).find((one) => one.startsWith(`${name}:`)) ?? "";
  return line
    .slice(name.length + 1)
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2");
}

/** Fills in `$ARGUMENTS` with the text after the command and `$1` … `$9` with its words. Quoted text is one word. */
export function filledIn(text: string, words: string): string {
  if (!/\$(?:ARGUMENTS|[1-9])/.test(text)) return words === "" ? text : `${text}\n\n${words}`;
  const parts = [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  return text.replaceAll(/\$(ARGUMENTS|[1-9])/g, (_, name: string) =>
    name === "ARGUMENTS" ? words : (parts[Number(name) - 1] ?? ""),
  );
}
