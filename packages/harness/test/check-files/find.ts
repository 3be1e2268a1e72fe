/** Finds the files of other agents below a folder: in repositories, or as `KIND/OWNER+REPO/PATH` with `%2F` in the path. */

import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** A file, and the path that it has in its repository. */
export interface FoundFile {
  readonly kind: Kind;
  /** Where it is now. */
  readonly file: string;
  /** The folder of its repository. */
  readonly repository: string;
  /** Its path in the repository. */
  readonly path: string;
}

type Kind =
  | "settings"
  | "agents"
  | "commands"
  | "skills"
  | "plugins"
  | "memory"
  | "rules"
  | "output-styles"
  | "mcp";

const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ["settings", /(?:^|\/)\.(?:claude|runahead)\/settings(?:\.local)?\.json$/],
  ["skills", /(?:^|\/)skills\/(?:.*\/)?SKILL\.md$/i],
  ["agents", /(?:^|\/)\.(?:claude|runahead)\/agents\/.*\.md$/],
  ["commands", /(?:^|\/)\.(?:claude|runahead)\/commands\/.*\.md$/],
  ["output-styles", /(?:^|\/)\.(?:claude|runahead)\/output-styles\/.*\.md$/],
  ["rules", /(?:^|\/)\.claude\/rules\/.*\.md$/],
  ["plugins", /(?:^|\/)\.claude-plugin\/(?:plugin|marketplace)\.json$|(?:^|\/)hooks\/hooks\.json$/],
  ["memory", /(?:^|\/)(?:CLAUDE|AGENTS|CLAUDE\.local)\.md$/],
  ["mcp", /(?:^|\/)\.mcp\.json$/],
];
const SKIPPED = new Set(["node_modules", ".git"]);

export async function findFiles(folder: string): Promise<FoundFile[]> {
  const files = await filesBelow(folder);
  return files.flatMap((file) => {
    const parts = relative(folder, file).split("/");
    const flat = parts.findIndex((part) => /^[\w.-]+\+[\w.-]+$/.test(part));
    const repository = flat < 0 ? folder : join(folder, ...parts.slice(0, flat + 1));
    const path = decodeURI(relative(repository, file)).replaceAll(/%2F/gi, "/");
    const named = flat > 0 ? KINDS.find(([kind]) => kind === parts[flat - 1]) : undefined;
    const kind = named?.[0] ?? KINDS.find(([, pattern]) => pattern.test(path))?.[0];
    return kind === undefined ? [] : [{ kind, file, repository, path }];
  });
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = entries.map(async (entry): Promise<string[]> => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(below)).flat();
}
