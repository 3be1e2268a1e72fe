/** Glob: files by their names, sorted by path. */

import { type CallContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { globPattern } from "./glob-pattern.ts";
import { Refusal } from "../shared/refusal.ts";
import { ripgrep, withoutDot } from "./ripgrep.ts";
import { claimTree, withSearchRoot } from "./search-root.ts";
import { SortedHead } from "./sorted-head.ts";
import { type MayShow, ShownFiles } from "./shown-files.ts";
import { filesIn, leftOut, searchNotes } from "./verify-found.ts";

const SHOWN_FILES = 500;
const LIMIT_MS = 60_000;

const inputSchema = z.object({
  pattern: z
    .string()
    .min(1)
    .describe('Glob pattern such as "**/*.ts" or "src/*.{js,ts}"; without a slash it matches at any depth'),
  path: z.string().optional().describe("Directory to search (default: the working directory)"),
});

type Input = z.infer<typeof inputSchema>;

/** Output of the Glob tool. */
export interface GlobOutput {
  /** The first files that match, sorted by path. */
  readonly files: readonly string[];
  /** How many files match. */
  readonly total: number;
  /** What the model should know of the search: what was left out, for example. */
  readonly notes: readonly string[];
}

export function globTool(mayShow?: MayShow) {
  return defineTool({
    name: "Glob",
    description: `Lists files whose paths match a pattern, sorted by path, hidden files included, at most ${SHOWN_FILES}. Use it to find files by name; use Grep to search their contents. Files that .gitignore excludes are skipped: to search one, such as node_modules, pass it as path. Links are not followed.`,
    inputSchema,
    maxResultChars: 100_000,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: (input, { cwd }) => claimTree(input, cwd),
    describe: ({ pattern, path }) => `Glob ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    call: (input, context) => glob(input, context, mayShow),
    toResult,
  });
}

async function glob(input: Input, { cwd, signal }: CallContext, mayShow?: MayShow): Promise<GlobOutput> {
  const pattern = globPattern(input.pattern);
  return withSearchRoot(input, cwd, async (root) => {
    if (root.file !== undefined)
      throw new Refusal(`${input.path ?? ""} is a file: path must be a directory.`);
    const shown = new ShownFiles(mayShow, root.folder);
    const head = new SortedHead(SHOWN_FILES);
    const end = await ripgrep({
      args: ["--files", "--null", ...onlyNamed(pattern.lastName)],
      path: "./",
      cwd: root.cwd,
      separator: "\0",
      take: (records) => {
        const files = records.map(withoutDot);
        const matching = pattern.isOnlyName ? files : files.filter(pattern.matches);
        head.addFiles(mayShow === undefined ? matching : matching.filter((file) => shown.has(file)));
        return true;
      },
      signal,
    });
    const found = head
      .groups()
      .map(({ path }) => path)
      .slice(0, SHOWN_FILES);
    const files = await filesIn(root.folder, found);
    const gone = found.length - files.length;
    const said = await searchNotes(end, root.folder, shown);
    const notes = [...said, ...shown.notes(), ...leftOut(gone)];
    // What was counted elsewhere is not to be shown either.
    return { files: files.map(root.nameOf), total: gone === 0 ? head.total : files.length, notes };
  });
}

/** As a type of file: unlike a glob of ripgrep's, that does not bring back what is ignored. */
export function onlyNamed(lastName: string | undefined): string[] {
  return lastName === undefined || lastName === "*" ? [] : [`--type-add=wanted:${lastName}`, "--type=wanted"];
}

function toResult({ files, total, notes }: GlobOutput): string {
  const more = total - files.length;
  const said = [
    ...(total === 0
      ? [
          "No files match outside of what .gitignore excludes. To search an excluded folder such as node_modules, pass it as path.",
        ]
      : []),
    ...(more > 0 ? [`${more} more of ${total} files: narrow the pattern or the path.`] : []),
    ...notes,
  ];
  return [...files, ...said.map((note) => `[${note}]`)].join("\n");
}
