/** Compares how our reader and bash read the same words. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readShell } from "../../src/bash/walk.ts";

export const HOME = "/home/someone";

/** `doubtful`: the reader makes no claim about the words, so bash can read them in any way. */
export type Claim =
  | { readonly type: "doubtful"; readonly isDynamic: boolean }
  | { readonly type: "words"; readonly argv: readonly string[]; readonly patterns: readonly string[] };

export function claimOf(source: string, cwd: string): Claim {
  const { commands, doubts } = readShell(source, { cwd, home: HOME });
  const command = commands.findLast(({ words }) => words[0]?.value === "argv");
  const isDynamic = command?.words.some(({ type }) => type === "dynamic") === true;
  if (doubts.length > 0 || isDynamic || command === undefined) return { type: "doubtful", isDynamic };
  return {
    type: "words",
    argv: command.words.slice(1).map(({ value }) => value),
    patterns: command.words.filter(({ type }) => type === "glob").map(({ value }) => value),
  };
}

/** Prints the number of each source and, for each call, the number of words and the words. */
const HARNESS = `
set -f
exec 3>&1 >/dev/null 2>&1
argv() { printf '%s\\0' "$#" "$@" >&3; }
number=0
while IFS= read -r -d '' source; do
  printf 'source %s\\0' "$number" >&3
  number=$((number + 1))
  eval "$source"
done < "$1"
`;

/** Runs each source in a separate shell and reports which commands it looked up; all lookups fail. */
const SCRIPTS = `
exec 3>&1 >/dev/null 2>&1
command_not_found_handle() { printf '%s %s\\0' "$number" "$1" >&3; return 0; }
number=-1
while IFS= read -r -d '' source <&4; do
  number=$((number + 1))
  ( ulimit -t 1; eval "$source" ) </dev/null 4<&-
done 4< "$1"
wait
`;

export interface Bash {
  readonly cwd: string;
  /** Returns the words that bash passes to `argv` for each source; undefined if it did not run it. */
  run(sources: readonly string[]): (readonly string[] | undefined)[];
  /** Returns the names of the commands that each script runs. */
  commands(scripts: readonly string[]): ReadonlySet<string>[];
  remove(): void;
}

/** Runs all of them in one bash, in an empty folder, where it finds no program. */
export function makeBash(locale = "C.UTF-8"): Bash {
  const folder = mkdtempSync(join(tmpdir(), "words-"));
  const cwd = mkdtempSync(join(tmpdir(), "empty-"));
  const path = join(folder, "sources");
  const output = (harness: string, sources: readonly string[]): string => {
    writeFileSync(path, sources.map((source) => `${source}\0`).join(""));
    const { stdout } = spawnSync("/bin/bash", ["-c", harness, "bash", path], {
      cwd,
      env: { HOME, PATH: "/nowhere", LC_ALL: locale },
      maxBuffer: 1 << 30,
      input: "",
    });
    return stdout.toString("utf8");
  };
  return {
    cwd,
    run: (sources) => split(output(HARNESS, sources), sources.length),
    commands(scripts) {
      const names = scripts.map(() => new Set<string>());
      for (const field of output(SCRIPTS, scripts).split("\0")) {
        const [, number, name] = /^(\d+) (.*)$/s.exec(field) ?? [];
        if (name !== undefined) names[Number(number)]?.add(name);
      }
      return names;
    },
    remove() {
      rmSync(folder, { recursive: true });
      rmSync(cwd, { recursive: true });
    },
  };
}

function split(output: string, count: number): (readonly string[] | undefined)[] {
  const fields = output.split("\0");
  const results: (readonly string[] | undefined)[] = Array.from({ length: count });
  let number = -1;
  for (let at = 0; at < fields.length - 1; ) {
    const field = fields[at] as string;
    at++;
    if (field.startsWith("source ")) number = Number(field.slice("source ".length));
    else {
      results[number] = fields.slice(at, at + Number(field));
      at += Number(field);
    }
  }
  return results;
}
