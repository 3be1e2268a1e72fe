/** Real bash must change nothing outside of what `commandAccess` returns, for random commands of the kinds it knows. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { resolveFilePlace } from "../../../engine/src/runtime/file-place.ts";
import { commandAccess } from "../../src/verdict/command-access.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "command-access-")));

/** Call after the tests. */
export function removeWorld(): void {
  rmSync(base, { recursive: true, force: true });
}

const cwd = join(base, "world/work");

/** Files, folders, links inside and outside of the working directory, dangling links and hard links. */
function makeWorld(): void {
  rmSync(join(base, "world"), { recursive: true, force: true });
  for (const folder of ["work/dir/sub", "work/full", "outside/deep"])
    mkdirSync(join(base, "world", folder), { recursive: true });
  for (const file of ["a", "b", "dir/a", "dir/sub/b", "full/a", "../outside/a", "../outside/deep/a"])
    writeFileSync(join(cwd, file), `${file}\nsecond\n`);
  const links = {
    link: "a",
    out: "../outside/a",
    outdir: "../outside",
    to: "dir",
    "dir/l": "../../outside/a",
    gone: "no",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name));
  symlinkSync("../../outside/deep", join(cwd, "full/deep"));
  linkSync(join(base, "world/outside/a"), join(cwd, "hard"));
}

/** Everything about each file except the times of folders. */
function snapshot(folder: string, at = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, at))) {
    const path = join(at, name);
    const stats = lstatSync(join(folder, path), { bigint: true });
    if (stats.isSymbolicLink()) found.set(path, `link ${readlinkSync(join(folder, path))}`);
    else if (stats.isDirectory()) {
      found.set(path, `folder ${stats.mode}`);
      for (const [below, what] of snapshot(folder, path)) found.set(below, what);
    } else {
      const hash = createHash("sha1")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      found.set(path, `file ${stats.mode} ${stats.mtimeNs} ${stats.ino} ${hash}`);
    }
  }
  return found;
}

function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
}

const path = fc.constantFrom(
  ..."a b x y dir dir/a dir/x dir/sub dir/. full full/a full/deep link out outdir outdir/x to to/x gone hard new/x ../a".split(
    " ",
  ),
  ..."./a dir/ a/ ../outside/a dir/l full/deep/a - . '' 'x y'".split(" "),
);
const paths = fc.array(path, { minLength: 1, maxLength: 3 }).map((some) => some.join(" "));
const option = (...options: readonly string[]) => fc.constantFrom("", ...options);
const line = (name: string, options: fc.Arbitrary<string>, operands: fc.Arbitrary<string> = paths) =>
  fc.tuple(options, operands).map(([first, rest]) => `${name} ${first} ${rest}`);

const simple = fc.oneof(
  line("mkdir", option("-p", "-pv", "-m 700")),
  line("touch", option("-c", "-d yesterday", "-t 202001010000")),
  line("rm", option("-f", "-rf", "-r", "-d")),
  line("rmdir", option("-v")),
  { weight: 3, arbitrary: line("cp", option("-r", "-a", "-f", "-rf", "-n", "-T", "-p", "-rT", "-u")) },
  { weight: 2, arbitrary: line("mv", option("-f", "-n", "-T", "-u")) },
  { weight: 2, arbitrary: line("ln", option("-s", "-sf", "-sT", "-sfn")) },
  line("truncate", fc.constant("-s 1")),
  line("chmod", fc.constantFrom("600", "u+x")),
  line("sed", fc.constantFrom("-i s/second/x/", "-i.bak s/a/b/", "-n 1p")),
  line("echo hi | tee", option("-a")),
  fc
    .tuple(
      fc.constantFrom("echo hi", "cat a", "sort a b", "true", "date", "pwd"),
      fc.constantFrom(">", ">>", "2>", "&>", ">|"),
      path,
    )
    .map(([command, operator, target]) => `${command} ${operator} ${target}`),
  fc.tuple(paths, path).map(([from, to]) => `cat ${from} > ${to}`),
  fc.constantFrom("sleep 0", "echo hello", "date +%s", "uptime", ":", "pwd", "wc -l a b", "grep -c a a b"),
);
const joint = fc.constantFrom(" && ", " ; ", " || ", " | ", "\n");
const command = fc
  .tuple(simple, fc.array(fc.tuple(joint, simple), { maxLength: 2 }))
  .map(([first, rest]) => [first, ...rest.map(([between, next]) => between + next)].join(""));

/** Only the throw-away folder is writable. */
function run(text: string): void {
  const box = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--bind",
    base,
    base,
    "--chdir",
    cwd,
    "--die-with-parent",
  ];
  try {
    execFileSync("bwrap", [...box, "bash", "-c", text], { stdio: "ignore", timeout: 10_000 });
  } catch {
    // A failing command can have changed something too.
  }
}

const isBelow = (one: string, folder: string): boolean => one === folder || one.startsWith(`${folder}/`);

/** What was tried. */
export interface Tried {
  /** Commands whose places are known. */
  readonly known: number;
  /** Files that they changed. */
  readonly changed: number;
}

/** Runs random commands. Throws with the command if one changes something outside of its claims. */
export function tryCommands(runs: number, seed?: number): Tried {
  let known = 0;
  let changed = 0;
  let isFresh = false;
  const check = (text: string): void => {
    if (!isFresh) makeWorld();
    isFresh = true;
    const access = commandAccess(text, { cwd, home: base });
    if (access.type === "everything") return;
    known++;
    isFresh = false;
    const writes = access.writes.map((one) => resolveFilePlace(`fs:${one}`).slice("fs:".length));
    const before = snapshot(base);
    run(text);
    const found = changes(before, snapshot(base)).map((one) => join(base, one));
    changed += found.length;
    const outside = found.filter((one) => !writes.some((write) => isBelow(one, write)));
    if (outside.length > 0)
      throw new Error(
        `${JSON.stringify(text)} changed ${outside.join(", ")}, but claimed ${writes.join(", ")}`,
      );
  };
  fc.assert(fc.property(command, check), { numRuns: runs, ...(seed === undefined ? {} : { seed }) });
  return { known, changed };
}
