/** Rules: markdown files in `.claude/rules`, for the whole project or for the files that `paths` names. */

import { isAbsolute, relative } from "node:path";
import { Fields, type FieldTable } from "../definitions/fields.ts";
import { markdownBelow } from "../settings/agents.ts";
import { readText } from "../settings/read.ts";
import type { Problem } from "../settings/setting.ts";
import { matchesGlob } from "./globs.ts";

/** A rule that applies once a file that it is about is used. */
export interface ConditionalRule {
  /** Absolute path of its file. */
  readonly path: string;
  /** The patterns of `paths`. */
  readonly patterns: readonly string[];
  /** The text without the front matter. */
  readonly text: string;
  /** Returns whether it is about a file; an absolute path. */
  readonly covers: (file: string) => boolean;
}

/** The rules of a folder. */
export interface RuleFiles {
  readonly always: readonly { readonly path: string; readonly text: string }[];
  readonly conditional: readonly ConditionalRule[];
  readonly problems: readonly Problem[];
}

const TABLE: FieldTable = {
  used: ["paths", "alwaysApply"],
  inert: {},
  descriptive: ["name", "description", "domain", "priority", "scope"],
  aliases: { globs: "paths", path: "paths", glob: "paths", applyTo: "paths" },
  structured: ["paths"],
  restrictions: [],
};
const MAX_BYTES = 256_000;
const MAX_RULES = 300;

/** Reads the rules below a folder. The patterns are relative to `base`. */
export async function rulesIn(folder: string, base: string): Promise<RuleFiles> {
  const paths = await markdownBelow(folder);
  const read = await Promise.all(paths.slice(0, MAX_RULES).map((path) => readRule(path, base)));
  return {
    always: read.flatMap(({ always }) => always),
    conditional: read.flatMap(({ conditional }) => conditional),
    problems: read.flatMap(({ problems }) => problems),
  };
}

async function readRule(path: string, base: string): Promise<RuleFiles> {
  const file = await readText(path, MAX_BYTES);
  if (file.type !== "text") {
    const why = file.type === "missing" ? "the file does not exist" : file.why;
    const problem = { severity: "warning", path, key: "", message: `${path} is not used: ${why}` } as const;
    return { always: [], conditional: [], problems: [problem] };
  }
  const fields = new Fields(file.text, path, TABLE);
  const patterns = fields.flag("alwaysApply") === true ? [] : patternsOf(fields);
  const text = fields.body;
  const covers = (one: string): boolean => {
    const way = relative(base, one);
    return patterns.some((pattern) => matchesGlob(pattern, isAbsolute(pattern) ? one : way));
  };
  return patterns.length === 0
    ? { always: [{ path, text }], conditional: [], problems: fields.problems }
    : { always: [], conditional: [{ path, patterns, text, covers }], problems: fields.problems };
}

/** A list, or patterns separated by commas outside of braces. */
function patternsOf(fields: Fields): string[] {
  const value = fields.raw("paths") ?? null;
  if (Array.isArray(value)) return fields.list("paths") ?? [];
  const text = fields.text("paths") ?? "";
  return (text.match(/(?:\{[^}]*\}|[^,{])+/g) ?? []).map((part) => part.trim()).filter((part) => part !== "");
}
