import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COVERED } from "./git-commands.ts";
import type { OptionTable } from "./options.ts";
import { READ_ONLY, RG } from "./read-only-table.ts";
import { GIT } from "./read-only-tools.ts";

/** An option that no program has: if it is rejected, the option before it did not take it as its value. */
const STRANGE = "--no-such-option";
const REFUSED =
  /(?:unrecogni[sz]ed (?:option|argument|flag)|unknown (?:option|switch)|invalid option|unexpected argument)[^\n]*no-such-option/i;
const NEEDS_VALUE = /requires an? (?:argument|value)|missing (?:value|argument)|requires a value/i;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "options-"));
  const git = (...words: string[]): void => {
    spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: folder });
  };
  git("init", "-q");
  writeFileSync(join(folder, "a"), "x\n");
  git("add", ".");
  git("commit", "-qm", "x");
  writeFileSync(join(folder, "a"), "y\n");
  git("stash", "-q");
  mkdirSync(join(folder, "home"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function complaint(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  const { stderr } = spawnSync(program, rest, {
    cwd: folder,
    input: "",
    timeout: 5_000,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C", HOME: join(folder, "home"), GIT_PAGER: "cat" },
  });
  return stderr ?? "";
}

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Whether the real program takes the word after this option as its value; undefined if it does not say. */
function takesNext(prefix: readonly string[], name: string, isExpected: boolean): boolean | undefined {
  const option = name.length === 1 ? `-${name}` : `--${name}`;
  const needsValue = (): boolean => NEEDS_VALUE.test(complaint([...prefix, option]));
  if (isExpected && needsValue()) return true;
  if (REFUSED.test(complaint([...prefix, option, STRANGE]))) return false;
  return !isExpected && needsValue() ? true : undefined;
}

/** Options as `git command -h` lists them: `-n, --lines <n>`, `--color[=<when>]`. */
function listedBy(prefix: readonly string[]): ReadonlyMap<string, boolean> {
  const { stdout } = spawnSync("git", [...prefix.slice(1), "-h"], { cwd: folder, encoding: "utf8" });
  const lines = [...stdout.matchAll(/^ {4}(-\S.*?)(?: {2,}.*)?$/gm)].map((match) => match[1] as string);
  return new Map(
    lines.flatMap((line) => {
      const takes = !/\[[=<]/.test(line) && /[ =](?:<|\[?\(|[a-z.]+$)/.test(line.replaceAll(/, --?/g, ",--"));
      const names = [...line.matchAll(/(?:^|, )--?([^\s,[<=]+)/g)].map((match) => match[1] as string);
      return names.map((name) => [name, takes] as const);
    }),
  );
}

interface Checked {
  readonly wrong: string[];
  known: number;
  unknown: number;
}

function compare(prefix: readonly string[], { kinds }: OptionTable, checked: Checked): void {
  const listed = prefix[0] === "git" ? listedBy(prefix) : new Map<string, boolean>();
  for (const [name, kind] of kinds) {
    const isValue = kind === "value";
    const real = listed.get(name) ?? takesNext(prefix, name, isValue);
    if (real === undefined) checked.unknown++;
    else checked.known++;
    if (real !== undefined && real !== isValue)
      checked.wrong.push(
        `${prefix.join(" ")} ${name}: ${kind}, but the program says ${real ? "value" : "none"}`,
      );
  }
}

function compareAll(tables: readonly (readonly [readonly string[], OptionTable])[]): Checked {
  const checked: Checked = { wrong: [], known: 0, unknown: 0 };
  for (const [prefix, table] of tables) if (isInstalled(prefix[0] as string)) compare(prefix, table, checked);
  return checked;
}

/** Shell builtins, and one program that would wait for its file to grow. */
const NOT_PROBED = new Set(["pwd", "true", "false", ":", "type", "which", "expr", "tail"]);

test("class 4: the options of the read-only programs take values exactly where the real programs do", () => {
  const programs = [...READ_ONLY].filter(([name]) => !NOT_PROBED.has(name));
  const { wrong, known, unknown } = compareAll([
    ...programs.map(([name, { options }]) => [[name], options] as const),
    [["rg"], RG.options],
  ]);
  expect(wrong).toEqual([]);
  expect(known).toBeGreaterThan(4 * unknown);
});

/** Commands that pass unknown options on. */
const PASSES_ON = new Set(["rev-parse", "version"]);

test("class 4: the options of the read-only git commands take values exactly where git does", () => {
  const shared = new Set<OptionTable>();
  const tables = GIT.flatMap(({ name, options }) => {
    if (PASSES_ON.has(name[0] as string) || shared.has(options)) return [];
    shared.add(options);
    return [[["git", ...name], options] as const];
  });
  const { wrong, known, unknown } = compareAll(tables);
  expect(wrong).toEqual([]);
  expect(known).toBeGreaterThan(4 * unknown);
});

test("class 4: the options that a wildcard rule for git covers take values exactly where git does", () => {
  const readOnly = new Set(GIT.map(({ name }) => name.join(" ")));
  const tables = [...COVERED].flatMap(([name, { options }]) => {
    if (options === undefined || (readOnly.has(name) && !/^(?:branch|tag)$/.test(name))) return [];
    // The opposites of flags are flags.
    const kinds = [...options.kinds].filter(([option, kind]) => !option.startsWith("no-") || kind !== "flag");
    return [[["git", ...name.split(" ")], { ...options, kinds: new Map(kinds) }] as const];
  });
  const { wrong, known, unknown } = compareAll(tables);
  expect(wrong).toEqual([]);
  expect(known).toBeGreaterThan(3 * unknown);
});
