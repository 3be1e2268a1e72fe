/** The Glob tool: lists files by path pattern. */

import { type CallContext, defineTool } from "@runahead/engine";
import { z } from "zod";
import { excludedNotes } from "./excluded.ts";
import { globPattern } from "./glob-pattern.ts";
import { Refusal } from "../shared/refusal.ts";
import { ripgrep, withoutDot } from "./ripgrep.ts";
import { claimTree, withSearchRoot } from "./search-root.ts";
import { SortedHead } from "./sorted-head.ts";
import { type MayShow, ShownFiles } from "./shown-files.ts";
import { treeStamp } from "./tree-stamp.ts";
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
  /** Notes for the model, for example what was left out. */
  readonly notes: readonly string[];
}

export function globTool(mayShow?: MayShow) {
  return defineTool({
    name: "Glob",
    description: `Lists files whose paths match a pattern, sorted by path, hidden files included, at most ${SHOWN_FILES}. Use it to find files by name; use Grep to search their contents. Files that .gitignore excludes are skipped; to search an excluded folder such as node_modules, pass it as path. Links are not followed.`,
    inputSchema,
    maxResultChars: 100_000,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: (input, { cwd }) => claimTree(input, cwd),
    cache: true,
    stamp: (input, { cwd }) => treeStamp(input, cwd, mayShow),
    describe: ({ pattern, path }) => `Glob ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    call: (input, context) => glob(input, context, mayShow),
    toResult,
  });
}

async function glob(input: Input, { cwd, signal }: CallContext, mayShow?: MayShow): Promise<GlobOutput> {
  const pattern = globPattern(input.pattern);
  return withSearchRoot(input, cwd, async (root) => {
    if (root.file !== undefined)
      throw new Refusal(`path must be a directory, and ${input.path ?? ""} is a file. Use Read to read it.`);
    const shown = new ShownFiles(mayShow, root.folder);
    const head = new SortedHead(SHOWN_FILES);
    const args = ["--files", "--null", ...onlyNamed(pattern.lastName)];
    const { matches } = pattern;
    const end = await ripgrep({
      args,
      path: "./",
      cwd: root.cwd,
      separator: "\0",
      // There can be very many, and few of them are shown: only those lose the dot.
      take: (records) => {
        const matching = pattern.isOnlyName ? records : records.filter((path) => matches(withoutDot(path)));
        const allowed =
          mayShow === undefined ? matching : matching.filter((path) => shown.has(withoutDot(path)));
        head.addFiles(allowed);
        return true;
      },
      signal,
    });
    const found = head
      .groups()
      .slice(0, SHOWN_FILES)
      .map(({ path }) => withoutDot(path));
    const files = await filesIn(root.folder, found);
    const gone = found.length - files.length;
    const said = await searchNotes(end, root.folder, shown);
    // A count would include files outside the searched folder.
    const total = gone === 0 ? head.total : files.length;
    const excluded = total === 0 ? await excludedNotes({ root, mayShow, args, matches }, signal) : [];
    const notes = [...excluded, ...said, ...shown.notes(), ...leftOut(gone)];
    return { files: files.map(root.nameOf), total, notes };
  });
}

/** Uses a file type because a glob of ripgrep would include ignored files again. */
export function onlyNamed(lastName: string | undefined): string[] {
  return lastName === undefined || lastName === "*" ? [] : [`--type-add=wanted:${lastName}`, "--type=wanted"];
}

function toResult({ files, total, notes }: GlobOutput): string {
  const more = total - files.length;
  const said = [
    ...(total === 0 ? ["No files match."] : []),
    ...(more > 0 ? [`${more} more of ${total} files. Narrow the pattern or path to see them.`] : []),
    ...notes,
  ];
  return [...files, ...said.map((note) => `[${note}]`)].join("\n");
}
