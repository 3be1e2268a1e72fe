import { expect, test } from "vitest";
import { sedEffect } from "./sed.ts";

const kinds = (scripts: readonly string[]): [string, string][] =>
  scripts.map((script) => [script, sedEffect(script).type]);
const all = (scripts: readonly string[], type: string): [string, string][] =>
  scripts.map((script) => [script, type]);

test("scripts that only change text are known", () => {
  const scripts = [
    "",
    "p",
    "1,5p",
    "$d",
    "/a/d",
    "/a/,/b/d",
    "/a/,+3p",
    "0~2p",
    "1!d",
    "s/a/b/",
    "s/a/b/g;s/c/d/2p",
    "s|/|e|",
    "s,w,e,",
    String.raw`s/\//e/g`,
    "s/[a-z]/w/",
    "y/abc/xyz/",
    "/x/{s/a/b/;p}",
    ":a;N;$!ba;s/x/y/g",
    "# e w\np",
    "2q",
    "=",
    "n;d",
    "i\\\ntext e",
    "a hello e w",
    "\\,x,d",
    "s/e/w/I",
    "/e/Ip",
    "5{p;q}",
    "G;h;x",
    "l 5",
  ];
  expect(kinds(scripts)).toEqual(all(scripts, "text"));
});

test("scripts that touch files name them", () => {
  expect(["w out", "s/a/b/w out.txt", "/x/w a b", "r in", "1R in", "W x "].map(sedEffect)).toEqual(
    ["out", "out.txt", "a b", "in", "in", "x "].map((name) => ({ type: "files", names: [name] })),
  );
});

test("scripts that run something or cannot be parsed are unsafe", () => {
  const scripts = [
    "e",
    "1e id",
    "e id",
    "s/a/b/e",
    "s/a/b/ge",
    "s/a/b/eg",
    "s|a|b|e",
    "s\ta\tb\te",
    "p;e",
    "{e}",
    "/x/e",
    "1!e",
    "$!{e\n}",
    "s/a/b",
    "s/a",
    "s",
    "k",
    "/a",
    "y/a/b",
    "s/[/]/x/e",
    "p e",
    "s/a/b/;s/c/d/e",
    "\\xaxe",
    "2,/b/e",
    "s/a/b/m e",
    "v;e",
    "M",
    "1,5",
    "!",
  ];
  expect(kinds(scripts)).toEqual(all(scripts, "unsafe"));
});
