/** Splits a markdown file into its front matter and its text. */

import { dedented, readBlock } from "./yaml.ts";
import type { YamlValue } from "./yaml-value.ts";

/** A markdown file with optional front matter. */
export interface FrontMatter {
  /** Whether the file begins with front matter. */
  readonly isPresent: boolean;
  /** The members, by key. Of a repeated key, the last one. */
  readonly values: ReadonlyMap<string, YamlValue>;
  /** Keys that appear more than once. */
  readonly repeated: readonly string[];
  /** Lines of the front matter that could not be read. */
  readonly strayLines: readonly string[];
  /** The text after the front matter. */
  readonly body: string;
}

const NONE = { isPresent: false, values: new Map<string, YamlValue>(), repeated: [], strayLines: [] };

/**
 * Reads front matter as people write it: with a byte order mark, with Windows line ends, indented, and after blank lines,
 * comments or the start of a code block.
 */
export function frontMatter(text: string): FrontMatter {
  const plain = withoutWrapping(text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n"));
  const [, head, body = ""] =
    /^\s*---[ \t]*\n(?:([^]*?)\n)??(?:-{3,}|\.{3})[ \t]*(?:\n([^]*))?$/.exec(plain) ?? [];
  // A file can also begin with a horizontal rule.
  const isOpened = /^\s*---[ \t]*\n\s*[\w"'-]+[ \t]*:/.test(plain);
  if (head === undefined && !isOpened) return { ...NONE, body: plain };
  if (head === undefined) return { ...NONE, isPresent: true, strayLines: [UNCLOSED], body: plain };
  const { members, strayLines } = readBlock(dedented(head.split("\n")));
  if (members.length === 0) return { ...NONE, body: plain };
  const keys = members.map(([key]) => key);
  const repeated = [...new Set(keys.filter((key, at) => keys.indexOf(key) !== at))];
  return { isPresent: true, values: new Map(members), repeated, strayLines, body };
}

const COMMENTS = /^(?:\s|<!--(?:(?!-->)[^])*-->)*(?=---[ \t]*\n\s*[\w"'-]+[ \t]*:)/;
const FENCED = /^\s*```[ \t]*(?:ya?ml|markdown|md)?[ \t]*\n(---[ \t]*\n[^]*?\n---[ \t]*\n)```[ \t]*(?:\n|$)/;

/** Without what some authors put before the front matter. A restriction in it must not be lost. */
function withoutWrapping(text: string): string {
  return text.replace(COMMENTS, "").replace(FENCED, "$1");
}

const UNCLOSED = "--- (the front matter has no closing ---)";
