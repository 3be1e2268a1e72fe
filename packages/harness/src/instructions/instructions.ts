/**
 * Instruction files for agents: the user's own, then those from the project's root down to the working directory, each
 * followed by its `@path` imports. A file is returned once, however many links or imports lead to it.
 */

import { dirname, join, relative } from "node:path";
import { Collector, type Project, isOutside, isOwnFile } from "./collector.ts";
import { type ConditionalRule, type RuleFiles, rulesIn } from "./rules.ts";
import { runaheadHome, checkSurroundings } from "../home.ts";
import { type SettingSource, type Where, projectRoot, realPathOf } from "../settings/place.ts";
import type { Problem } from "../settings/setting.ts";
import { trustIn } from "../trust/trust.ts";

/** A file with instructions for agents, such as `AGENTS.md`. */
export interface Instruction {
  /** Absolute path of the file. */
  readonly path: string;
  /** Content of the file. */
  readonly text: string;
  /** `user`: the user's own; `local`: not shared with the other people on the project. */
  readonly scope: SettingSource;
  /** The file whose `@path` led to it. */
  readonly importedBy: string | undefined;
}

/** All instructions that apply in a folder. */
export interface Instructions {
  /** In the order in which the model reads them: the user first, then from the root of the project down. */
  readonly files: readonly Instruction[];
  /** Rules that apply once a file that they are about is used. */
  readonly conditional: readonly ConditionalRule[];
  /** Files that were left out, with the reason. */
  readonly problems: readonly Problem[];
}

type InstructionPlace = Where & {
  /** Default: whether the user trusts the folder. */
  readonly isTrusted?: boolean;
  /** Patterns of files that are left out: `claudeMdExcludes`. Default: none. */
  readonly excludes?: readonly string[];
};

const MANAGED = ["/etc/runahead/AGENTS.md", "/etc/claude-code/CLAUDE.md"];

/**
 * Reads the instruction files of the user and of the project, with what they import by `@path`. Files above the
 * limits (256 kB each, 100 files, 1,000,000 characters) are left out and reported in `problems`.
 *
 * @example
 * ```ts
 * const { files, problems } = await instructions({ cwd, home, env });
 * ```
 */
export async function instructions(where: InstructionPlace): Promise<Instructions> {
  checkSurroundings(where, "instructions");
  const root = await projectRoot(where.cwd);
  const cwd = await realPathOf(where.cwd);
  const collector = new Collector(where.home, await projectOf(where, root));
  for (const path of MANAGED) await collector.add(path, "user");
  await collector.add(join(where.home, ".claude", "CLAUDE.md"), "user");
  await collector.add(join(runaheadHome(where), "AGENTS.md"), "user");
  const own = await rulesIn(join(where.home, ".claude", "rules"), cwd);
  await addRules(collector, own, "user");
  for (const folder of foldersAbove(root)) await addOwnFolder(collector, folder);
  const ofProject: RuleFiles[] = [];
  for (const folder of foldersBetween(root, cwd)) {
    await addFolder(collector, folder);
    ofProject.push(await addFolderRules(collector, folder));
  }
  const rules = [own, ...ofProject];
  return {
    files: collector.files,
    conditional: rules.flatMap(({ conditional }) => conditional),
    problems: [...collector.problems, ...rules.flatMap(({ problems }) => problems)],
  };
}

async function projectOf(where: InstructionPlace, root: string): Promise<Project> {
  const isTrusted = where.isTrusted ?? (await trustIn(where).isTrusted(where.cwd));
  return { fence: await fenceOf(where, root), isTrusted, excludes: where.excludes ?? [] };
}

/** The folders above the project, from the top. */
function foldersAbove(root: string): string[] {
  const above = dirname(root);
  return above === root ? [] : [...foldersAbove(above), above];
}

/** A folder above the project can be shared with other people, so only the user's own files are read there. */
async function addOwnFolder(collector: Collector, folder: string): Promise<void> {
  for (const name of FILE_NAMES)
    if (await isOwnFile(join(folder, name))) await collector.add(join(folder, name), "user");
}

async function addRules(
  collector: Collector,
  { always }: RuleFiles,
  scope: Instruction["scope"],
): Promise<void> {
  for (const { path, text } of always) await collector.add(path, scope, { text });
}

/** The rules of a folder. Those of a folder that is not trusted are instructions as any other file there. */
async function addFolderRules(collector: Collector, folder: string): Promise<RuleFiles> {
  const rules = await rulesIn(join(folder, ".claude", "rules"), folder);
  await addRules(collector, rules, "project");
  return rules;
}

/** If the home folder is the repository, the rest of it is not part of the project. */
async function fenceOf({ cwd, home }: Where, root: string): Promise<string> {
  return isOutside(root, await realPathOf(home)) ? root : realPathOf(cwd);
}

/**
 * Finds the instructions of folders below the working directory, and rules about files, when they are first touched.
 * Returns each file once, and none of the `loaded` ones.
 */
export class NestedInstructions {
  readonly #where: InstructionPlace;
  readonly #loaded: Instructions;
  readonly #visited = new Set<string>();
  readonly #rules = new Set<string>();
  #conditional: readonly ConditionalRule[];
  #collected: Collector | undefined;

  constructor(where: InstructionPlace, loaded: Instructions) {
    this.#where = where;
    this.#loaded = loaded;
    this.#conditional = loaded.conditional;
  }

  /** Whether a file was returned because of its `paths`. */
  isRule(path: string): boolean {
    return this.#rules.has(path);
  }

  /** Looks into the folders of these files and those between them and the working directory. */
  async touched(files: readonly string[]): Promise<readonly Instruction[]> {
    const cwd = await realPathOf(this.#where.cwd);
    const collected = (this.#collected ??= await this.#collector());
    const before = collected.files.length;
    for (const file of files) {
      if (isOutside(cwd, file)) continue;
      for (const folder of foldersBetween(cwd, dirname(file)).slice(1)) await this.#visit(folder, collected);
    }
    await this.#addMatching(files, collected);
    return collected.files.slice(before);
  }

  async #addMatching(files: readonly string[], collected: Collector): Promise<void> {
    const meant = this.#conditional.filter(({ covers }) => files.some(covers));
    this.#conditional = this.#conditional.filter((rule) => !meant.includes(rule));
    for (const { path, text } of meant) {
      this.#rules.add(path);
      await collected.add(path, "project", { text });
    }
  }

  async #collector(): Promise<Collector> {
    const { cwd, home } = this.#where;
    const collector = new Collector(home, await projectOf(this.#where, await projectRoot(cwd)));
    for (const { path, text } of this.#loaded.files) await collector.skip(path, text);
    return collector;
  }

  async #visit(folder: string, collected: Collector): Promise<void> {
    if (this.#visited.has(folder)) return;
    this.#visited.add(folder);
    await addFolder(collected, folder);
    const { conditional } = await addFolderRules(collected, folder);
    this.#conditional = [...this.#conditional, ...conditional];
  }
}

const FILE_NAMES = ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md")];

async function addFolder(collector: Collector, folder: string): Promise<void> {
  for (const name of FILE_NAMES) await collector.add(join(folder, name), "project");
  await collector.add(join(folder, "CLAUDE.local.md"), "local");
}

function foldersBetween(root: string, cwd: string): string[] {
  const steps = relative(root, cwd).split(/[/\\]/).filter(Boolean);
  return [root, ...steps.map((_, index) => join(root, ...steps.slice(0, index + 1)))];
}
