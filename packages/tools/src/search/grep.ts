/** Grep: ripgrep's search, with sorted output of a stated size. */

import { defineTool } from "@runahead/engine";
import { z } from "zod";
import { type GrepOutput, grep } from "./grep-search.ts";
import { claimTree } from "./search-root.ts";
import type { MayShow } from "./shown-files.ts";

const LIMIT_MS = 60_000;
const DEFAULT_HEAD = 250;
const MOST_HEAD = 10_000;
const MOST_OFFSET = 100_000;

const lines = () => z.int().min(0).max(1_000).optional();

const inputSchema = z.object({
  pattern: z.string().describe("A regular expression, as ripgrep takes it."),
  path: z
    .string()
    .optional()
    .describe("The directory or file to search; the working directory where absent."),
  glob: z.string().min(1).optional().describe('Only files whose names match, as "*.ts" or "src/**".'),
  type: z.string().min(1).optional().describe("Only files of a type that ripgrep knows: js, py, rust, …"),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("Lines, names of files, or matching lines per file; `files_with_matches` where absent."),
  "-A": lines().describe("Lines to show after each match (content)."),
  "-B": lines().describe("Lines to show before each match (content)."),
  "-C": lines().describe("Lines to show around each match (content)."),
  "-n": z.boolean().optional().describe("Show line numbers (content); true where absent."),
  "-i": z.boolean().optional().describe("Ignore case."),
  multiline: z.boolean().optional().describe("A match may span lines, and `.` matches their ends."),
  head_limit: z
    .int()
    .min(0)
    .max(MOST_HEAD)
    .optional()
    .describe(`How many lines of output; ${DEFAULT_HEAD} where absent, ${MOST_HEAD} for 0.`),
  offset: z.int().min(0).max(MOST_OFFSET).optional().describe("How many lines of output to pass over."),
});

export function grepTool(mayShow?: MayShow) {
  return defineTool({
    name: "Grep",
    description:
      "Searches the contents of files with ripgrep, sorted by path, hidden files too. What .gitignore leaves out is " +
      "left out. Says how much more there is: go on with offset.",
    inputSchema,
    maxResultChars: 60_000,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => LIMIT_MS,
    access: (input, { cwd }) => claimTree(input, cwd),
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
      ? [`There are only ${total} ${unit}: nothing from offset ${offset} on.`]
      : []),
    ...(isExact && more > 0 ? [`${more} more of ${total} ${unit}: go on with offset ${next}.`] : []),
    ...(isExact
      ? []
      : [`There is much more: go on with offset ${next}, or make the pattern or the path narrower.`]),
    ...notes,
  ];
  return [...shown.texts, ...said.map((note) => `[${note}]`)].join("\n");
}
