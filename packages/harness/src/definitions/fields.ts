/** Reads the fields of a definition file by a table of what each of them does here. Nothing is dropped in silence. */

import { didYouMean, soundsRestricting } from "@runahead/base";
import { KNOWN_TOOL_NAMES, isKnownTool, withKnownCase } from "@runahead/permissions/internal";
import type { Problem } from "../settings/setting.ts";
import { type FrontMatter, frontMatter } from "./front-matter.ts";
import {
  FOREIGN_TOOLS,
  type ToolWords,
  joined,
  namesAllTools,
  switchedTools,
  toolWords,
} from "./tool-list.ts";
import type { YamlValue } from "./yaml-value.ts";

/** What the fields of one kind of file do. */
export interface FieldTable {
  /** Fields that take effect. */
  readonly used: readonly string[];
  /** Fields without effect here, with the reason. */
  readonly inert: Readonly<Record<string, string>>;
  /** Fields that only describe the file, so that nothing is lost. */
  readonly descriptive: readonly string[];
  /** Other names of fields. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Fields whose value is a list or an object. */
  readonly structured: readonly string[];
  /** Fields that restrict: if one of them cannot be read, the file is not used. */
  readonly restrictions: readonly string[];
}

/** Fields that only describe a file, in every kind of file. */
export const DESCRIPTIVE: readonly string[] = [
  "author",
  "category",
  "compatibility",
  "license",
  "metadata",
  "tags",
  "title",
  "version",
];

/** Other names of the list of tools that a file takes away. */
export const DENIALS: readonly string[] = [
  "deniedTools",
  "denyTools",
  "deny",
  "disallow",
  "disabledTools",
  "blockedTools",
  "forbiddenTools",
  "excludeTools",
  "excludedTools",
];

/** The fields of one file. */
export class Fields {
  readonly path: string;
  readonly body: string;
  readonly hasFrontMatter: boolean;
  readonly problems: Problem[] = [];
  readonly #values = new Map<string, YamlValue>();
  readonly #table: FieldTable;

  /** `given` counts before the fields of the text. */
  constructor(
    text: string,
    path: string,
    table: FieldTable,
    given: Readonly<Record<string, YamlValue>> = {},
  ) {
    const matter = frontMatter(text);
    this.path = path;
    this.body = matter.body;
    this.hasFrontMatter = matter.isPresent;
    this.#table = table;
    for (const [key, value] of matter.values) this.#take(key, value);
    for (const [key, value] of Object.entries(given)) this.#values.set(key, value);
    this.#reportLines(matter);
  }

  /** Why the file cannot be used: one of its restrictions cannot be read. */
  get objection(): string | undefined {
    return this.#objection;
  }

  #objection: string | undefined;

  has(key: string): boolean {
    return (this.#values.get(key) ?? null) !== null;
  }

  /** The value as it is in the file. */
  raw(key: string): YamlValue | undefined {
    return this.#values.get(key);
  }

  /** The text of a field; a list as one line. */
  text(key: string): string | undefined {
    const value = this.#values.get(key) ?? null;
    if (value === null) return undefined;
    const text = textOf(value).trim();
    return text === "" ? undefined : text;
  }

  /** A list of names: comma-separated text or a YAML list. */
  list(key: string): string[] | undefined {
    const value = this.#values.get(key) ?? null;
    if (value === null) return undefined;
    const parts = Array.isArray(value) ? value.map(textOf) : textOf(value).split(",");
    return parts.map((part) => part.trim()).filter((part) => part !== "");
  }

  /** A list of tools: separated by commas or spaces, with brackets as in `Bash(git add:*, x)`. */
  tools(key: string): ToolWords | undefined {
    const value = this.#values.get(key) ?? null;
    if (value === null) return undefined;
    const items = Array.isArray(value) ? value : [value];
    return joined(items.map((item) => toolWords(textOf(item as YamlValue))));
  }

  /**
   * Tools that a file takes away. One that cannot be read, or that is a misspelled tool, makes the file unusable.
   * In an object, those that are `true` are meant.
   */
  takenTools(key: string): string[] {
    const switched = switchedTools(this.#values.get(key));
    const { names, excluded, prose } = this.tools(key) ?? { names: [], excluded: [], prose: [] };
    const all = switched?.on ?? [...names, ...excluded];
    if (switched === undefined) for (const part of prose) this.refuse(key, `cannot be read: ${part}`);
    for (const entry of all) {
      const name = withKnownCase(entry.replace(/[\s(].*$/s, ""));
      if (isKnownTool(name) || namesAllTools([name]) || FOREIGN_TOOLS.includes(name)) continue;
      const hint = didYouMean(name, [...KNOWN_TOOL_NAMES, ...FOREIGN_TOOLS]);
      if (hint !== "") this.refuse(key, `names ${name}, which is not a tool.${hint}`);
    }
    return all.map((entry) => (namesAllTools([entry]) ? "*" : entry.replace(/^[^()\s]*/, withKnownCase)));
  }

  /** Reports a restriction that cannot be read: the file is not used. */
  refuse(key: string, words: string): void {
    this.report("warning", key, words);
    this.#objection ??= `\`${key}\` ${words}`;
  }

  flag(key: string): boolean | undefined {
    const value = this.#values.get(key) ?? null;
    if (value === null) return undefined;
    const text = textOf(value).trim().toLowerCase();
    if (["true", "yes", "on", "1"].includes(text)) return true;
    if (["false", "no", "off", "0"].includes(text)) return false;
    return this.#wrong(key, "true or false", value);
  }

  wholeNumber(key: string): number | undefined {
    const value = this.#values.get(key) ?? null;
    if (value === null) return undefined;
    const number = Number(textOf(value));
    if (Number.isInteger(number) && number > 0) return number;
    return this.#wrong(key, "a whole number above 0", value);
  }

  choice<Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
    return found ?? this.#wrong(key, words.join(", "), text);
  }

  /** `error`: the file is not used. `warning`: something that it asks for does not happen. `note`: nothing is lost. */
  report(severity: Problem["severity"], key: string, words: string): void {
    const at = key === "" ? "" : ` \`${key}\``;
    this.problems.push({ severity, path: this.path, key, message: `${this.path}:${at} ${words}` });
  }

  #take(written: string, value: YamlValue): void {
    const key = this.#keyOf(written);
    const { used, inert, descriptive } = this.#table;
    if (used.includes(key)) {
      if (key !== written) this.report("note", written, `is read as \`${key}\``);
      this.#values.set(key, value);
    } else if (inert[key] !== undefined) this.report("warning", key, `has no effect here: ${inert[key]}`);
    else if (!descriptive.includes(key) && !DESCRIPTIVE.includes(key)) this.#unknown(written, value);
  }

  /** Names that differ only in case and separators are the same: `disallowed-tools`, `disallowedTools`. */
  #keyOf(written: string): string {
    const { used, inert, aliases } = this.#table;
    if (used.includes(written)) return written;
    const plain = plainName(written);
    const alias = Object.entries(aliases).find(([name]) => plainName(name) === plain)?.[1];
    const same = [...used, ...Object.keys(inert)].find((name) => plainName(name) === plain);
    return alias ?? same ?? written;
  }

  /** A list is not a misspelled text: `agents` is not `agent`. */
  #unknown(key: string, value: YamlValue): void {
    const { used, structured } = this.#table;
    const isStructured = typeof value === "object" && value !== null;
    const hint = didYouMean(key, isStructured ? structured : used);
    if (hint === "" && soundsRestricting(key))
      return this.report("warning", key, "is not a known field and restricts nothing; use disallowedTools");
    if (hint === "") return this.report("note", key, "is not a known field and has no effect");
    this.report("warning", key, `is not a known field and has no effect.${hint}`);
    const meant = /"(.*)"/.exec(hint)?.[1] ?? "";
    if (this.#table.restrictions.includes(meant))
      this.#objection ??= `it has the unknown field \`${key}\`.${hint} A restriction must be spelled correctly`;
  }

  #reportLines({ repeated, strayLines }: FrontMatter): void {
    const isRestriction = (key: string): boolean => this.#table.restrictions.includes(this.#keyOf(key));
    for (const key of repeated) {
      this.report("warning", key, "appears more than once; the last one is used");
      if (isRestriction(key)) this.#objection ??= `\`${key}\` appears more than once`;
    }
    for (const line of strayLines) this.#objection ??= this.#doubtfulLine(line);
    const [first, ...others] = strayLines;
    if (first === undefined) return;
    const what =
      others.length === 0
        ? "this line of the front matter is not understood"
        : `${strayLines.length} lines of the front matter are not understood, first`;
    this.report("warning", "", `${what}: ${first.slice(0, 80)}`);
  }

  #doubtfulLine(line: string): string | undefined {
    const hidden = this.#table.restrictions.find((key) => plainName(line).startsWith(plainName(key)));
    return hidden === undefined && !line.startsWith("---")
      ? undefined
      : `its front matter cannot be read: ${line.slice(0, 80)}`;
  }

  #wrong(key: string, expected: string, value: YamlValue): undefined {
    this.report("warning", key, `must be ${expected}, found ${JSON.stringify(value).slice(0, 60)}`);
    if (this.#table.restrictions.includes(key))
      this.#objection ??= `\`${key}\` must be ${expected}, found ${JSON.stringify(value).slice(0, 60)}`;
    return undefined;
  }
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, "");
}

/** A value as the text that it was written as, on one line. */
function textOf(value: YamlValue): string {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map((part) => textOf(part as YamlValue)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([key, member]) => `${key}: ${textOf(member)}`)
    .join(", ");
}
