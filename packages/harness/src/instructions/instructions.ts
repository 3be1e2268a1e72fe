/**
 * Instruction files for agents: the user's own, then those from the project's root down to the working directory, each
 * followed by its `@path` imports. A file is returned once, however many links or imports lead to it.
 */

import { dirname, extname, join, relative, resolve } from "node:path";
import { type SettingSource, type Where, projectRoot, realPathOf, runaheadHome } from "../settings/place.ts";
import { readText } from "../settings/read.ts";
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
  /** Files that were left out, with the reason. */
  readonly problems: readonly Problem[];
}

const MARKDOWN = /\.(?:md|mdc|markdown)$/i;
const MAX_IMPORT_DEPTH = 5;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 256_000;
const MAX_ALL_CHARS = 1_000_000;

/**
 * Reads the instruction files of the user and of the project, with what they import by `@path`. Files above the
 * limits (256 kB each, 100 files, 1,000,000 characters) are left out and reported in `problems`.
 *
 * @example
 * ```ts
 * const { files, problems } = await instructions({ cwd, home, env });
 * ```
 */
export async function instructions(where: Where & { readonly isTrusted?: boolean }): Promise<Instructions> {
  const root = await projectRoot(where.cwd);
  const cwd = await realPathOf(where.cwd);
  const isTrusted = where.isTrusted ?? (await trustIn(where).isTrusted(where.cwd));
  const collector = new Collector(where.home, { fence: await fenceOf(where, root), isTrusted });
  await collector.add(join(where.home, ".claude", "CLAUDE.md"), "user");
  await collector.add(join(runaheadHome(where), "AGENTS.md"), "user");
  for (const folder of foldersBetween(root, cwd)) await addFolder(collector, folder);
  return { files: collector.files, problems: collector.problems };
}

/** If the home folder is the repository, the rest of it is not part of the project. */
async function fenceOf({ cwd, home }: Where, root: string): Promise<string> {
  return isOutside(root, await realPathOf(home)) ? root : realPathOf(cwd);
}

/**
 * Finds the instructions of folders below the working directory when they are first touched. Returns each file once,
 * and none of the `loaded` ones.
 */
export class NestedInstructions {
  readonly #where: Where & { readonly isTrusted: boolean };
  readonly #loaded: Instructions;
  readonly #visited = new Set<string>();
  #collected: Collector | undefined;

  constructor(where: Where & { readonly isTrusted: boolean }, loaded: Instructions) {
    this.#where = where;
    this.#loaded = loaded;
  }

  /** Looks into these folders and those between them and the working directory. */
  async below(folders: readonly string[]): Promise<readonly Instruction[]> {
    const cwd = await realPathOf(this.#where.cwd);
    const collected = (this.#collected ??= await this.#collector());
    const before = collected.files.length;
    for (const touched of folders) {
      if (isOutside(cwd, touched)) continue;
      for (const folder of foldersBetween(cwd, touched).slice(1)) await this.#visit(folder, collected);
    }
    return collected.files.slice(before);
  }

  async #collector(): Promise<Collector> {
    const { cwd, home, isTrusted } = this.#where;
    const fence = await fenceOf(this.#where, await projectRoot(cwd));
    const collector = new Collector(home, { fence, isTrusted });
    for (const { path } of this.#loaded.files) await collector.skip(path);
    return collector;
  }

  async #visit(folder: string, collected: Collector): Promise<void> {
    if (this.#visited.has(folder)) return;
    this.#visited.add(folder);
    await addFolder(collected, folder);
  }
}

async function addFolder(collector: Collector, folder: string): Promise<void> {
  for (const name of ["AGENTS.md", "CLAUDE.md", join(".claude", "CLAUDE.md")])
    await collector.add(join(folder, name), "project");
  await collector.add(join(folder, "CLAUDE.local.md"), "local");
}

function foldersBetween(root: string, cwd: string): string[] {
  const steps = relative(root, cwd).split(/[/\\]/).filter(Boolean);
  return [root, ...steps.map((_, index) => join(root, ...steps.slice(0, index + 1)))];
}

interface Project {
  /** The folder that the project's files are in. */
  readonly fence: string;
  readonly isTrusted: boolean;
}

interface Import {
  readonly by: string;
  readonly depth: number;
  /** Whether it clearly names a file, so that a missing one is reported. */
  readonly isMeant: boolean;
}

class Collector {
  readonly files: Instruction[] = [];
  readonly problems: Problem[] = [];
  readonly #home: string;
  readonly #project: Project;
  readonly #seen = new Set<string>();
  #chars = 0;

  constructor(home: string, project: Project) {
    this.#home = home;
    this.#project = project;
  }

  /** Leaves out a file that the model has already. */
  async skip(path: string): Promise<void> {
    this.#seen.add(await realPathOf(path));
  }

  async add(path: string, scope: Instruction["scope"], from?: Import): Promise<void> {
    const real = await realPathOf(path);
    if (this.#seen.has(real)) return;
    const objection = scope === "user" ? undefined : this.#objection(real);
    const file = objection === undefined ? await readText(real, MAX_FILE_BYTES) : undefined;
    if (file?.type === "missing") {
      if (from?.isMeant === true) this.#leaveOut(path, `the file does not exist (imported by ${from.by})`);
      return;
    }
    this.#seen.add(real);
    if (file === undefined) return this.#leaveOut(path, objection ?? "");
    if (file.type === "unreadable") return this.#leaveOut(path, file.why);
    if (this.files.length >= MAX_FILES || this.#chars + file.text.length > MAX_ALL_CHARS)
      return this.#leaveOut(
        path,
        `the limit of ${MAX_FILES} files or ${MAX_ALL_CHARS} characters is reached`,
      );
    this.#chars += file.text.length;
    this.files.push({ path, text: file.text, scope, importedBy: from?.by });
    await this.#imports(path, scope, file.text, (from?.depth ?? 0) + 1);
  }

  /** The text goes to the model, so a project can bring in outside files only if it is trusted, and only Markdown. */
  #objection(real: string): string | undefined {
    const { fence, isTrusted } = this.#project;
    if (!isOutside(fence, real)) return undefined;
    if (!isTrusted) return "it is outside of the folder, and the folder is not trusted";
    if (MARKDOWN.test(real)) return undefined;
    return "it is outside of the project and not a Markdown file";
  }

  async #imports(by: string, scope: Instruction["scope"], text: string, depth: number): Promise<void> {
    const found = importsIn(text);
    if (depth > MAX_IMPORT_DEPTH) {
      if (found.length > 0)
        this.#report(
          by,
          `The imports of ${by} are not used: they are nested more than ${MAX_IMPORT_DEPTH} deep`,
        );
      return;
    }
    for (const written of found) {
      const path = written.startsWith("~/")
        ? join(this.#home, written.slice(2))
        : resolve(dirname(by), written);
      const isMeant = /^(?:~?\/|\.\.?\/)/.test(written) || extname(written) === ".md";
      await this.add(path, scope, { by, depth, isMeant });
    }
  }

  #leaveOut(path: string, why: string): void {
    this.#report(path, `${path} is not used: ${why}`);
  }

  #report(path: string, message: string): void {
    this.problems.push({ severity: "warning", path, key: "", message });
  }
}

/** `@path` at the start of a word, outside of code. */
function importsIn(text: string): string[] {
  const prose = text
    .replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm, "")
    .replaceAll(/(`+)[^`\n](?:[^\n]*?[^`\n])?\1(?!`)/g, "");
  return [...prose.matchAll(/(?:^|[\s(])@((?:[^\s\\),;:]|\\ )+)/g)]
    .map((match) => (match[1] as string).replaceAll("\\ ", " ").replace(/[.!?'"]+$/, ""))
    .filter((path) => path !== "");
}

function isOutside(root: string, path: string): boolean {
  return /^(?:\.\.(?:[/\\]|$)|[A-Za-z]:)/.test(relative(root, path));
}
