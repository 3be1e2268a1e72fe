/** Finds the skills and custom commands of the user, of the project and of plugins. */

import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { type DefinitionFolder, markdownBelow } from "../settings/agents.ts";
import { runaheadHome, checkSurroundings } from "../home.ts";
import { type Where, projectFolders } from "../settings/place.ts";
import { readText } from "../settings/read.ts";
import type { Problem } from "../settings/setting.ts";
import { frontMatter } from "./front-matter.ts";
import { type PromptFile, type PromptPlace, commandName, promptIn } from "./prompt-file.ts";

/** The skills and custom commands of a folder. */
export interface PromptFiles {
  /**
   * If two have the same name, the first one is used: skills before commands, those of the nearest folder first, the
   * project's before the user's.
   */
  readonly files: readonly PromptFile[];
  /** Files and fields that have no effect, with the reason. */
  readonly problems: readonly Problem[];
}

/** More folders with skills or commands. */
export interface MoreFolders {
  /** Folders with skills. */
  readonly skills: readonly DefinitionFolder[];
  /** Folders or files with commands. */
  readonly commands: readonly DefinitionFolder[];
}

const MAX_BYTES = 500_000;
const MAX_FILES = 1000;
const DEEPEST = 4;

/**
 * Reads the skills and custom commands that can be used in a folder. Those of an untrusted folder are left out, because
 * their text would be sent in the user's name.
 *
 * @example
 * ```ts
 * const { files } = await promptFiles({ cwd, home, env, isTrusted: true });
 * ```
 */
export async function promptFiles(
  where: Where & { readonly isTrusted: boolean; readonly more?: MoreFolders },
): Promise<PromptFiles> {
  checkSurroundings(where, "promptFiles");
  const ofProject = where.isTrusted ? await projectFolders(where.cwd) : [];
  const own = [runaheadHome(where), join(where.home, ".claude")];
  const plain = (path: string): DefinitionFolder => ({ path, prefix: "" });
  const skills = [
    ...ofProject.flatMap(skillFolders),
    ...own.map((path) => join(path, "skills")),
    join(where.home, ".agents", "skills"),
  ];
  const commands = [
    ...ofProject.flatMap((folder) => [".runahead", ".claude"].map((name) => join(folder, name))),
    ...own,
  ].map((path) => join(path, "commands"));
  const places = [
    ...(await Promise.all([...skills.map(plain), ...(where.more?.skills ?? [])].map(skillPlaces))).flat(),
    ...(
      await Promise.all([...commands.map(plain), ...(where.more?.commands ?? [])].map(commandPlaces))
    ).flat(),
  ];
  const named = new Set(places.flatMap(({ path, command }) => (command === undefined ? [] : [path])));
  return readAll(places.filter(({ path, command }) => command !== undefined || !named.has(path)));
}

/** Where a folder of a project can have skills. */
export function skillFolders(folder: string): readonly string[] {
  return [".runahead", ".claude", ".agents"].map((name) => join(folder, name, "skills"));
}

async function readAll(places: readonly PromptPlace[]): Promise<PromptFiles> {
  const read = await Promise.all(places.slice(0, MAX_FILES).map(readPrompt));
  const files = new Map<string, PromptFile>();
  for (const [at, { file }] of read.entries()) {
    const { ifTaken = "" } = places[at] ?? {};
    if (file === undefined) continue;
    const name = files.has(file.name) ? `${ifTaken}${file.name}` : file.name;
    if (!files.has(name)) files.set(name, { ...file, name });
  }
  const tooMany: Problem = {
    severity: "warning",
    path: places[MAX_FILES]?.path ?? "",
    key: "",
    message: `Found ${places.length} skills and commands; only the first ${MAX_FILES} are used.`,
  };
  return {
    files: [...files.values()],
    problems: [...read.flatMap(({ problems }) => problems), ...(places.length > MAX_FILES ? [tooMany] : [])],
  };
}

async function readPrompt(
  place: PromptPlace,
): Promise<{ readonly file: PromptFile | undefined; readonly problems: readonly Problem[] }> {
  if (place.command?.content !== undefined) return promptIn(place.command.content, place);
  const text = await readText(place.path, MAX_BYTES);
  if (text.type === "text") return promptIn(text.text, place);
  const why = text.type === "missing" ? "the file does not exist" : text.why;
  const message = `${place.path} is ignored: ${why}`;
  return { file: undefined, problems: [{ severity: "error", path: place.path, key: "", message }] };
}

/** A folder with a `SKILL.md` is a skill; folders without one can hold more skills. */
async function skillPlaces({ path: folder, prefix, ifTaken = "" }: DefinitionFolder): Promise<PromptPlace[]> {
  const inFolders = (await skillsBelow(folder, 0)).map((path) => ({ path, name: basename(dirname(path)) }));
  const alone = (await skillsAlone(folder)).map((path) => ({ path, name: basename(path).slice(0, -3) }));
  return [...inFolders, ...alone].map((place) => ({ kind: "skill", ...place, prefix, ifTaken }));
}

/** Documents for people, not skills. */
const DOCUMENTS = /^(?:README|AGENTS|CLAUDE|INDEX|CHANGELOG|CONTRIBUTING|SKILL|TEMPLATE|_.*)\.md$/i;

/** A file with a description, such as `skills/deploy.md`, is meant as a skill without a folder. */
async function skillsAlone(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  // The folder of one skill has documents of that skill.
  if (names.some((name) => /^skill\.md$/i.test(name))) return [];
  const paths = names
    .filter((name) => /\.md$/i.test(name) && !DOCUMENTS.test(name))
    .toSorted()
    .map((name) => join(folder, name));
  const texts = await Promise.all(paths.map((path) => readText(path, MAX_BYTES)));
  return paths.filter((_, at) => {
    const text = texts[at];
    return text?.type === "text" && frontMatter(text.text).values.has("description");
  });
}

/** A manifest can also name the folder of one skill, or its file. */
async function skillsBelow(folder: string, depth: number): Promise<string[]> {
  if (depth === 0 && /\.md$/i.test(folder)) return [folder];
  if (depth > DEEPEST) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const own = entries.find(({ name }) => /^skill\.md$/i.test(name));
  if (own !== undefined && (depth > 0 || basename(folder) !== "skills")) return [join(folder, own.name)];
  const first = own === undefined ? [] : [join(folder, own.name)];
  const below = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && entry.name !== "node_modules")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name }) => skillsBelow(join(folder, name), depth + 1));
  return [...first, ...(await Promise.all(below)).flat()];
}

async function commandPlaces({ path: folder, prefix, command }: DefinitionFolder): Promise<PromptPlace[]> {
  if (command !== undefined && (command.content !== undefined || /\.md$/i.test(folder)))
    return [{ kind: "command", path: folder, name: command.name, prefix, command }];
  const files = await markdownBelow(folder);
  const base = folder.endsWith(".md") ? dirname(folder) : folder;
  return files.map((path) => ({ kind: "command", path, name: commandName(relative(base, path)), prefix }));
}
