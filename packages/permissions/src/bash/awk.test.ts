import { expect, test } from "vitest";
import { awkEffect, readAwk } from "./awk.ts";
import { readShell } from "./walk.ts";

test("the files that a program writes are known if it runs nothing", () => {
  const programs: [string, string[]][] = [
    ["{print}", []],
    ['/a|b/ { print "x|y" }', []],
    ['{print > "a"; print >> "b"}', ["a", "b"]],
    ['{printf("%s", $1) > "a"\n}', ["a"]],
    ['{print "a" \\\n > "x"}', ["x"]],
    ["$1 > 5 && (x > 3) {n++}", []],
    ["{print ($1 > 5)}", []],
    ['{print a/b, c/d > "e"} # > f | g', ["e"]],
  ];
  expect(programs.map(([text]) => [text, awkEffect(text)])).toEqual(
    programs.map(([text, writes]) => [text, { type: "text", writes }]),
  );
});

test("a program that runs something, writes an unnamed file, or cannot be parsed is unsafe", () => {
  const programs = [
    'BEGIN{system("x")}',
    'BEGIN{system\\\n("x")}',
    'BEGIN{"x" | getline}',
    'BEGIN{print | "x"}',
    'BEGIN{print |& "x"}',
    '@load "x"',
    "{print > x}",
    '{print > "a" "b"}',
    '{print > "a\\/b"}',
    "{print > $1}",
    '{print "a > b}',
    "{print > /x}",
  ];
  expect(programs.filter((text) => awkEffect(text).type !== "unsafe")).toEqual([]);
});

test("the program is the first word that is not an option, and what follows are files", () => {
  const read = (command: string): unknown => {
    const [, ...words] = readShell(command, { cwd: "/p", home: "/h" }).commands.at(-1)?.words ?? [];
    const { program, files, isUnclear } = readAwk(words);
    return [program?.value, files.map(({ value }) => value), isUnclear];
  };
  expect(
    ["awk -F : -v a=b P x", "awk -F: -- P -f", "awk P -f x", "awk -f P x", "awk --ass=a P", "awk"].map(read),
  ).toEqual([
    ["P", ["x"], false],
    ["P", ["-f"], false],
    ["P", ["-f", "x"], false],
    [undefined, ["P", "x"], true],
    [undefined, ["P"], true],
    [undefined, [], false],
  ]);
});
