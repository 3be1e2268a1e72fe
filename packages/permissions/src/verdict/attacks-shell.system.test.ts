/** Commands that make bash do something that is not in their words, by class; each is run as proof. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";
import type { PermissionSettings } from "../rules/settings.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "attacks-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the commands that are allowed. */
function allowed(commands: readonly string[], settings: PermissionSettings): string[] {
  const permissions = createPermissions({ settings, cwd: folder, home: "/home/u" });
  return commands.filter((command) => permissions.decide("Bash", { command }).behavior === "allow");
}

/** Returns the commands that create the file `pwned` in an empty folder. */
function effective(commands: readonly string[]): string[] {
  const pwned = join(folder, "pwned");
  return commands.filter((command) => {
    rmSync(pwned, { force: true });
    spawnSync("bash", ["-c", command], { cwd: folder, input: "", timeout: 10_000 });
    return existsSync(pwned);
  });
}

const PAYLOAD = "'a[$(>pwned)]'";
/** How a text gets into a variable, and the name of that variable. */
const CARRIERS: readonly (readonly [name: string, before: string, after: string])[] = [
  ["_", `echo ${PAYLOAD}; `, ""],
  ["_", `: ${PAYLOAD} && `, ""],
  ["BASH_REMATCH", `[[ ${PAYLOAD} =~ .* ]]; `, ""],
  ["v", `for v in ${PAYLOAD}; do `, "\ndone"],
];
const EVALUATORS = [
  "echo $((NAME))",
  "echo $(($NAME))",
  "echo $((${NAME}))",
  "echo $[NAME]",
  "echo $[$NAME]",
  'echo "$((NAME))"',
  "echo $((1 + (NAME)))",
  "echo $((1 ? NAME : 0))",
  "echo $((0 || NAME))",
  "echo $((-NAME))",
  "echo $((!NAME))",
  "echo $((~NAME))",
  "echo $((NAME++))",
  "echo $((z = NAME))",
  "echo $((1, NAME))",
  "echo $((2#1 + NAME))",
  "echo $(( $((NAME)) ))",
  "echo $((\nNAME\n))",
  "echo $((\\\nNAME))",
  "echo $(\\\n(NAME))",
  "echo $\\\n((NAME))",
  "echo $(echo $((NAME)))",
  "echo `echo $((NAME))`",
  "echo {a,$((NAME))}",
  "echo ${z:-$((NAME))}",
  "echo ${HOME:NAME}",
  "echo ${HOME:$NAME}",
  "echo ${HOME: $NAME}",
  "echo ${HOME:0:NAME}",
  "echo ${HOME:0:$NAME}",
  "echo ${HOME:(NAME)}",
  "echo ${@:NAME}",
  "echo ${HOME[NAME]}",
  "echo ${HOME[$NAME]}",
  "echo ${#HOME[NAME]}",
  "echo ${HOME[1+NAME]:-x}",
  "echo ${!NAME}",
  "[[ NAME -eq 0 ]]",
  "[[ $NAME -eq 0 ]]",
  "[[ 0 -lt ${NAME} ]]",
  '[[ "$NAME" -gt 1 ]]',
  "[[ ( 1 -ne NAME ) ]]",
  "[[ ! 1 -ge $NAME ]]",
  "[[ a == a && $NAME -le 1 ]]",
  "[[ -v $NAME ]]",
  '[[ -v "$NAME" ]]',
  '[ -v "$NAME" ]',
  "[ -v $NAME ]",
  'test -v "$NAME"',
  '[ ! -v "$NAME" ]',
  '[ a = b -o -v "$NAME" ]',
  "((NAME))",
  "(($NAME))",
  "(( NAME , 1 ))",
  "if ((NAME)); then :; fi",
  "while ((NAME)); do break; done",
  "until [[ NAME -eq 0 ]]; do break; done",
  "for ((NAME; 0; )); do :; done",
  "for ((; NAME; )); do break; done",
  "for ((i = 0; i++ < 1; NAME)); do : $NAME; done",
  "let NAME",
  "let z=NAME",
  "let 'z = NAME'",
  "declare -i z=NAME",
  "typeset -i z=$NAME",
  "declare -n z=$NAME; echo $z",
  'declare "$NAME=1"',
  "z[NAME]=1",
  "z=([NAME]=1)",
  "RANDOM=NAME",
  "OPTIND=$NAME",
  'printf -v "$NAME" x',
  "printf -v $NAME x",
  'read -r "$NAME" <<< x',
  'unset "HOME[$NAME]"',
  "exec {z[NAME]}>/dev/null",
  "cat <<E\n$((NAME))\nE",
  "cat <<-E\n\t$((NAME))\n\tE",
  "cat <<E\n${HOME:NAME}\nE",
  'cat <<< "$((NAME))"',
  "case $((NAME)) in *) :; esac",
  "case x in $((NAME))) :; esac",
  "echo x > /dev/null $((NAME))",
  "echo < <(echo $((NAME)))",
  "for w in $((NAME)); do :; done",
  "time echo $((NAME))",
  "! echo $((NAME))",
  "{ echo $((NAME)); }",
  "(echo $((NAME)))",
  "echo $((NAME)) | cat",
  "echo $((NAME)) &",
];

describe("class 1: arithmetic on names", () => {
  const attacks = CARRIERS.flatMap(([name, before, after]) =>
    EVALUATORS.map((text) => `${before}${text.replaceAll("NAME", name)}${after}`),
  );
  // A name can also contain an operator of `test`.
  const operators = [
    "for v in -v; do test \"$v\" 'a[$(touch pwned)]'; done",
    "for v in -v; do [ \"$v\" 'a[$(touch pwned)]' ]; done",
    "for v in -v; do [ ! \"$v\" 'a[$(touch pwned)]' ]; done",
    "for v in -v; do [ a = b -o \"$v\" 'a[$(touch pwned)]' ]; done",
    "for v in '-v a[$(touch${IFS}pwned)] -o z'; do [ $v = y ]; done",
    "for v in -v; do printf \"$v\" 'a[$(touch pwned)]' x; done",
    "for RANDOM in 'a[$(touch pwned)]'; do :; done",
    "readonly -a 'z=($(touch pwned))'",
    "declare -a z; declare 'z=($(touch pwned))'",
  ];

  test("none is allowed, and all of them run hidden commands", { timeout: 300_000 }, () => {
    const all = [...attacks, ...operators];
    expect(allowed(all, {})).toEqual([]);
    expect(allowed(all, { mode: "acceptEdits" })).toEqual([]);
    const proved = effective(all);
    expect(all.filter((one) => !proved.includes(one))).toEqual([]);
  });

  test("they need approval if a rule denies what they run", () => {
    const settings: PermissionSettings = { mode: "bypassPermissions", deny: ["Bash(touch:*)"] };
    expect(allowed([...attacks, ...operators], settings)).toEqual([]);
  });

  test("numbers and counts are allowed", () => {
    const plain = [
      "echo $((1 + 2 * 0x1f))",
      "echo $(($? + $#))",
      "echo $((${#HOME} - 1))",
      "echo ${HOME:1:2}",
      "echo ${HOME: -1}",
      "[[ $? -eq 0 ]] && echo a",
      "[[ ${#HOME} -gt 3 ]] && echo a",
      '[ "$x" = y ]',
      '[ -n "$x" ]',
      '[ -f "$x" -a -n "$y" ]',
      '[ "$#" -gt 0 ]',
    ];
    expect(plain.filter((one) => !allowed(plain, {}).includes(one))).toEqual([]);
  });
});

describe("class 2: decoding differs from bash", () => {
  /** Ways to write the slash of a path that leads outside. */
  const SLASHES = [
    ..."\\x{2f} \\x{02f} \\x{12f} \\x{2F} \\x2f \\x2F \\57 \\057 \\457 \\u2f \\u002f \\U2f \\U0000002f".split(
      " ",
    ),
    "\\x{2f",
    "/",
  ].map((escape) => `$'${escape}'`);
  const SPELLINGS = [
    ...SLASHES.flatMap((slash) => [`${slash}OUT`, `''${slash}OUT`, `"/"${slash}OUT`]),
    // Two ends of a path, one of which is empty or is expanded later.
    "{/OUT,f}",
    "{,/}OUT",
    "{,x}/OUT",
    "/OU{T,x}",
    "/{OUT,x}",
    "/\\\nOUT",
    "\\\n/OUT",
    "/OU\\T",
    "/OU'T'",
    '/O"U"T',
    "/OU$'T'",
    "/OU?",
    "/O[U]T",
    "/OUT*",
    "$'/\\x4fUT'",
    "$'\\x{2f}\\x{4f}UT'",
    "..$'\\x{2f}'$'\\x{2e}.'$'\\x{2f}OUT'",
    "~root",
    "~+/../../OUT",
    "~-",
    "a=~",
    "{~,x}",
    "{,~}/x",
    "$HOME{/a,/b}",
    "$PWD\\\na/../../OUT",
    "$\\\n{HOME}",
    '"$\\\n{HOME}"',
  ];
  const COMMANDS = [
    "cat W",
    "head -n1 W",
    "grep -r x W",
    "diff f W",
    "ls W",
    "wc -l W",
    "sed -n 1p W",
    "cat < W",
  ];
  const WRITES = ["mkdir W", "touch W", "cp f W", "echo x > W", "sed -i s/a/b/ W", "mv f W"];
  const fill = (commands: readonly string[]): string[] =>
    commands.flatMap((command) =>
      SPELLINGS.map((word) => command.replace("W", word.replaceAll("OUT", "outside"))),
    );

  test("a file outside the workspace counts as outside in every spelling", () => {
    expect(allowed(fill(COMMANDS), {})).toEqual([]);
    expect(allowed(fill(WRITES), { mode: "acceptEdits" })).toEqual([]);
  });

  test("a denied program is denied or asked about in every spelling", () => {
    const names = [
      ...["\\x{74}", "\\x74", "\\164", "\\u74", "\\U74", "\\x{174}", "t\\x{0}"].map(
        (escape) => `$'${escape}ouch'`,
      ),
      "t$'\\x{6f}'uch",
      "to\\\nuch",
      "'t'ouch",
      '"to"uch',
      "t\\ouch",
      "{touch,x}",
      "/bin/{touch,x}",
      "/bin/touc?",
      "/bin/[t]ouch",
      "~root/../bin/touch",
      "$'to\\\nuch'",
    ];
    const settings: PermissionSettings = { mode: "bypassPermissions", deny: ["Bash(touch:*)"] };
    expect(
      allowed(
        names.map((name) => `${name} pwned`),
        settings,
      ),
    ).toEqual([]);
  });

  test("a sed script in unusual quotes is detected", () => {
    const scripts = [
      "$'#\\x{a}1e touch pwned'",
      "$'#\\u000a1e touch pwned'",
      "$'#\\cj1e touch pwned'",
      "$'1\\x{65} touch pwned'",
    ];
    const commands = scripts.map((script) => `sed ${script} f`);
    expect(allowed(commands, {})).toEqual([]);
    expect(allowed(commands, { allow: ["Bash(sed:*)"] })).toEqual([]);
    writeFileSync(join(folder, "f"), "a\n");
    expect(effective(commands)).toEqual(commands);
  });
});
