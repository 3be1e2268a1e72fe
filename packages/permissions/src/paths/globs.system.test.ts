import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readShell } from "../bash/walk.ts";
import { FILES_ON_DISK, Look, MAX_ENTRIES } from "./disk.ts";
import { expandCommand } from "./globs.ts";
import { realPathOnDisk, type Workspace } from "./paths.ts";

let root = "";

const NAMES = [
  "a",
  "b",
  "ab",
  "abc",
  "a.ts",
  "B.ts",
  ".env",
  ".git",
  "..odd",
  "-rf",
  "--x=y",
  "[a]",
  "[ab]c",
  "a]b",
  "a b",
  "a\nb",
  "a'b",
  'a"b',
  String.raw`a\b`,
  "*",
  "a*",
  "?",
  "é",
  "日本",
  "😀x",
  "{a}",
  "~",
  "$x",
  "!a",
  "^a",
];

beforeAll(() => {
  // In a separate parent folder, so that `../*` always matches the same names.
  root = join(realpathSync(mkdtempSync(join(tmpdir(), "globs-"))), "world");
  for (const folder of [".", "d", "d/e", ".h"]) {
    mkdirSync(join(root, folder), { recursive: true });
    for (const name of NAMES) writeFileSync(join(root, folder, name), "");
  }
  symlinkSync("d", join(root, "link"));
  symlinkSync("/nowhere/at/all", join(root, "dangling"));
});

afterAll(() => rmSync(join(root, ".."), { recursive: true }));

function workspace(): Workspace {
  const make = (limit: number): Workspace => ({
    cwd: root,
    home: "/h",
    roots: [root],
    copies: [],
    realpath: realPathOnDisk,
    look: new Look(FILES_ON_DISK, limit),
    anew: make,
  });
  return make(MAX_ENTRIES);
}

/** Returns what bash expands each pattern to. */
function byBash(given: readonly string[], locale: string): string[][] {
  const script = given.map((pattern) => `printf '%s\\0' ${pattern}; printf '\\1\\0'`).join("\n");
  const out = execFileSync("bash", ["--norc", "-c", script], {
    cwd: root,
    env: { LC_ALL: locale, PATH: process.env["PATH"] },
  });
  return out
    .toString("utf8")
    .split("\u0001\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

const PIECES = [
  "*",
  "?",
  "a",
  "b",
  ".",
  "[ab]",
  "[!a]",
  "[^a]",
  "[a-c]",
  "[[:alpha:]]",
  "[]a]",
  "[",
  "]",
  "'['",
  "'*'",
  String.raw`\*`,
  String.raw`\[`,
  '"?"',
  "d/",
  "link/",
  "../",
  "./",
  "**",
  "{a,b}",
  "{a*,[b]}",
  "é",
  "-",
  "ts",
  "$'\\n'",
];

function* patterns(count: number): Generator<string> {
  let seed = 7;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  for (let at = 0; at < count; at++)
    yield Array.from({ length: 1 + next(4) }, () => PIECES[next(PIECES.length)]).join("");
}

test("class 5: every name that bash expands a pattern to is judged", () => {
  const given = [...new Set(patterns(3_000))].filter((pattern) => !pattern.includes("../.."));
  for (const locale of ["C", "C.UTF-8"]) {
    const expected = byBash(given, locale);
    const missed = given.flatMap((pattern, at) => {
      const script = readShell(`cat ${pattern}`, { cwd: root, home: "/h" });
      const [command] = script.commands;
      // Commands that cannot be analyzed, or that are unknown until they run, need approval.
      if (command === undefined || script.doubts.length > 0) return [];
      if (command.words.some(({ type }) => type === "dynamic")) return [];
      const expanded = expandCommand(command, workspace());
      if (expanded?.type === "unknown") return [];
      const judged = [...command.words, ...(expanded?.command.words ?? [])].map(({ value }) => value);
      const lost = (expected[at] ?? []).filter((word) => !judged.includes(word));
      return lost.length === 0 ? [] : [{ pattern, lost }];
    });
    expect(missed).toEqual([]);
  }
});

test("class 5: a pattern that crosses a link out of the workspace says so", () => {
  symlinkSync("/etc", join(root, "etc"));
  const crossed = ["e*/x", "*/x", "d/*", "etc/x", "?tc/"].map((pattern) => {
    const [command] = readShell(`cat ${pattern}`, { cwd: root, home: "/h" }).commands;
    const expanded = command === undefined ? undefined : expandCommand(command, workspace());
    return expanded?.type === "command" ? expanded.crossed !== undefined : "none";
  });
  rmSync(join(root, "etc"));
  expect(crossed).toEqual([true, true, false, "none", true]);
});
