/** Collects instruction files with their imports. A file, and a text, is used once. */

import { stat } from "node:fs/promises";
import { dirname, extname, join, relative, resolve } from "node:path";
import { matchesGlob } from "./globs.ts";
import { realPathOf } from "../settings/place.ts";
import { readText } from "../settings/read.ts";
import type { Problem } from "../settings/setting.ts";
import type { Instruction } from "./instructions.ts";

const MARKDOWN = /\.(?:md|mdc|markdown)$/i;
const MAX_IMPORT_DEPTH = 4;
const MAX_FILES = 100;
const MAX_FILE_BYTES = 256_000;
const MAX_ALL_CHARS = 1_000_000;

export interface Project {
  /** The folder that the project's files are in. */
  readonly fence: string;
  readonly isTrusted: boolean;
  /** Patterns of files that are left out. */
  readonly excludes: readonly string[];
}

interface Given {
  readonly from?: Import;
  /** Used instead of the content of the file, if its front matter was read already. */
  readonly text?: string;
}

interface Added {
  readonly path: string;
  readonly scope: Instruction["scope"];
  readonly text: string;
  readonly from: Import | undefined;
}

interface Import {
  readonly by: string;
  readonly depth: number;
  /** Whether it clearly names a file, so that a missing one is reported. */
  readonly isMeant: boolean;
}

export class Collector {
  readonly files: Instruction[] = [];
  readonly problems: Problem[] = [];
  readonly #home: string;
  readonly #project: Project;
  readonly #seen = new Set<string>();
  readonly #texts = new Set<string>();
  #chars = 0;

  constructor(home: string, project: Project) {
    this.#home = home;
    this.#project = project;
  }

  /** Leaves out a file that the model has already, and every file with the same text. */
  async skip(path: string, text = ""): Promise<void> {
    this.#seen.add(await realPathOf(path));
    this.#texts.add(plain(text));
  }

  async add(path: string, scope: Instruction["scope"], { from, text }: Given = {}): Promise<void> {
    const real = await realPathOf(path);
    if (this.#seen.has(real) || this.#isExcluded(path, real)) return;
    const objection = scope === "user" ? undefined : this.#objection(real);
    const file = objection === undefined ? await readText(real, MAX_FILE_BYTES) : undefined;
    if (file?.type === "missing") {
      if (from?.isMeant === true) this.#leaveOut(path, `the file does not exist (imported by ${from.by})`);
      return;
    }
    this.#seen.add(real);
    if (file === undefined) return this.#leaveOut(path, objection ?? "");
    if (file.type === "unreadable" && from?.isMeant === false) return;
    if (file.type === "unreadable") return this.#leaveOut(path, file.why);
    await this.#addText({ path, scope, text: text ?? file.text, from });
  }

  /** Comments are for people, so the model does not get them. */
  async #addText({ path, scope, text: written, from }: Added): Promise<void> {
    const text = withoutComments(written);
    if (this.#texts.has(plain(text))) return;
    if (this.files.length >= MAX_FILES || this.#chars + text.length > MAX_ALL_CHARS)
      return this.#leaveOut(
        path,
        `the limit of ${MAX_FILES} files or ${MAX_ALL_CHARS} characters is reached`,
      );
    this.#chars += text.length;
    if (plain(text) !== "") this.#texts.add(plain(text));
    this.files.push({ path, text, scope, importedBy: from?.by });
    await this.#imports({ path, scope, text }, (from?.depth ?? 0) + 1);
  }

  #isExcluded(path: string, real: string): boolean {
    return this.#project.excludes.some((pattern) => matchesGlob(pattern, path) || matchesGlob(pattern, real));
  }

  /** The text goes to the model, so a project can bring in outside files only if it is trusted, and only Markdown. */
  #objection(real: string): string | undefined {
    const { fence, isTrusted } = this.#project;
    if (!isOutside(fence, real)) return undefined;
    if (!isTrusted) return "it is outside of the folder, and the folder is not trusted";
    if (MARKDOWN.test(real)) return undefined;
    return "it is outside of the project and not a Markdown file";
  }

  async #imports({ path: by, scope, text }: Omit<Added, "from">, depth: number): Promise<void> {
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
      await this.add(path, scope, { from: { by, depth, isMeant } });
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

/** HTML comments outside of code. The line of a comment goes with it only if nothing else is on it. */
function withoutComments(text: string): string {
  const parts = text.split(/^([ \t]*(?:`{3,}|~{3,})[^]*?^[ \t]*(?:`{3,}|~{3,})[ \t]*$)/m);
  return parts
    .map((part, at) =>
      at % 2 === 1 ? part : part.replaceAll(COMMENT, (found, ticks) => (ticks === undefined ? "" : found)),
    )
    .join("");
}

/** A code span, which stays; a comment that is alone on its lines; any other comment. */
const COMMENT = /(`+)(?!`)[^\n]*?[^`\n]\1(?!`)|^[ \t]*<!--(?:(?!-->)[^])*-->[ \t]*\n|<!--[^]*?-->/gm;

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Whether a file above the project belongs to the user, so that nobody else wrote it. */
export async function isOwnFile(path: string): Promise<boolean> {
  const [file, folder] = await Promise.all(
    [path, dirname(path)].map((one) => stat(one).catch(() => undefined)),
  );
  const user = process.getuid?.();
  if (file === undefined || folder === undefined) return false;
  const isOurs = user === undefined || file.uid === user || file.uid === 0;
  return isOurs && (file.mode & 0o002) === 0 && (folder.mode & 0o002) === 0;
}

export function isOutside(root: string, path: string): boolean {
  return /^(?:\.\.(?:[/\\]|$)|[A-Za-z]:)/.test(relative(root, path));
}
