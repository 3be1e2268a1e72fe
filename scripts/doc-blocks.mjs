/** Reads the fenced code blocks of the docs: the page and line of each, its kind, and the set-up it needs. */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Lists README.md, the READMEs of the packages, and all pages below docs/. */
export function docFiles() {
  const args = [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "README.md",
    "docs",
    "packages/*/README.md",
  ];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
  return [...new Set(listed)].filter((file) => file.endsWith(".md")).sort();
}

/**
 * The kind of a block is the text after its three backticks:
 *
 *   ts            a whole program: compiled and run
 *   ts no-run     a whole program that needs a key, a network or a user: compiled
 *   ts fragment   part of a program: compiled together with the `<!-- setup … -->` comment before it
 *   ts peer       a program for another library: compiled if `bench/peers` is installed, else parsed
 *   json          parsed
 *   sh            parsed; options of `runahead` and scripts of `npm run` must exist
 *   text output   the output of the program before it
 *   the others    only shown
 *
 * A block whose first line is `// examples/NAME.ts` must be in that file, which is run unless the block says `no-run`.
 */
const CHECKED = ["ts", "ts no-run", "ts fragment", "ts peer", "json", "sh", "text output"];
const KINDS = new Set([...CHECKED, "text", "", "lua", "toml", "yaml", "diff"]);

/** Throws if a block is not closed or has an unknown kind. */
export function blocksOf(file) {
  const lines = readFileSync(resolve(ROOT, file), "utf8").split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; at++) {
    const opened = /^(\s*)(`{3,})(.*)$/.exec(lines[at]);
    if (opened === null) continue;
    const [, indent, fence, words] = opened;
    const end = lines.findIndex((line, index) => index > at && line === indent + fence);
    if (end < 0) throw new Error(`${file}:${at + 1}: the block is not closed`);
    const kind = words.trim();
    if (!KINDS.has(kind)) throw new Error(`${file}:${at + 1}: unknown kind of block "${kind}"`);
    const code = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({
      file,
      line: at + 1,
      kind,
      code: code.join("\n"),
      ...originOf(code),
      setup: setupBefore(lines, at),
    });
    at = end;
  }
  return blocks;
}

/** The example that a block is a part of, if its first line names one. */
function originOf([first = ""]) {
  const named = /^\/\/ (examples\/[\w-]+\.ts)$/.exec(first);
  return named === null ? {} : { origin: named[1] };
}

/** The set-up of a fragment, from a comment that readers do not see; undefined without one. */
function setupBefore(lines, at) {
  let end = at - 1;
  while (end >= 0 && lines[end].trim() === "") end--;
  if (lines[end] !== "-->") return undefined;
  const begin = lines.lastIndexOf("<!-- setup", end);
  return begin < 0 ? undefined : { line: begin + 1, code: lines.slice(begin + 1, end).join("\n") };
}

/** The block as a file with the line numbers of the page, so that a compiler error points to the page. */
export function sourceOf({ line, code, setup }) {
  if (setup === undefined) return `${"\n".repeat(line)}${code}\n`;
  const between = line + 1 - setup.line - setup.code.split("\n").length;
  return `${"\n".repeat(setup.line)}${setup.code}${"\n".repeat(between)}${code}\n`;
}
