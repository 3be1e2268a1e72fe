import { describe, expect, test } from "vitest";
import { commandAccess } from "../verdict/command-access.ts";
import { readOnlyCommand } from "../verdict/permissions.ts";
import { parseShell } from "./parse.ts";
import type { ShellScript } from "./script.ts";
import { readShell } from "./walk.ts";

const read = (command: string): ShellScript => readShell(command, { cwd: "/p", home: "/h" });
const commands = (command: string): string[] =>
  read(command).commands.map(
    ({ words, isInner }) => `${isInner ? "+ " : ""}${words.map(({ value }) => value).join(" ")}`,
  );

describe("the commands of a text", () => {
  test("are found everywhere, with what they run", () => {
    const cases: [string, string[]][] = [
      ["a b && c | d; e &", ["a b", "c", "d", "e"]],
      ["a $(b `c`)", ["c", "b `c`", "a $(b `c`)"]],
      ["if a; then b; else c; fi", ["a", "b", "c"]],
      ["x=$(a) b", ["a", "b"]],
      ["cat <<E\n$(a)\nE", ["a", "cat"]],
      ["cat <<'E'\n$(a)\nE", ["cat"]],
      ["sudo -u x env A=1 a b", ["sudo -u x env A=1 a b", "+ env A=1 a b", "+ a b"]],
      ["sh -c 'a; b'", ["sh -c a; b", "+ a", "+ b"]],
      ["find . -exec a {} \\;", ["find . -exec a {} ;", "+ a {}"]],
      ["echo 'a b' | sh", ["echo a b", "sh", "+ a b"]],
      ["r\\m 'x y' \"z\"$'\\t'", ["rm x y z\t"]],
      ["a {b,c}d ~/e $HOME/f", ["a bd cd /h/e /h/f"]],
    ];
    expect(cases.map(([text]) => [text, commands(text)])).toEqual(cases);
  });

  test("have the folders that they can run in", () => {
    const folders = (text: string): unknown => read(text).commands.at(-1)?.folders;
    expect(
      [
        "a",
        "cd x && a",
        "cd x; a",
        "cd /x && cd y && a",
        "(cd x); a",
        "cd x | b; a",
        "cd x & a",
        "cd $X && a",
        "cd && a",
        "cd - && a",
        "b || cd x && a",
        "while b; do cd x; a; done",
        "cd .. && a",
      ].map(folders),
    ).toEqual([
      ["/p"],
      ["/p/x"],
      ["/p", "/p/x"],
      ["/x/y"],
      ["/p"],
      ["/p"],
      ["/p"],
      undefined,
      ["/h"],
      undefined,
      ["/p", "/p/x"],
      undefined,
      ["/"],
    ]);
  });
});

describe("doubts", () => {
  test("remain about everything that could run something hidden", () => {
    const doubtful = [
      "$a b",
      "`a` b",
      "a ${!x}",
      "a ${x@P}",
      "a ${x[$y]}",
      "a $((x[1]))",
      "a $((x + 1))",
      "a $((_))",
      "a $[_]",
      "[[ $x -eq 0 ]]",
      "for ((i = 0; i < 3; i++)); do a; done",
      "((x[0]++))",
      "x=1; a $((x))",
      "for i in 'a[$(id)]'; do echo $((i)); done",
      "[[ a[0] -eq 1 ]]",
      "[[ -v x ]]",
      "for x in 'a[$(id)]'; do test -v \"$x\"; done",
      "test -v 'a[$(x)]'",
      "printf -v 'a[$(x)]' y",
      "unset 'a[$(x)]'",
      "f() { a; }",
      "coproc a",
      "select x in a; do b; done",
      "for PATH in x; do a; done",
      "for http_proxy in x; do a; done",
      "a @(b|c)",
      "a {x}>b",
      "eval $x",
      "sh -c $x",
      "a | sh",
      "a\rb",
      "a\u{202e}b",
      "echo '",
      "a )",
      "((",
      "cat <<E\nx",
    ];
    expect(doubtful.filter((text) => read(text).doubts.length === 0)).toEqual([]);
  });

  test("do not exist about plain text", () => {
    const plain = [
      'a $x "$y" ${z} ${#z} ${z:-b} ${z%.*} ${z/a/b} ${z:1:2} ${z^^}',
      "a $? $# $@ $$",
      "a $((1 + 2 * 0x1f))",
      "[[ -f $x && $y == z* || ! -d w ]]",
      "[[ $? -eq 0 ]]",
      'for f in a b; do c "$f"; done',
      "case $x in a|b) c;; *) d;; esac",
      "while a; do b; done",
      "a > b 2>&1 < c",
      "a <<< b",
      "time a",
      "! a",
      "a 'x[$(y)]'",
      "test -f a",
      "printf '%s' 'a[$(x)]'",
    ];
    expect(
      plain.filter((text) => read(text).doubts.length > 0).map((text) => [text, read(text).doubts]),
    ).toEqual([]);
  });

  test("distinguish hidden commands from those that are only unproved", () => {
    const opaque = (text: string): boolean => read(text).isOpaque;
    expect(
      ["$a", "eval $x", "sh -c $x", "f() { a; }", "a ${x@P}", "echo '", ". ./a", "bash a.sh"].map(opaque),
    ).toEqual([true, true, true, false, true, true, false, false]);
  });
});

test("what is not text is unreadable, and a missing folder is an error of the program", () => {
  const scope = { cwd: "/p", home: "/h" };
  for (const odd of [undefined, null, 5, {}, ["ls"]] as never[]) {
    expect(parseShell(odd)).toEqual({ type: "unreadable", why: "it is not text" });
    expect(readShell(odd, scope)).toMatchObject({ commands: [], isUnreadable: true });
    expect(commandAccess(odd, scope)).toEqual({ type: "everything" });
    expect(readOnlyCommand(odd)).toBe(false);
  }
  for (const wrong of [undefined, {}, { cwd: "/p" }, "/p"] as never[]) {
    expect(() => readShell("ls", wrong)).toThrow("the second argument must be { cwd, home }");
    expect(() => commandAccess("ls", wrong)).toThrow("the second argument must be { cwd, home }");
  }
});
