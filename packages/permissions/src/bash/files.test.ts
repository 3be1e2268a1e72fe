import { expect, test } from "vitest";
import { copiesOf, touchesOf } from "./files.ts";
import type { ShellWord } from "./script.ts";
import { readShell } from "./walk.ts";

const words = (command: string): readonly ShellWord[] =>
  readShell(command, { cwd: "/p", home: "/h" }).commands.at(-1)?.words ?? [];
const written = (command: string): string[] => [
  ...new Set(
    touchesOf(words(command))
      .filter(({ mode }) => mode === "write")
      .map(({ word }) => word.value),
  ),
];

test("written files are found, however they are named", () => {
  const cases: [string, string[]][] = [
    ["sort -o x a", ["x"]],
    ["sort -uox a", ["x"]],
    ["sort -uo x a", ["x"]],
    ["sort --outp=x a", ["x"]],
    ["sort --outp x a", ["x"]],
    ["tar -cf x a", ["x"]],
    ["tar cvf x a", ["x"]],
    ["tar cbf 20 x a", ["x"]],
    ["tar --crea --fil=x a", ["x"]],
    ["tar -xf x", []],
    ["tar -xf x -C y", ["y"]],
    ["tar --extract -f x --directory y", ["y"]],
    ["tar tf x", []],
    ["sed -i s/a/b/ d/x", ["d/x"]],
    ["sed -i.bak s/a/b/ d/x", ["d/x", "d/x.bak"]],
    ["sed --in-pl='*.o' s/a/b/ d/x", ["d/x", "d/x.o"]],
    ["sed -i'y/*' s/a/b/ d/x", ["d/x", "y/x", "d/y/x"]],
    ["sed -n 'w x' a", ["x"]],
    ["awk '{print > \"x\"}' a", ["x"]],
  ];
  expect(cases.map(([command]) => [command, written(command)])).toEqual(cases);
});

test("copies are found with their destinations", () => {
  const copies = (command: string): string[] =>
    copiesOf(words(command)).map(({ source, target }) => `${source.value} ${target.value}`);
  expect(
    ["cp a b", "mv a b c", "cp -t c a b", "cp -rtc a", "ln -s --target=c a", "cp -- -t c", "cat a b"].map(
      copies,
    ),
  ).toEqual([["a b"], ["a c", "b c"], ["a c", "b c"], ["a c"], ["a c"], ["-t c"], []]);
});
