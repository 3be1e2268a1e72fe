/** The Grep tool: searches file contents with ripgrep. */

import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { type GrepOutput, grep } from "./grep-search.ts";
import { claimTree } from "./search-root.ts";
import type { MayShow } from "./shown-files.ts";
import { treeStamp } from "./tree-stamp.ts";

const LIMIT_MS = 60_000;
const DEFAULT_HEAD = 250;
const MOST_HEAD = 10_000;
const MOST_OFFSET = 100_000;

const lines = () => z.int().min(0).max(1_000).optional();

const inputSchema = z.object({
  pattern: z.string().describe("Regular expression in ripgrep syntax; escape literal braces and parentheses"),
  path: z.string().optional().describe("Directory or file to search (default: the working directory)"),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe('Search only files that match, such as "*.ts" or "src/**" (default: all)'),
  type: z
    .string()
    .min(1)
    .optional()
    .describe("Search only files of this ripgrep type: js, py, rust, … (default: all)"),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe(
      "content: matching lines; files_with_matches: file names (default); count: matching lines per file",
    ),
  "-A": lines().describe("Lines after each match (content; default 0)"),
  "-B": lines().describe("Lines before each match (content; default 0)"),
  "-C": lines().describe("Lines before and after each match (content; default 0)"),
  "-n": z.boolean().optional().describe("Show line numbers (content; default true)"),
  "-i": z.boolean().optional().describe("Ignore case (default false)"),
  multiline: z
    .boolean()
    .optional()
    .describe("Let a match span lines; `.` then matches line ends too (default false)"),
  head_limit: z
    .int()
    .min(0)
    .max(MOST_HEAD)
    .optional()
    .describe(`Lines of output to return (default ${DEFAULT_HEAD}; 0 means ${MOST_HEAD})`),
  offset: z
    .int()
    .min(0)
    .max(MOST_OFFSET)
    .optional()
    .describe("Lines of output to skip, to continue an earlier search (default 0)"),
});

export function grepTool(mayShow?: MayShow) {
  return defineTool({
    name: "Grep",
    description:
      "Searches file contents with ripgrep, sorted by path, hidden files included. Returns the names of matching files by default; set output_mode to content for lines or count for numbers. Files that .gitignore excludes are skipped; to search an excluded folder such as node_modules, pass it as path. If there is more output than head_limit, the result says so: continue with offset. For an open-ended search of many rounds, use Agent.",
    inputSchema,
    maxResultChars: 60_000,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: (input, { cwd }) => claimTree(input, cwd),
    cache: true,
    stamp: (input, { cwd }) => treeStamp(input, cwd, mayShow),
    describe: ({ pattern, path }) => `Grep ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    call: (input, context) =>
      grep(
        {
          root: input,
          pattern: input.pattern,
          glob: input.glob,
          type: input.type,
          mode: input.output_mode ?? "files_with_matches",
          before: input["-B"] ?? input["-C"] ?? 0,
          after: input["-A"] ?? input["-C"] ?? 0,
          hasNumbers: input["-n"] ?? true,
          ignoresCase: input["-i"] ?? false,
          isMultiline: input.multiline ?? false,
          limit: headOf(input.head_limit),
          offset: input.offset ?? 0,
          mayShow,
        },
        context,
      ),
    toResult,
  });
}

function headOf(limit: number | undefined): number {
  return limit === 0 ? MOST_HEAD : (limit ?? DEFAULT_HEAD);
}

function toResult({ lines: shown, total, offset, isExact, unit, notes }: GrepOutput): string {
  const next = offset + shown.count;
  const more = total - next;
  const said = [
    ...(total === 0 ? ["No matches."] : []),
    ...(total > 0 && offset >= total
      ? [`Only ${total} ${unit} match, so offset ${offset} is past the end.`]
      : []),
    ...(isExact && more > 0 ? [`${more} more of ${total} ${unit}. Continue with offset ${next}.`] : []),
    ...(isExact
      ? []
      : [`Many more ${unit} match. Continue with offset ${next}, or narrow the pattern or path.`]),
    ...notes,
  ];
  return [...shown.texts, ...said.map((note) => `[${note}]`)].join("\n");
}
